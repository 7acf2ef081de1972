package conformance

import (
	"errors"
	"fmt"
	"sync/atomic"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

func viewCases() []Case {
	return []Case{{
		ID:   "VIEW-001",
		Rule: "A View shows every Change whose Commit returned before View was called, also to other goroutines.",
		run: func(b *bench) {
			p := b.create()
			var floor atomic.Int64 // the highest revision whose Commit has returned
			var written atomic.Bool
			b.together(4, func(who int) error {
				if who > 0 {
					for !written.Load() {
						if err := b.going(); err != nil {
							return err
						}
						if err := atLeast(b, p.ID, floor.Load()); err != nil {
							return err
						}
					}
					return atLeast(b, p.ID, floor.Load())
				}
				defer written.Store(true)
				for range 40 {
					p.Revision++
					if _, err := b.store.Commit(b.ctx, b.change(store.UpdateProblem{Problem: p})); err != nil {
						return fmt.Errorf("Commit: %w", err)
					}
					floor.Store(p.Revision)
				}
				return nil
			})
		},
	}, {
		ID:   "VIEW-002",
		Rule: "A View shows one moment through all its methods, whatever is committed while it looks.",
		run: func(b *bench) {
			b.furnished()
			_, change := oneOfEach(b)
			b.seen.add(change)
			b.view(func(r store.Reader) error {
				first, err := read(b.ctx, r, b.seen)
				if err != nil {
					return err
				}
				b.commit(change)
				second, err := read(b.ctx, r, b.seen)
				b.equal("what the same View shows after a Commit", first, second)
				return err
			})
		},
	}, {
		ID:   "VIEW-002/first-look",
		Rule: "What a View reads first, by whatever method, settles the moment for all that it reads after.",
		run: func(b *bench) {
			p := b.furnished()
			for _, reading := range readings(b, p.ID) {
				b.seen = newScope() // what the other rounds have stored is not at stake
				b.seen.problems[p.ID] = true
				_, change := oneOfEach(b)
				b.seen.add(change)
				before := b.image()
				var seen image
				b.view(func(r store.Reader) error {
					if err := reading.do(b.ctx, r); err != nil {
						return err
					}
					versions, err := r.Versions(b.ctx)
					if err != nil {
						return err
					}
					b.equal("the versions that follow "+reading.method, before.Versions, versions)
					b.commit(change)
					seen, err = read(b.ctx, r, b.seen)
					return err
				})
				b.equal("what the View shows that began with "+reading.method, before, seen)
			}
		},
	}, {
		ID:   "VIEW-002/long",
		Rule: "A View shows one moment however long it takes.",
		run: func(b *bench) {
			p := b.furnished()
			b.view(func(r store.Reader) error {
				first, err := read(b.ctx, r, b.seen)
				if err != nil {
					return err
				}
				for range 20 {
					p.Revision++
					change := b.change(store.UpdateProblem{Problem: p}, store.AddComment{Problem: p.ID, Comment: b.comment("more")},
						store.DropKeyword{Problem: p.ID, Name: "area"})
					b.commit(change)
					again, err := read(b.ctx, r, b.seen)
					if err != nil {
						return err
					}
					b.equal("what the View shows", first, again)
				}
				return nil
			})
		},
	}, {
		ID:   "VIEW-002/overlapping",
		Rule: "Views that overlap each show the moment at which they began.",
		run: func(b *bench) {
			p := b.create()
			var look func(depth int)
			look = func(depth int) {
				if depth == 0 {
					return
				}
				b.view(func(r store.Reader) error {
					before, err := r.Problem(b.ctx, p.ID, ident.None, everything)
					if err != nil {
						return err
					}
					b.equal("the revision", p.Revision, before.Revision)
					p.Revision++
					b.do(store.UpdateProblem{Problem: p}, store.AddComment{Problem: p.ID, Comment: b.comment("more")})
					look(depth - 1)
					after, err := r.Problem(b.ctx, p.ID, ident.None, everything)
					b.equal("the problem in the outer View", before, after)
					return err
				})
			}
			look(3)
		},
	}, {
		ID:   "VIEW-002/search",
		Rule: "Search finds in a View what there was at its moment, whatever is committed meanwhile.",
		run: func(b *bench) {
			x := exhibitsOf(b)
			b.restore(x.holdings)
			ask := []asked{
				{sort: "-title", as: x.ann}, {predicate: `watching = YES`, as: x.ann}, {predicate: `title MATCHES '.*a.*'`, as: x.ann},
				{predicate: `ANY keywords.name = 'area' OR ANY comments.text CONTAINS 'one' OR ANY relationships.child.title = 'Crash'`, as: x.ann},
			}
			b.view(func(r store.Reader) error {
				if _, err := r.Versions(b.ctx); err != nil {
					return err
				}
				var before [][]store.Hit
				for _, a := range ask {
					before = append(before, search(b, a)) // in a View of its own
				}
				p := x.Dossiers[2].Problem
				p.ID, p.Title = 7, "Crash again"
				changed := x.Dossiers[0].Problem
				changed.Title = "Another"
				b.do(store.CreateProblem{Problem: p}, store.UpdateProblem{Problem: changed}, store.Unwatch{Problem: 1, User: x.ann},
					store.DropKeyword{Problem: 1, Name: "area"}, store.AddComment{Problem: 8, Comment: b.comment("one")}, store.Watch{Problem: 7, User: x.ann})
				s, err := seek(b.ctx, r)
				if err != nil {
					return err
				}
				for i, a := range ask {
					hits, err := s.search(a)
					if err != nil {
						return err
					}
					b.equal("the hits of "+a.String()+"\n", before[i], hits)
				}
				return nil
			})
			finds(b, ask[1], 7)
		},
	}, {
		ID:   "VIEW-003",
		Rule: "View returns the error of its function as it is, and nil when that is nil.",
		run: func(b *bench) {
			plain := errors.New("the caller's own")
			for _, want := range []error{plain, fmt.Errorf("around: %w", plain), fault.New(fault.StaleRevision, "a fault"), nil} {
				got := b.store.View(b.ctx, func(store.Reader) error { return want })
				if got != want {
					b.failf("the function returned %v, and View returned %v", want, got)
				}
			}
			b.create()
		},
	}}
}

// atLeast returns an error when a View shows an earlier revision of the problem.
func atLeast(b *bench, id problem.ID, revision int64) error {
	return b.store.View(b.ctx, func(r store.Reader) error {
		s, err := r.Problem(b.ctx, id, ident.None, 0)
		if err == nil && s.Revision < revision {
			err = fmt.Errorf("revision %d was seen where %d had been committed", s.Revision, revision)
		}
		return err
	})
}
