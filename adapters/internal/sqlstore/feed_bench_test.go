package sqlstore

import (
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/internal/sqlstore/sqlsearch"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
)

// patched is the entry of a patch of a state.
func patched() event.Entry {
	at := time.Date(2021, time.January, 1, 0, 0, 0, 0, time.UTC)
	ids := ident.NewSequence(at, [10]byte{1})
	open, closed := ids.Next(), ids.Next()
	return event.Entry{Number: 7, Batch: ids.Next(), At: at, Author: ids.Next(), Events: []event.Event{{
		Type: event.ProblemChanged, Problem: 4711, Title: "A problem with a title as long as usual", State: closed, Revision: 12,
		Lines: []event.Line{{ID: ids.Next(), Type: string(problem.FieldChanged), Field: "state",
			From: problem.LogRef(open, "Open"), To: problem.LogRef(closed, "Closed")}},
	}}}
}

// BenchmarkFeedBody is what an entry of the feed costs beside its row.
func BenchmarkFeedBody(b *testing.B) {
	d := &Dialect{Syntax: Syntax{Syntax: sqlsearch.Syntax{ID: func(id ident.ID) any { return id.String() }}}}
	row, err := d.feedRow(patched())
	if err != nil {
		b.Fatal(err)
	}
	body := []byte(row[2].(string))
	b.Run("encode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if _, err := d.feedRow(patched()); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("decode", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			var e event.Entry
			if err := decode(&e, body); err != nil {
				b.Fatal(err)
			}
		}
	})
}
