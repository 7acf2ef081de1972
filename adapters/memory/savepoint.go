package memory

import (
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// savepoint is a store.Savepoint in about half of the memory. Its references point to
// identifiers common to all savepoints.
type savepoint struct {
	batch      ident.ID
	texts      [problem.TextFields]string
	references [problem.ReferenceFields]*ident.ID
	times      [problem.TimeFields]int64 // Unix milliseconds
	revision   int64
}

// The fields of each kind, in the order of the arrays of a savepoint.
var (
	texts      = problem.FieldsOf(problem.TextField)
	references = problem.FieldsOf(problem.ReferenceField)
	times      = problem.FieldsOf(problem.TimeField)
)

// savepoint returns the savepoint of a problem in that form.
func (i interned) savepoint(batch ident.ID, p *problem.Problem) savepoint {
	s := savepoint{batch: batch, revision: p.Revision}
	for n, f := range texts {
		s.texts[n] = *f.Text(p)
	}
	for n, f := range references {
		s.references[n] = i.id(*f.Reference(p))
	}
	for n, f := range times {
		s.times[n] = f.Time(p).UnixMilli()
	}
	return s
}

// historyOf returns the savepoints of a problem as they are read.
func historyOf(owner problem.ID, savepoints []savepoint) []store.Savepoint {
	if len(savepoints) == 0 {
		return nil
	}
	read := make([]store.Savepoint, len(savepoints))
	for i := range savepoints {
		s, p := &savepoints[i], &read[i].Problem
		read[i].Batch, p.ID, p.Revision = s.batch, owner, s.revision
		for n, f := range texts {
			*f.Text(p) = s.texts[n]
		}
		for n, f := range references {
			*f.Reference(p) = *s.references[n]
		}
		for n, f := range times {
			*f.Time(p) = timeOf(s.times[n])
		}
	}
	return read
}

// timeOf returns the time of Unix milliseconds. For those of the zero time it is the zero
// time.
func timeOf(ms int64) time.Time { return time.UnixMilli(ms).UTC() }
