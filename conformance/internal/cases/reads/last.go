package reads

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/problemtracking/problems/conformance/harness"
	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/cases/steps"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// Last are the cases of the last read of a View. They hold for Readers with and without
// store.LastReader.
func Last() []bench.Case {
	return []bench.Case{{
		ID:   "LAST-001",
		Rule: "A read announced as the last returns the same as without the announcement, by every method.",
		Run:  lastReadIsTheSame,
	}, {
		ID:   "LAST-001/declared",
		Rule: "The Readers of a store are LastReaders exactly if the store is declared to have them.",
		Run:  lastReadsAreDeclared,
	}, {
		ID:   "LAST-002",
		Rule: "The last read of a View shows the moment of the reads before it.",
		Run:  lastReadKeepsTheMoment,
	}, {
		ID:   "LAST-002/only",
		Rule: "A last read without other reads in its View shows one moment, despite any Commits meanwhile.",
		Run:  onlyReadShowsOneMoment,
	}, {
		ID:   "LAST-003",
		Rule: "A read after the last one fails with ErrOver, and so does View; the Reader of a store without LastReaders reads on.",
		Run:  readAfterTheLast,
	}, {
		ID:   "LAST-003/next-view",
		Rule: "The end of one View by its last read leaves the other Views as they are.",
		Run:  lastReadEndsNoOtherView,
	}, {
		ID:   "LAST-004",
		Rule: "History answers the same before and after the last read.",
		Run:  historyAfterTheLast,
	}}
}

// single is a method with one step, so it can be a last read.
type single struct {
	method string
	do     func(context.Context, store.Reader) (any, error)
}

// singles returns a read by each method that can be a last read. The problem has to
// exist.
func singles(b *bench.Bench, id problem.ID) []single {
	return []single{
		{"Problem", func(ctx context.Context, r store.Reader) (any, error) {
			s, err := r.Problem(ctx, id, b.Author, bench.Everything)
			slices.SortFunc(s.Watchers, ident.ID.Compare)
			return s, err
		}},
		{"Problems", func(ctx context.Context, r store.Reader) (any, error) {
			all, err := r.Problems(ctx, []problem.ID{id}, b.Author, bench.Everything)
			for _, s := range all {
				slices.SortFunc(s.Watchers, ident.ID.Compare)
			}
			return all, err
		}},
		{"Log", func(ctx context.Context, r store.Reader) (any, error) {
			return r.Log(ctx, id, 0, 100, 1<<20)
		}},
		{"Comments", func(ctx context.Context, r store.Reader) (any, error) {
			return r.Comments(ctx, id, 0, 100, 1<<20)
		}},
		{"Neighbours", func(ctx context.Context, r store.Reader) (any, error) {
			found, err := r.Neighbours(ctx, relationship.BlockerOf, []problem.ID{id})
			slices.SortFunc(found, relationship.Relationship.Compare)
			return found, err
		}},
		{"Catalogue", func(ctx context.Context, r store.Reader) (any, error) {
			c, err := r.Catalogue(ctx)
			if err != nil {
				return nil, err
			}
			return []any{c.Version, c.Content()}, nil
		}},
		{"Versions", func(ctx context.Context, r store.Reader) (any, error) {
			return r.Versions(ctx)
		}},
		{"Tokens", func(ctx context.Context, r store.Reader) (any, error) {
			return r.Tokens(ctx)
		}},
		{"Audit", func(ctx context.Context, r store.Reader) (any, error) {
			return r.Audit(ctx, 0, 100)
		}},
		{"SavedQueries", func(ctx context.Context, r store.Reader) (any, error) {
			return r.SavedQueries(ctx, ident.None)
		}},
		{"SavedQuery", func(ctx context.Context, r store.Reader) (any, error) {
			saved, ok, err := r.SavedQuery(ctx, b.Author)
			return []any{saved, ok}, err
		}},
		{"Webhooks", func(ctx context.Context, r store.Reader) (any, error) {
			return r.Webhooks(ctx, 0, 10)
		}},
		{"Lease", func(ctx context.Context, r store.Reader) (any, error) {
			held, ok, err := r.Lease(ctx, "work")
			return []any{held, ok}, err
		}},
		{"Reply", func(ctx context.Context, r store.Reader) (any, error) {
			reply, ok, err := r.Reply(ctx, b.Author, "key")
			return []any{reply, ok}, err
		}},
		{"Oldest", func(ctx context.Context, r store.Reader) (any, error) {
			at, ok, err := r.Oldest(ctx)
			return []any{at, ok}, err
		}},
	}
}

// readAll returns the result of the read in a View of its own, as the last one if asked.
func readAll(b *bench.Bench, one single, last bool) (shown any) {
	b.Helper()
	b.View(func(r store.Reader) (err error) {
		if last {
			store.Last(r)
		}
		shown, err = one.do(b.Ctx, r)
		return err
	})
	return shown
}

// stocked returns a problem of a store with something for each of the singles.
func stocked(b *bench.Bench) problem.ID {
	b.Helper()
	p := b.Furnished()
	b.Do(store.PutToken{Token: b.Token()})
	_, change := steps.OneOfEach(b)
	b.Commit(change)
	return p.ID
}

func lastReadIsTheSame(b *bench.Bench) {
	id := stocked(b)
	for _, one := range singles(b, id) {
		want := readAll(b, one, false)
		b.Equal(one.method+" as the last and only read", want, readAll(b, one, true))
		var second any
		b.View(func(r store.Reader) (err error) {
			if _, err = r.Versions(b.Ctx); err == nil {
				store.Last(r)
				second, err = one.do(b.Ctx, r)
			}
			return err
		})
		b.Equal(one.method+" as the last of two reads", want, second)
	}
}

