package memory

import (
	"fmt"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// stored is how many problems the store has in the benchmarks.
const stored = 100_000

// fill returns a store with many problems, each with three log entries, and the
// identifiers of the Changes to come.
func fill(b *testing.B) (*Store, *ident.Sequence) {
	b.Helper()
	s, err := Open(b.Context(), Options{})
	if err != nil {
		b.Fatal(err)
	}
	ids := ident.NewSequence(time.UnixMilli(0), [10]byte{})
	for id := range problem.ID(stored) {
		change := store.Change{Batch: ids.Next(), Effects: []store.Effect{store.CreateProblem{Problem: problem.Problem{
			ID: id + 1, Fields: problem.Fields{Title: fmt.Sprintf("Problem %d", id+1)}, Revision: 1,
		}}}}
		for range 3 {
			change.Log = append(change.Log, problem.LogEntry{ID: ids.Next(), Problem: id + 1})
		}
		if _, err := s.Commit(b.Context(), change); err != nil {
			b.Fatal(err)
		}
	}
	return s, &ids
}

func BenchmarkLoad(b *testing.B) {
	s, _ := fill(b)
	b.ReportAllocs()
	b.ResetTimer()
	b.RunParallel(func(pb *testing.PB) {
		for id := problem.ID(1); pb.Next(); id = id%stored + 1 {
			err := s.View(b.Context(), func(r store.Reader) error {
				_, err := r.Problem(b.Context(), id, ident.None, store.Keywords|store.Log)
				return err
			})
			if err != nil {
				b.Error(err)
				return
			}
		}
	})
}

func BenchmarkCommit(b *testing.B) {
	s, ids := fill(b)
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		p := problem.Problem{ID: problem.ID(i%stored + 1), Revision: int64(i/stored + 2)}
		_, err := s.Commit(b.Context(), store.Change{
			Batch:   ids.Next(),
			Expect:  []store.Expectation{store.ProblemAt{ID: p.ID, Revision: p.Revision - 1}},
			Effects: []store.Effect{store.UpdateProblem{Problem: p}, store.PutSavepoint{Problem: p}},
			Log:     []problem.LogEntry{{ID: ids.Next(), Problem: p.ID}},
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}
