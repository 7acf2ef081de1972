package conformance

import (
	"io"

	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/transfer"
)

// movedCases are about moving everything from one store to another, as an
// operator does who changes the backend.
func movedCases() []Case {
	return []Case{{
		ID:     "RES-002/moved",
		Rule:   "What the service has written moves as records to the plainest of stores and from there to another store of this kind: all three give the same records, and the service goes on there as it does here.",
		Seeded: true,
		run: func(b *bench) {
			writing := newOperator(b, b.store, 1)
			writing.found()
			writing.act(60)
			records := recordsOf(b, b.store)

			plain, moved := newModel(), b.fresh().store
			importInto(b, plain, records)
			b.equal("what the plainest of stores gives", records, recordsOf(b, plain))
			importInto(b, moved, recordsOf(b, plain))
			b.equal("what the other store gives", records, recordsOf(b, moved))

			for _, s := range []store.Store{b.store, moved} {
				goesOn := newOperator(b, s, 2)
				goesOn.problems = writing.problems
				goesOn.act(40)
			}
			b.equal("what the other store gives after both went on", recordsOf(b, b.store), recordsOf(b, moved))
		},
	}}
}

// recordsOf exports a store.
func recordsOf(b *bench, from store.Store) (all []transfer.Record) {
	b.Helper()
	b.must("View, to read all records", from.View(b.ctx, func(r store.Reader) error {
		for record, err := range transfer.Records(b.ctx, r) {
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
func importInto(b *bench, into store.Store, records []transfer.Record) {
	b.Helper()
	archive, err := transfer.Load(&recordList{left: records}, b.ID())
	b.must("reading the records that were exported", err)
	b.must("Restore of the records", into.Restore(b.ctx, archive))
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
