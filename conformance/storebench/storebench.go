// Package storebench measures stores at their port, as Go benchmarks with the same names
// for every adapter. So benchstat can compare two adapters, or two commits. The author of
// an adapter writes this and nothing more:
//
//	func BenchmarkStore(b *testing.B) {
//		s, err := sqlite.Open(b.Context(), sqlite.Options{Path: filepath.Join(b.TempDir(), "problems.db")})
//		if err != nil {
//			b.Fatal(err)
//		}
//		b.Cleanup(func() { _ = s.Close() })
//		storebench.Run(b, s)
//	}
package storebench

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// Problems is how many problems package dataset makes up for the store.
const Problems = 10_000

// logged is the number of log entries of a loaded problem.
const logged = 10

// page is the number of problems of a search. It asks the store for one more, to know of
// a next page.
const page = 50

// clients are the numbers of goroutines on the store at once.
var clients = []int{1, 8}

// Run fills an empty store, and measures three calls of the tracker: "load" loads a
// problem with its keywords and 10 log entries; "commit" commits a patch of a state, each
// client on a problem of its own; "search" finds the first 50 open problems of a user
// with three of ten, and loads them with their keywords. The figure is the time of all
// clients together, divided by the number of calls. Every answer is checked, and
// committed data is read back.
//
// The functions in settle are called between the two: for a database that gathers
// statistics some time after its tables were filled.
func Run(b *testing.B, s store.Store, settle ...func(context.Context) error) {
	b.Helper()
	f, err := fill(b.Context(), s)
	if err != nil {
		b.Fatal(err)
	}
	for _, settle := range settle {
		if err := settle(b.Context()); err != nil {
			b.Fatal(err)
		}
	}
	for _, op := range []struct {
		name string
		do   func(ctx context.Context, client int, n int64) error
		end  func(context.Context) error
	}{
		{name: "load", do: f.load},
		{name: "commit", do: f.commit, end: f.committed},
		{name: "search", do: f.search},
	} {
		b.Run(op.name, func(b *testing.B) {
			for _, clients := range clients {
				b.Run(fmt.Sprintf("clients=%d", clients), func(b *testing.B) {
					measure(b, clients, op.do)
					if op.end == nil {
						return
					}
					if err := op.end(b.Context()); err != nil {
						b.Fatal(err)
					}
				})
			}
		})
	}
}

// measure lets the clients do something b.N times, all together.
func measure(b *testing.B, clients int, do func(ctx context.Context, client int, n int64) error) {
	b.ReportAllocs()
	var next atomic.Int64
	var group sync.WaitGroup
	b.ResetTimer()
	for client := range clients {
		group.Go(func() {
			for n := next.Add(1); n <= int64(b.N); n = next.Add(1) {
				if err := do(b.Context(), client, n); err != nil {
					b.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
	b.StopTimer()
}

// load loads one problem after the other.
func (f *filled) load(ctx context.Context, _ int, n int64) error {
	id := f.loaded[n%int64(len(f.loaded))]
	var found snapshot.Snapshot
	err := f.View(ctx, func(r store.Reader) (err error) {
		store.Last(r)
		found, err = r.Problem(ctx, id, f.user, snapshot.Keywords|snapshot.Log|snapshot.IfSmall)
		return err
	})
	if err == nil && (found.ID != id || len(found.Keywords) != 2 || len(found.Log) != logged) {
		err = fmt.Errorf("problem %d was loaded as %d, with %d keywords and %d log entries", id, found.ID, len(found.Keywords), len(found.Log))
	}
	return err
}

// commit commits the next patch of the client's problem.
func (f *filled) commit(ctx context.Context, client int, _ int64) error {
	return f.writers[client].commit(ctx, f.Store)
}

// committed compares the problems of the clients with their commits.
func (f *filled) committed(ctx context.Context) error {
	for _, w := range f.writers {
		err := f.View(ctx, func(r store.Reader) error {
			found, err := r.Problem(ctx, w.current.ID, f.user, snapshot.Log)
			if err == nil && (found.Problem != w.current || int64(len(found.Log)) != w.current.Revision) {
				err = fmt.Errorf("stored is %+v with %d log entries; want %+v with one for each revision", found.Problem, len(found.Log), w.current)
			}
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// search finds the first page of the user's open problems.
func (f *filled) search(ctx context.Context, _ int, _ int64) error {
	return f.View(ctx, func(r store.Reader) error {
		hits, err := r.Search(ctx, store.Query{Plan: f.plan, Limit: page + 1, As: f.user, Catalogue: f.catalogue})
		if err != nil {
			return err
		}
		if len(hits) != page+1 {
			return fmt.Errorf("%d problems were found; want %d", len(hits), page+1)
		}
		ids := make([]problem.ID, page)
		for i := range ids {
			ids[i] = hits[i].ID
		}
		shown, err := r.Problems(ctx, ids, f.user, snapshot.Keywords)
		if err != nil {
			return err
		}
		if len(shown) != page {
			return fmt.Errorf("%d of %d problems were loaded", len(shown), page)
		}
		for i, s := range shown {
			if s.ID != ids[i] || s.Assignee != f.user || !s.Resolved.IsZero() {
				return fmt.Errorf("in the place of problem %d there is one that was not searched: %+v", ids[i], s.Problem)
			}
		}
		return nil
	})
}

// searched is the query.
const searched = "assignee.identifier = $ApiUser AND state.resolved = NO"
