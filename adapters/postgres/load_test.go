package postgres_test

import (
	"context"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/postgres"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// load is writers that comment, each on a problem of its own, whatever happens to
// the database.
type load struct {
	t       *testing.T
	store   *postgres.Store
	from    *source
	first   problem.ID
	stop    atomic.Bool
	writers sync.WaitGroup
	done    atomic.Int64 // how many writes were acknowledged

	mu      sync.Mutex
	tried   []attempt
	slowest time.Duration // from a call to its answer
}

// attempt is a write and what was said of it.
type attempt struct {
	change store.Change
	err    error
}

// startLoad starts writers, which go on until end.
func startLoad(t *testing.T, s *postgres.Store, from *source, writers int) *load {
	t.Helper()
	l := &load{t: t, store: s, from: from}
	problems := create(t, s, l.from, writers)
	l.first = problems[0].ID
	t.Cleanup(func() { l.stop.Store(true); l.writers.Wait() })
	for _, p := range problems {
		l.writers.Go(func() { l.write(p.ID) })
	}
	return l
}

// write comments on a problem until the load ends.
func (l *load) write(id problem.ID) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*patience)
	defer cancel()
	for !l.stop.Load() && ctx.Err() == nil {
		var current snapshot.Snapshot
		err := l.store.View(ctx, func(r store.Reader) (err error) {
			current, err = r.Problem(ctx, id, l.from.id(), 0)
			return err
		})
		if err != nil {
			const pause = 5 * time.Millisecond
			time.Sleep(pause) // before asking again, as clients do
			continue
		}
		change, p := l.from.revise(current.Problem, problem.CommentAdded)
		change.Effects = append(change.Effects, store.AddComment{Problem: p.ID, Comment: l.from.comment()})
		began := time.Now()
		_, err = l.store.Commit(ctx, change)
		took := time.Since(began)
		l.mu.Lock()
		l.tried = append(l.tried, attempt{change, err})
		l.slowest = max(l.slowest, took)
		l.mu.Unlock()
		if err == nil {
			l.done.Add(1)
		}
	}
}

// acknowledge returns when n more writes were acknowledged than at the call.
func (l *load) acknowledge(n int64) {
	l.t.Helper()
	until := l.done.Load() + n
	eventually(l.t, "writes are acknowledged", func() bool { return l.done.Load() >= until })
}

// unknown is of how many writes it is not known what has become of them.
func (l *load) unknown() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return count(l.tried, func(a attempt) bool { return fault.Is(a.err, fault.UnknownOutcome) })
}

// end ends the load, asks for what is not known, and compares what was said with
// what is there.
func (l *load) end() *ledger {
	l.t.Helper()
	l.stop.Store(true)
	l.writers.Wait()
	books := &ledger{}
	for i, a := range l.tried {
		if fault.Is(a.err, fault.UnknownOutcome) && i%2 == 0 { // the others are only looked for
			var there bool
			var err error
			eventually(l.t, "the outcome of a batch is told", func() bool { // a server that has just started may take long
				_, there, err = l.store.Outcome(l.t.Context(), a.change.Batch, a.change.At)
				return !fault.Is(err, fault.Unavailable)
			})
			switch {
			case err != nil:
				l.t.Fatalf("the outcome of a batch cannot be told: %v", err)
			case there:
				l.tried[i].err = nil
			default:
				l.tried[i].err = fault.Wrap(fault.Abandoned, a.err, "ruled out")
			}
		}
	}
	seen, err := look(l.t.Context(), l.store, l.first, replyKey{})
	if err != nil {
		l.t.Fatal(err)
	}
	comments, entries := make(map[string]int), make(map[string]int)
	rows := 0
	for _, d := range seen.problems {
		for _, c := range d.Comments {
			comments[c.ID.String()]++
			rows++
		}
		for _, e := range d.Log {
			entries[e.ID.String()]++
		}
	}
	for _, a := range l.tried {
		comment := a.change.Effects[1].(store.AddComment).Comment.ID.String()
		times := []int{comments[comment], entries[a.change.Log[0].ID.String()]}
		said := refused
		switch {
		case a.err == nil:
			said = stored
		case fault.Is(a.err, fault.UnknownOutcome) && times[0] > 0:
			said = foundStored
		case fault.Is(a.err, fault.UnknownOutcome):
			said = foundLost
		}
		if wrong := books.enter(said, times...); wrong != "" {
			l.t.Logf("a comment, which gave %v: %s", a.err, wrong)
		}
		rows -= comments[comment]
	}
	books.phantom = rows
	return books
}
