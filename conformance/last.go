package conformance

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
)

// lastCases are the cases of the last read of a View. They hold for Readers that are
// store.LastReaders, and for all others.
func lastCases() []Case {
	return []Case{{
		ID:   "LAST-001",
		Rule: "A read that was announced as the last returns what it returns without the announcement, by whatever method.",
		run:  lastReadIsTheSame,
	}, {
		ID:   "LAST-001/declared",
		Rule: "The Readers of a store are LastReaders exactly if the store is declared to have them.",
		run:  lastReadsAreDeclared,
	}, {
		ID:   "LAST-002",
		Rule: "The last read of a View shows the moment of the reads before it.",
		run:  lastReadKeepsTheMoment,
	}, {
		ID:   "LAST-002/only",
		Rule: "A last read that is the only one of its View shows one moment, whatever is committed meanwhile.",
		run:  onlyReadShowsOneMoment,
	}, {
		ID:   "LAST-003",
		Rule: "A read after the last one fails with ErrOver, and so does View; the Reader of a store without LastReaders reads on.",
		run:  readAfterTheLast,
	}, {
		ID:   "LAST-003/next-view",
		Rule: "The end of one View by its last read leaves the other Views as they are.",
		run:  lastReadEndsNoOtherView,
	}, {
		ID:   "LAST-004",
		Rule: "History answers the same before and after the last read.",
		run:  historyAfterTheLast,
	}}
}

// single is a method that reads in one step, and so can be a last read.
type single struct {
	method string
	do     func(context.Context, store.Reader) (any, error)
}

