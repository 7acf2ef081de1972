package moving

import (
	"io"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/model"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/transfer"
)

// Moved are about moving everything from one store to another, as for a change of the
// backend.
func Moved() []bench.Case {
	return []bench.Case{{
		ID:     "RES-002/moved",
		Rule:   "The records of the service move to the plainest of stores, and from there to another store of this kind. All three give the same records, and the service goes on there as it does here.",
		Seeded: true,
		Run:    movedBothWays,
	}}
}

func movedBothWays(b *bench.Bench) {
	writing := newOperator(b, b.Store, 1)
	writing.found()
	writing.act(60)
	records := recordsOf(b, b.Store)

	plain, moved := model.NewModel(), b.Fresh().Store
	importInto(b, plain, records)
	b.Equal("what the plainest of stores gives", records, recordsOf(b, plain))
	importInto(b, moved, recordsOf(b, plain))
	b.Equal("what the other store gives", records, recordsOf(b, moved))

	for _, s := range []store.Store{b.Store, moved} {
		goesOn := newOperator(b, s, 2)
		goesOn.problems = writing.problems
		goesOn.act(40)
	}
	b.Equal("what the other store gives after both went on", recordsOf(b, b.Store), recordsOf(b, moved))
}

// recordsOf exports a store.
func recordsOf(b *bench.Bench, from store.Store) (all []transfer.Record) {
	b.Helper()
	b.Must("View, to read all records", from.View(b.Ctx, func(r store.Reader) error {
		for record, err := range transfer.Records(b.Ctx, r) {
			if err != nil {
				return err
			}
			all = append(all, record)
		}
		return nil
	}))
	return all
}

// importInto imports records into a store.
func importInto(b *bench.Bench, into store.Store, records []transfer.Record) {
	b.Helper()
	archive, err := transfer.Load(&recordList{left: records}, b.ID())
	b.Must("reading the records that were exported", err)
	b.Must("Restore of the records", into.Restore(b.Ctx, archive))
}

// recordList is a transfer.Source.
type recordList struct {
	left []transfer.Record
	line int64
}

func (l *recordList) Next() (line int64, record transfer.Record, err error) {
	if len(l.left) == 0 {
		return l.line, nil, io.EOF
	}
	record, l.left = l.left[0], l.left[1:]
	l.line++
	return l.line, record, nil
}
