package conformance

import (
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

func lifeCases() []Case {
	return []Case{{
		ID:   "ID-001",
		Rule: "Reserve returns numbers from 1 on, each greater than those it returned and those of all problems.",
		run: func(b *bench) {
			last := problem.ID(0)
			for i := range 20 {
				id := b.reserve()
				if id <= last {
					b.failf("Reserve returned %d after %d", id, last)
				}
				last = id
				if i%3 == 0 {
					b.do(store.CreateProblem{Problem: b.problem(id)})
				}
				if i%5 == 0 {
					last += 100
					b.do(store.CreateProblem{Problem: b.problem(last)})
				}
			}
		},
	}, {
		ID:   "ID-001/at-once",
		Rule: "Concurrent calls of Reserve return different numbers, each greater than those that it had returned before it was called.",
		run: func(b *bench) {
			const rounds = 20
			reserved := make([][]problem.ID, writers)
			var highest atomic.Int64 // of the numbers that Reserve has returned
			b.together(writers, func(who int) error {
				for range rounds {
					floor := problem.ID(highest.Load())
					id, err := b.store.Reserve(b.ctx)
					if err != nil {
						return fmt.Errorf("Reserve: %w", err)
					}
					if id <= floor {
						return fmt.Errorf("Reserve returned %d where it had returned %d before", id, floor)
					}
					raise(&highest, int64(id))
					reserved[who] = append(reserved[who], id)
					if _, err := b.store.Commit(b.ctx, b.change(store.CreateProblem{Problem: b.problem(id)})); err != nil {
						return fmt.Errorf("Commit: %w", err)
					}
				}
				return nil
			})
			for _, mine := range reserved {
				if !slices.IsSorted(mine) {
					b.failf("Reserve returned the numbers %v one after the other", mine)
				}
			}
			all := slices.Sorted(slices.Values(slices.Concat(reserved...)))
			b.equal("the number of different numbers", writers*rounds, len(slices.Compact(all)))
			if all[0] < 1 {
				b.failf("Reserve returned %d", all[0])
			}
		},
	}, {
		ID:      "ID-002",
		Rule:    "A store that is opened again does not reserve the number of an existing problem.",
		Durable: true,
		run: func(b *bench) {
			highest := problem.ID(0)
			for range 3 {
				for range 3 {
					highest = max(highest, b.create().ID)
				}
				b.reopen()
				if id := b.reserve(); id <= highest {
					b.failf("Reserve returned %d where problem %d was there", id, highest)
				}
			}
			highest += 1000
			b.do(store.CreateProblem{Problem: b.problem(highest)})
			b.reopen()
			if id := b.reserve(); id <= highest {
				b.failf("Reserve returned %d where problem %d was there", id, highest)
			}
		},
	}, {
		ID:   "CLOSE-001",
		Rule: "All calls after Close fail with Closed.",
		run: func(b *bench) {
			b.create()
			b.must("Close", b.store.Close())
			for _, call := range calls(b, b.ctx) {
				b.fails(call.method+" after Close", fault.Closed, call.do())
			}
		},
	}, {
		ID:   "CLOSE-001/under-way",
		Rule: "Close lets the calls under way end: each does what it was asked to, or fails with Closed.",
		run: func(b *bench) {
			p := b.create()
			viewing := make(chan struct{})
			var viewed, refused, closed atomic.Bool
			b.together(writers+2, func(who int) error {
				switch who {
				case 0:
					return b.store.View(b.ctx, func(r store.Reader) error {
						close(viewing)
						// Most stores refuse what comes after Close has begun: stay
						// for a while after that. Others let it wait.
						for left := 500; left > 0; left-- {
							if refused.Load() {
								left = min(left, 50)
							}
							if _, err := r.Problem(b.ctx, p.ID, ident.None, everything); err != nil {
								return fmt.Errorf("in a View that began before Close: %w", err)
							}
							runtime.Gosched()
						}
						viewed.Store(true)
						return nil
					})
				case 1:
					select {
					case <-viewing:
					case <-b.ctx.Done(): // no View began
					}
					defer closed.Store(true)
					if err := b.store.Close(); err != nil {
						return fmt.Errorf("Close: %w", err)
					}
					if !viewed.Load() {
						return fmt.Errorf("Close returned while a View was under way")
					}
					return nil
				}
				for {
					if err := b.going(); err != nil {
						return err
					}
					after := closed.Load()
					comment := store.AddComment{Problem: p.ID, Comment: b.comment("before the end")}
					if _, err := b.store.Commit(b.ctx, b.change(comment)); err != nil || after {
						refused.Store(true)
						return failure("Commit", fault.Closed, err)
					}
				}
			})
		},
	}, {
		ID:   "CLOSE-002",
		Rule: "Closing again does nothing and returns nil, also at once.",
		run: func(b *bench) {
			b.create()
			b.together(4, func(int) error { return b.store.Close() })
			b.must("Close", b.store.Close())
		},
	}}
}

// raise raises what is highest so far, unless it is higher.
func raise(highest *atomic.Int64, to int64) {
	for old := highest.Load(); old < to && !highest.CompareAndSwap(old, to); old = highest.Load() {
	}
}