// singles returns a read by each method that can be a last read. The problem has to
// exist.
func singles(b *bench, id problem.ID) []single {
	return []single{
		{"Problem", func(ctx context.Context, r store.Reader) (any, error) {
			s, err := r.Problem(ctx, id, b.author, everything)
			slices.SortFunc(s.Watchers, ident.ID.Compare)
			return s, err
		}},
		{"Problems", func(ctx context.Context, r store.Reader) (any, error) {
			all, err := r.Problems(ctx, []problem.ID{id}, b.author, everything)
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
		{"Epoch", func(ctx context.Context, r store.Reader) (any, error) {
			return r.Epoch(ctx, relationship.BlockerOf)
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
			saved, ok, err := r.SavedQuery(ctx, b.author)
			return []any{saved, ok}, err
		}},
		{"Reply", func(ctx context.Context, r store.Reader) (any, error) {
			reply, ok, err := r.Reply(ctx, b.author, "key")
			return []any{reply, ok}, err
		}},
		{"Oldest", func(ctx context.Context, r store.Reader) (any, error) {
			at, ok, err := r.Oldest(ctx)
			return []any{at, ok}, err
		}},
	}
}

// readAll returns what the read shows in a View of its own, as the last one if so asked.
func readAll(b *bench, one single, last bool) (shown any) {
	b.Helper()
	b.view(func(r store.Reader) (err error) {
		if last {
			store.Last(r)
		}
		shown, err = one.do(b.ctx, r)
		return err
	})
	return shown
}

// stocked returns a problem of a store that has something for each of the singles.
func stocked(b *bench) problem.ID {
	b.Helper()
	p := b.furnished()
	b.do(store.PutToken{Token: b.token()})
	_, change := oneOfEach(b)
	b.commit(change)
	return p.ID
}

func lastReadIsTheSame(b *bench) {
	id := stocked(b)
	for _, one := range singles(b, id) {
		want := readAll(b, one, false)
		b.equal(one.method+" as the last and only read", want, readAll(b, one, true))
		var second any
		b.view(func(r store.Reader) (err error) {
			if _, err = r.Versions(b.ctx); err == nil {
				store.Last(r)
				second, err = one.do(b.ctx, r)
			}
			return err
		})
		b.equal(one.method+" as the last of two reads", want, second)
	}
}

func lastReadsAreDeclared(b *bench) {
	has := endsWithLast(b)
	switch {
	case b.h.Caps.LastReads == Yes && !has:
		b.failf("the Reader is no store.LastReader, though the harness declares Caps.LastReads: a store that wraps a Reader has to hand on the method Last")
	case b.h.Caps.LastReads == No && has:
		b.failf("the Reader is a store.LastReader, though the harness declares that it is none: say conformance.Yes")
	}
}

// endsWithLast reports whether the Readers of the store are LastReaders.
func endsWithLast(b *bench) (has bool) {
	b.Helper()
	b.view(func(r store.Reader) error {
		_, has = r.(store.LastReader)
		_, err := r.Versions(b.ctx)
		return err
	})
	return has
}

func lastReadKeepsTheMoment(b *bench) {
	stocked(b)
	for i := range singles(b, 0) {
		p, change := oneOfEach(b)
		one := singles(b, p.ID)[i]
		if one.method == "Oldest" {
			continue // which may be of a later moment
		}
		before := readAll(b, one, false)
		var shown any
		b.view(func(r store.Reader) error {
			if _, err := r.Versions(b.ctx); err != nil {
				return err
			}
			b.commit(change)
			store.Last(r)
			var err error
			shown, err = one.do(b.ctx, r)
			return err
		})
		b.equal("what the last read shows, by "+one.method+", after a Commit that came since the first", before, shown)
	}
}

func onlyReadShowsOneMoment(b *bench) {
	const rounds = 60
	p := b.create()
	var done atomic.Bool
	b.together(3, func(who int) error {
		if who == 0 {
			defer done.Store(true)
			for range rounds {
				p.Revision++
				p.Title = fmt.Sprintf("at revision %d", p.Revision)
				change := b.change(store.UpdateProblem{Problem: p},
					store.PutKeyword{Problem: p.ID, Keyword: problem.Keyword{Name: "title", Value: problem.Text(p.Title)}})
				if _, err := b.store.Commit(b.ctx, change); err != nil {
					return fmt.Errorf("Commit: %w", err)
				}
			}
			return nil
		}
		for !done.Load() {
			if err := b.going(); err != nil {
				return err
			}
			var s store.Snapshot
			err := b.store.View(b.ctx, func(r store.Reader) (err error) {
				store.Last(r)
				s, err = r.Problem(b.ctx, p.ID, ident.None, everything)
				return err
			})
			if err != nil {
				return fmt.Errorf("View: %w", err)
			}
			if len(s.Keywords) == 1 && s.Keywords[0].Value.String != s.Title {
				return fmt.Errorf("the title is %q and the keyword %q, which every Change sets to the same", s.Title, s.Keywords[0].Value.String)
			}
		}
		return nil
	})
}

func readAfterTheLast(b *bench) {
	id := stocked(b)
	over := endsWithLast(b)
	for _, one := range singles(b, id) {
		for _, next := range readings(b, id) {
			var after error
			err := b.store.View(b.ctx, func(r store.Reader) error {
				store.Last(r)
				if _, err := one.do(b.ctx, r); err != nil {
					return fmt.Errorf("the last read: %w", err)
				}
				after = next.do(b.ctx, r)
				return after
			})
			switch {
			case !over:
				b.must("View that reads on by "+next.method, err)
			case !errors.Is(after, store.ErrOver):
				b.failf("%s after %s, which was announced as the last read: the error is %v, and not store.ErrOver", next.method, one.method, after)
			case err != after:
				b.failf("View returned %v, where its function returned %v", err, after)
			}
		}
	}
}

func lastReadEndsNoOtherView(b *bench) {
	id := stocked(b)
	versions := single{"Versions", func(ctx context.Context, r store.Reader) (any, error) { return r.Versions(ctx) }}
	want := readAll(b, versions, false)
	b.view(func(outer store.Reader) error {
		if _, err := outer.Versions(b.ctx); err != nil {
			return err
		}
		for _, one := range singles(b, id) {
			readAll(b, one, true)
			again, err := versions.do(b.ctx, outer)
			if err != nil {
				return fmt.Errorf("Versions of a View, after another View ended with %s: %w", one.method, err)
			}
			b.equal("what Versions returns in a View, after another View ended with "+one.method, want, again)
		}
		return nil
	})
}

func historyAfterTheLast(b *bench) {
	id := stocked(b)
	for _, one := range singles(b, id) {
		var histories [2]store.History
		b.view(func(r store.Reader) error {
			if _, err := r.Versions(b.ctx); err != nil {
				return err
			}
			histories[0] = r.History()
			store.Last(r)
			_, err := one.do(b.ctx, r)
			histories[1] = r.History()
			return err
		})
		b.equal("the History after "+one.method+", the last read", histories[0], histories[1])
	}
}
