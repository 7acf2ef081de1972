package postgres_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/postgres"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// patience is how long a test waits for something that is bound to happen. A test
// that needs it has failed.
const patience = time.Minute

// source is where a test has its identifiers and times from: the same in every
// run, and none of them twice.
type source struct {
	mu  sync.Mutex
	now time.Time
	ids ident.Sequence
	// stored is the batch of the Change that stores each problem as it is.
	stored map[problem.Problem]ident.ID
}

func newSource() *source {
	start := time.Date(2026, time.May, 1, 8, 0, 0, 0, time.UTC)
	return &source{now: start, ids: ident.NewSequence(start, [10]byte{9: 1}), stored: make(map[problem.Problem]ident.ID)}
}

func (s *source) id() ident.ID {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ids.Next()
}

func (s *source) time() time.Time {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.now = s.now.Add(time.Millisecond)
	return s.now
}

func (s *source) change(effects ...store.Effect) store.Change {
	change := store.Change{Batch: s.id(), At: s.time(), Author: s.id(), Effects: effects}
	s.note(change)
	return change
}

// note notes which problems the Change stores.
func (s *source) note(change store.Change) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, effect := range change.Effects {
		switch e := effect.(type) {
		case store.CreateProblem:
			s.stored[e.Problem] = change.Batch
		case store.UpdateProblem:
			s.stored[e.Problem] = change.Batch
		}
	}
}

// at returns the expectation that the problem is as it is here.
func (s *source) at(p problem.Problem) store.ProblemAt {
	s.mu.Lock()
	defer s.mu.Unlock()
	return store.ProblemAt{ID: p.ID, Revision: p.Revision, Batch: s.stored[p]}
}

func (s *source) problem(id problem.ID) problem.Problem {
	return problem.Problem{
		ID: id, Fields: problem.Fields{Title: "Problem " + s.id().String(), State: s.id()},
		Originator: s.id(), Created: s.time(), Modifier: s.id(), Modified: s.time(), Revision: 1,
	}
}

// changed returns the problem as one more change leaves it.
func (s *source) changed(p problem.Problem) problem.Problem {
	p.Title, p.Modifier, p.Modified, p.Revision = "Problem "+s.id().String(), s.id(), s.time(), p.Revision+1
	return p
}

func (s *source) comment() problem.Comment {
	return problem.Comment{ID: s.id(), Author: s.id(), Created: s.time(), Text: "Comment " + s.id().String()}
}

func (s *source) entry(batch ident.ID, p problem.Problem, t problem.LogType) problem.LogEntry {
	return problem.LogEntry{ID: s.id(), Problem: p.ID, Type: t, Created: p.Modified, Author: p.Modifier, Batch: batch, Revision: p.Revision}
}

// open opens a store, which is closed with the test.
func open(t *testing.T, o postgres.Options) *postgres.Store {
	t.Helper()
	o.AutoMigrate = true
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	s, err := postgres.Open(ctx, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Errorf("Close: %v", err)
		}
	})
	return s
}

// create stores new problems, each with what all effects need to have something to
// change: a keyword, a watcher and a reader.
func create(t *testing.T, s store.Store, from *source, n int) []problem.Problem {
	t.Helper()
	all := make([]problem.Problem, n)
	change := from.change()
	for i := range all {
		id, err := s.Reserve(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		all[i] = from.problem(id)
		change.Effects = append(change.Effects,
			store.CreateProblem{Problem: all[i]},
			store.PutKeyword{Problem: id, Keyword: problem.Keyword{Name: "first"}},
			store.Watch{Problem: id, User: from.id()},
			store.MarkRead{Problem: id, User: from.id(), Read: true})
	}
	from.note(change)
	if _, err := s.Commit(t.Context(), change); err != nil {
		t.Fatal(err)
	}
	return all
}

// eventually returns when something that nobody announces is so, and fails the test
// when that takes too long.
func eventually(t interface {
	Helper()
	Fatalf(format string, args ...any)
}, what string, is func() bool) {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	limit := time.After(patience)
	for !is() {
		select {
		case <-tick.C:
		case <-limit:
			t.Fatalf("%s: not so after %s", what, patience)
		}
	}
}
