package sqlite

import (
	"fmt"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// benchmark returns a store with a hundred problems that have a history.
func benchmark(b *testing.B) (*Store, func(problem.ID, int64) store.Change) {
	s, err := Open(b.Context(), Options{Path: filepath.Join(b.TempDir(), "problems.db")})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	var mu sync.Mutex
	ids := ident.NewSequence(start, [10]byte{})
	next := func() ident.ID {
		mu.Lock()
		defer mu.Unlock()
		return ids.Next()
	}
	state, author := next(), next()
	var last [101]ident.ID // the batches of the problems' last Changes
	// update returns the Change of a request for another title. Each problem has one
	// caller at a time.
	update := func(id problem.ID, revision int64) store.Change {
		p := problem.Problem{
			ID: id, Fields: problem.Fields{Title: fmt.Sprintf("Problem %d at revision %d", id, revision), State: state, Assignee: author},
			Originator: author, Created: start, Modifier: author, Modified: start, Revision: revision,
		}
		change := store.Change{Batch: next(), At: start, Author: author}
		change.Effects = []store.Effect{store.UpdateProblem{Problem: p}, store.PutSavepoint{Problem: p},
			store.ForgetReads{Problem: id, But: author}, store.MarkRead{Problem: id, User: author, Read: true}}
		change.Log = []problem.LogEntry{{ID: next(), Problem: id, Type: problem.FieldChanged, Created: start, Author: author,
			Batch: change.Batch, Field: "title", From: problem.LogText("before"), To: problem.LogText("after"), Revision: revision}}
		if revision == 1 {
			change.Effects[0] = store.CreateProblem{Problem: p}
		} else {
			change.Expect = []store.Expectation{store.ProblemAt{ID: id, Revision: revision - 1, Batch: last[id]}}
		}
		last[id] = change.Batch
		return change
	}
	for id := problem.ID(1); id <= 100; id++ {
		for revision := range int64(5) {
			if _, err := s.Commit(b.Context(), update(id, revision+1)); err != nil {
				b.Fatal(err)
			}
		}
	}
	return s, update
}

func BenchmarkCommit(b *testing.B) {
	for _, writers := range []int{1, 8, 64} {
		b.Run(fmt.Sprintf("%d writers", writers), func(b *testing.B) {
			s, update := benchmark(b)
			before := s.Stats()
			b.ReportAllocs()
			var left atomic.Int64
			left.Store(int64(b.N))
			b.ResetTimer()
			var group sync.WaitGroup
			for w := range writers {
				group.Go(func() {
					for revision := int64(6); left.Add(-1) >= 0; revision++ {
						if _, err := s.Commit(b.Context(), update(problem.ID(w+1), revision)); err != nil {
							b.Error(err)
						}
					}
				})
			}
			group.Wait()
			after := s.Stats()
			b.ReportMetric(float64(after.Changes-before.Changes)/float64(after.Commits-before.Commits), "changes/commit")
		})
	}
}

func BenchmarkReserve(b *testing.B) {
	s, _ := benchmark(b)
	for b.Loop() {
		if _, err := s.Reserve(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
}