func lastReadsAreDeclared(b *bench.Bench) {
	has := endsWithLast(b)
	switch {
	case b.H.Caps.LastReads == harness.Yes && !has:
		b.Failf("the Reader is no store.LastReader, though the harness declares Caps.LastReads: a store that wraps a Reader has to hand on the method Last")
	case b.H.Caps.LastReads == harness.No && has:
		b.Failf("the Reader is a store.LastReader, though the harness declares that it is none: say conformance.Yes")
	}
}

// endsWithLast reports whether the Readers of the store are LastReaders.
func endsWithLast(b *bench.Bench) (has bool) {
	b.Helper()
	b.View(func(r store.Reader) error {
		_, has = r.(store.LastReader)
		_, err := r.Versions(b.Ctx)
		return err
	})
	return has
}

func lastReadKeepsTheMoment(b *bench.Bench) {
	stocked(b)
	for i := range singles(b, 0) {
		p, change := steps.OneOfEach(b)
		one := singles(b, p.ID)[i]
		if one.method == "Oldest" {
			continue // possibly of a later moment
		}
		before := readAll(b, one, false)
		var shown any
		b.View(func(r store.Reader) error {
			if _, err := r.Versions(b.Ctx); err != nil {
				return err
			}
			b.Commit(change)
			store.Last(r)
			var err error
			shown, err = one.do(b.Ctx, r)
			return err
		})
		b.Equal("what the last read shows, by "+one.method+", after a Commit that came since the first", before, shown)
	}
}

func onlyReadShowsOneMoment(b *bench.Bench) {
	const rounds = 60
	p := b.Create()
	var done atomic.Bool
	var looks, readers atomic.Int64
	readers.Store(2)
	b.Together(3, func(who int) error {
		if who == 0 {
			defer done.Store(true)
			// The readers have their looks in between, also where one processor is all there is.
			for n := 0; readers.Load() > 0 && (n < rounds || looks.Load() < rounds); n++ {
				runtime.Gosched()
				if err := b.Going(); err != nil {
					return err
				}
				p.Revision++
				p.Title = fmt.Sprintf("at revision %d", p.Revision)
				change := b.Change(store.UpdateProblem{Problem: p},
					store.PutKeyword{Problem: p.ID, Keyword: problem.Keyword{Name: "title", Value: problem.Text(p.Title)}})
				if _, err := b.Store.Commit(b.Ctx, change); err != nil {
					return fmt.Errorf("Commit: %w", err)
				}
			}
			return nil
		}
		defer readers.Add(-1)
		for !done.Load() {
			if err := b.Going(); err != nil {
				return err
			}
			var s snapshot.Snapshot
			err := b.Store.View(b.Ctx, func(r store.Reader) (err error) {
				store.Last(r)
				s, err = r.Problem(b.Ctx, p.ID, ident.None, bench.Everything)
				return err
			})
			if err != nil {
				return fmt.Errorf("View: %w", err)
			}
			looks.Add(1)
			if len(s.Keywords) == 1 && s.Keywords[0].Value.String != s.Title {
				return fmt.Errorf("the title is %q and the keyword %q, which every Change sets to the same", s.Title, s.Keywords[0].Value.String)
			}
		}
		return nil
	})
}

func readAfterTheLast(b *bench.Bench) {
	id := stocked(b)
	over := endsWithLast(b)
	for _, one := range singles(b, id) {
		for _, next := range steps.Readings(b, id) {
			var after error
			err := b.Store.View(b.Ctx, func(r store.Reader) error {
				store.Last(r)
				if _, err := one.do(b.Ctx, r); err != nil {
					return fmt.Errorf("the last read: %w", err)
				}
				after = next.Do(b.Ctx, r)
				return after
			})
			switch {
			case !over:
				b.Must("View that reads on by "+next.Method, err)
			case !errors.Is(after, store.ErrOver):
				b.Failf("%s after %s, which was announced as the last read: the error is %v, and not store.ErrOver", next.Method, one.method, after)
			case err != after:
				b.Failf("View returned %v, where its function returned %v", err, after)
			}
		}
	}
}

func lastReadEndsNoOtherView(b *bench.Bench) {
	id := stocked(b)
	versions := single{"Versions", func(ctx context.Context, r store.Reader) (any, error) { return r.Versions(ctx) }}
	want := readAll(b, versions, false)
	b.View(func(outer store.Reader) error {
		if _, err := outer.Versions(b.Ctx); err != nil {
			return err
		}
		for _, one := range singles(b, id) {
			readAll(b, one, true)
			again, err := versions.do(b.Ctx, outer)
			if err != nil {
				return fmt.Errorf("Versions of a View, after another View ended with %s: %w", one.method, err)
			}
			b.Equal("what Versions returns in a View, after another View ended with "+one.method, want, again)
		}
		return nil
	})
}

func historyAfterTheLast(b *bench.Bench) {
	id := stocked(b)
	for _, one := range singles(b, id) {
		var histories [2]store.History
		b.View(func(r store.Reader) error {
			if _, err := r.Versions(b.Ctx); err != nil {
				return err
			}
			histories[0] = r.History()
			store.Last(r)
			_, err := one.do(b.Ctx, r)
			histories[1] = r.History()
			return err
		})
		b.Equal("the History after "+one.method+", the last read", histories[0], histories[1])
	}
}
