package conformance

import (
	"context"
	"errors"
	"fmt"
	"runtime/debug"
	"sync/atomic"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/store"
)

// restoreCases are about when Restore does what it is asked to, and who sees it.
func restoreCases() []Case {
	return []Case{{
		ID:   "RES-001",
		Rule: "Nobody sees anything of an Archive before it is restored; then all of it is there.",
		run: func(b *bench) {
			h := b.holdings(upTo(40)...)
			archive := h.interrupted(func(yielded int) error {
				seen, err := b.held()
				if err != nil {
					return fmt.Errorf("a View while %d problems are restored: %w", yielded, err)
				}
				if d := difference(holdings{}.shown(), seen); d != "" {
					return fmt.Errorf("a View shows something after %d problems: %s", yielded, d)
				}
				v, err := b.store.Versions(b.ctx)
				if err == nil && v != (store.Versions{}) {
					err = fmt.Errorf("the Versions are %+v after %d problems", v, yielded)
				}
				return err
			})
			b.must("Restore", b.store.Restore(b.ctx, archive))
			b.shows("what is stored", h)
		},
	}, {
		ID:   "RES-001/view",
		Rule: "A View that began before Restore shows nothing of the Archive, however long it takes.",
		run: func(b *bench) {
			h := b.holdings(upTo(3)...)
			b.view(func(r store.Reader) error {
				for _, moment := range []string{"before", "after"} {
					seen, err := hold(b.ctx, r)
					if err != nil {
						return err
					}
					b.equal("what the View shows "+moment+" Restore", holdings{}.shown(), seen)
					if moment == "before" {
						b.restore(h)
					}
				}
				return nil
			})
			b.shows("what is stored", h)
		},
	}, {
		ID:   "RES-001/at-once",
		Rule: "Whoever reads while an Archive is restored sees nothing of it or all, and all once Restore has returned.",
		run: func(b *bench) {
			h := b.holdings(upTo(60)...)
			none, all := holdings{}.shown(), h.shown()
			var restored atomic.Bool
			b.together(4, func(who int) error {
				if who == 0 {
					defer restored.Store(true)
					if err := b.store.Restore(b.ctx, h.archive()); err != nil {
						return fmt.Errorf("Restore: %w", err)
					}
					return nil
				}
				for {
					if err := b.going(); err != nil {
						return err
					}
					after := restored.Load()
					seen, err := b.held()
					if err != nil {
						return fmt.Errorf("View: %w", err)
					}
					missing := difference(all, seen)
					if missing != "" && (after || difference(none, seen) != "") {
						return fmt.Errorf("a View shows neither nothing, as before Restore, nor all of the Archive: %s", missing)
					}
					if after {
						return nil
					}
				}
			})
		},
	}, {
		ID:   "RES-005",
		Rule: "When there is a problem, metadata, a user or a token, Restore fails with Conflict and changes nothing.",
		run: func(b *bench) {
			h := b.holdings(upTo(3)...)
			effects := append(putAll(b.objects()), store.PutToken{Token: b.token()}, store.CreateProblem{Problem: b.problem(900)})
			for _, effect := range effects {
				fresh := b.fresh()
				fresh.do(effect)
				refuseArchive(fresh, b.ctx, fmt.Sprintf("Restore after %T", effect), fault.Conflict, h.archive())
				fresh.do(store.AddComment{Problem: fresh.create().ID, Comment: b.comment("as ever")})
			}
		},
	}, {
		ID:   "RES-005/again",
		Rule: "When an Archive was restored, Restore fails with Conflict and changes nothing, unless the Archive was empty.",
		run: func(b *bench) {
			b.restore(holdings{})
			h := b.holdings(upTo(3)...)
			b.restore(h)
			refuseArchive(b, b.ctx, "a second Restore", fault.Conflict, h.archive())
			refuseArchive(b, b.ctx, "another Restore", fault.Conflict, b.holdings(7).archive())
			refuseArchive(b, b.ctx, "the Restore of nothing", fault.Conflict, holdings{}.archive())
		},
	}, {
		ID:   "RES-005/at-once",
		Rule: "Of several concurrent calls of Restore one fills the store, and the others fail with Conflict.",
		run: func(b *bench) {
			for range 4 {
				fresh := b.fresh()
				archives := []holdings{b.holdings(upTo(20)...), b.holdings(upTo(25)...), b.holdings(7, 8, 50)}
				var won atomic.Int64
				var winner atomic.Int64
				fresh.together(len(archives), func(who int) error {
					err := fresh.store.Restore(b.ctx, archives[who].archive())
					if err == nil {
						won.Add(1)
						winner.Store(int64(who))
						return nil
					}
					return failure("a Restore that lost", fault.Conflict, err)
				})
				b.equal("the number of Archives restored", int64(1), won.Load())
				fresh.shows("what is stored", archives[winner.Load()])
			}
		},
	}, {
		ID:   "RES-005/commit",
		Rule: "When Restore and a Commit that expects an empty store meet, one of them fills the store, and the other fails with Conflict.",
		run: func(b *bench) {
			for range 6 {
				fresh := b.fresh()
				h := b.holdings(upTo(20)...)
				objects := b.objects()
				seed := b.change(putAll(objects)...)
				seed.Expect = []store.Expectation{store.StoreEmpty{}}
				var errs [2]error
				fresh.together(2, func(who int) error {
					if who == 0 {
						errs[0] = fresh.store.Restore(b.ctx, h.archive())
					} else {
						_, errs[1] = fresh.store.Commit(b.ctx, seed)
					}
					return nil
				})
				if errs[0] == nil {
					b.fails("the Commit that lost", fault.Conflict, errs[1])
					fresh.shows("what is stored", h)
				} else {
					b.must("the Commit that won", errs[1])
					b.fails("the Restore that lost", fault.Conflict, errs[0])
					fresh.shows("what is stored", holdings{Batch: seed.Batch, Metadata: objects})
				}
			}
		},
	}, {
		ID:   "RES-005/meanwhile",
		Rule: "A Commit that begins while an Archive is restored is stored; Restore either comes before it, or fails with Conflict.",
		run: func(b *bench) {
			for at := range 4 {
				fresh := b.fresh()
				h := b.holdings(upTo(3)...)
				person := b.objects().Users
				change := b.change(store.PutUser{User: person[0]})
				var committed <-chan error
				err := fresh.store.Restore(b.ctx, h.interrupted(func(yielded int) error {
					if yielded == at {
						committed = aside(func() error {
							_, err := fresh.store.Commit(b.ctx, change)
							return err
						})
					}
					return nil
				}))
				if committed == nil {
					b.failf("Restore ended before it had asked for %d problems: %v", at, err)
				}
				b.must("the Commit", <-committed)
				if err != nil {
					b.fails("the Restore that lost", fault.Conflict, err)
					fresh.shows("what is stored", holdings{Batch: change.Batch, Metadata: metadata.Content{Users: person}})
					continue
				}
				want := h.shown()
				want.Metadata.Users = append(person, want.Metadata.Users...)
				want.Metadata = ordered(want.Metadata)
				want.Versions = want.Versions.After(change)
				seen, err := fresh.held()
				b.must("View", err)
				b.equal("what is stored", want, seen)
			}
		},
	}, {
		ID:   "RES-006",
		Rule: "An error that the problems yield is returned as it is, with nothing stored, and the next Restore succeeds.",
		run: func(b *bench) {
			h := b.holdings(upTo(30)...)
			plain := errors.New("the caller's own")
			for _, want := range []error{plain, fmt.Errorf("around: %w", plain), fault.New(fault.StaleRevision, "a fault"), context.Canceled} {
				for _, at := range []int{0, 1, 17, 30} {
					got := b.store.Restore(b.ctx, h.interrupted(func(yielded int) error {
						if yielded == at {
							return want
						}
						return nil
					}))
					if got != want {
						b.failf("the problems yielded the error %v after %d, and Restore returned %v", want, at, got)
					}
					b.shows("what is stored after that", holdings{})
				}
			}
			b.restore(h)
			b.shows("what is stored", h)
		},
	}, {
		ID:   "RES-007",
		Rule: "When the context ends before Restore is done, it fails with Unavailable, with nothing stored, and the next Restore succeeds.",
		run: func(b *bench) {
			h := b.holdings(upTo(30)...)
			for _, end := range ends(b) {
				refuseArchive(b, end.ctx, "Restore with a context that is "+end.how, fault.Unavailable, h.archive())
			}
			for _, at := range []int{0, 1, 17, 30} {
				ctx, cancel := context.WithCancel(b.ctx)
				refuseArchive(b, ctx, fmt.Sprintf("Restore with a context that ends after %d problems", at), fault.Unavailable,
					h.interrupted(func(yielded int) error {
						if yielded == at {
							cancel()
						}
						return nil
					}))
				cancel()
			}
			b.restore(h)
			b.shows("what is stored", h)
		},
	}, {
		ID:   "RES-008",
		Rule: "Restore ranges over the problems no more than once, whether or not it succeeds.",
		run: func(b *bench) {
			h := b.holdings(upTo(5)...)
			ranges := 0
			counted := h.interrupted(func(yielded int) error {
				if yielded == 0 {
					ranges++
				}
				return nil
			})
			b.must("Restore", b.store.Restore(b.ctx, counted))
			b.equal("how often a Restore that succeeded ranged over the problems", 1, ranges)
			ranges = 0
			refuseArchive(b, b.ctx, "a second Restore", fault.Conflict, counted)
			if ranges > 1 {
				b.failf("a Restore that failed ranged over the problems %d times", ranges)
			}
		},
	}}
}

// refuseArchive restores what the store has to refuse with the given kind, and
// looks whether anything of it is stored.
func refuseArchive(b *bench, ctx context.Context, what string, kind fault.Kind, archive store.Archive) {
	b.Helper()
	before, err := b.held()
	b.must("reading what is stored", err)
	b.fails(what, kind, b.store.Restore(ctx, archive))
	after, err := b.held()
	b.must("reading what is stored", err)
	b.equal("what is stored after "+what+" was refused", before, after)
}

// aside calls fn in a goroutine of its own, and returns a channel that gets its
// error. A panic of the store is one: it must not end the process.
func aside(fn func() error) <-chan error {
	ended := make(chan error, 1)
	go func() {
		defer func() {
			if problem := recover(); problem != nil {
				ended <- fmt.Errorf("it panicked: %v\n%s", problem, debug.Stack())
			}
		}()
		ended <- fn()
	}()
	return ended
}
