package handles

import (
	"fmt"
	"runtime"
	"slices"
	"sync/atomic"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// Life are about reserved numbers, and about Close.
func Life() []bench.Case {
	return []bench.Case{{
		ID:   "ID-001",
		Rule: "Reserve returns numbers from 1 on, each greater than all its earlier results and the numbers of all problems.",
		Run:  reservedNumbersAscend,
	}, {
		ID:   "ID-001/at-once",
		Rule: "Concurrent calls of Reserve return different numbers, each greater than the results of all calls that ended before it began.",
		Run:  reserveAtOnce,
	}, {
		ID:      "ID-002",
		Rule:    "A reopened store does not reserve the number of an existing problem.",
		Durable: true,
		Run:     reserveAfterReopening,
	}, {
		ID:   "CLOSE-001",
		Rule: "All calls after Close fail with Closed.",
		Run:  callsAfterClose,
	}, {
		ID:   "CLOSE-001/under-way",
		Rule: "Close lets the calls under way end: each succeeds as usual, or fails with Closed.",
		Run:  underWay,
	}, {
		ID:   "CLOSE-002",
		Rule: "Closing again does nothing and returns nil, also at once.",
		Run: func(b *bench.Bench) {
			b.Create()
			b.Together(4, func(int) error { return b.Store.Close() })
			b.Must("Close", b.Store.Close())
		},
	}}
}

func reservedNumbersAscend(b *bench.Bench) {
	last := problem.ID(0)
	for i := range 20 {
		id := b.Reserve()
		if id <= last {
			b.Failf("Reserve returned %d after %d", id, last)
		}
		last = id
		if i%3 == 0 {
			b.Do(store.CreateProblem{Problem: b.Problem(id)})
		}
		if i%5 == 0 {
			last += 100
			b.Do(store.CreateProblem{Problem: b.Problem(last)})
		}
	}
}

func reserveAtOnce(b *bench.Bench) {
	const rounds = 20
	reserved := make([][]problem.ID, bench.Writers)
	var highest atomic.Int64 // of the numbers from Reserve
	b.Together(bench.Writers, func(who int) error {
		for range rounds {
			floor := problem.ID(highest.Load())
			id, err := b.Store.Reserve(b.Ctx)
			if err != nil {
				return fmt.Errorf("Reserve: %w", err)
			}
			if id <= floor {
				return fmt.Errorf("Reserve returned %d where it had returned %d before", id, floor)
			}
			Raise(&highest, int64(id))
			reserved[who] = append(reserved[who], id)
			if _, err := b.Store.Commit(b.Ctx, b.Change(store.CreateProblem{Problem: b.Problem(id)})); err != nil {
				return fmt.Errorf("Commit: %w", err)
			}
		}
		return nil
	})
	for _, mine := range reserved {
		if !slices.IsSorted(mine) {
			b.Failf("Reserve returned the numbers %v one after the other", mine)
		}
	}
	all := slices.Sorted(slices.Values(slices.Concat(reserved...)))
	b.Equal("the number of different numbers", bench.Writers*rounds, len(slices.Compact(all)))
	if all[0] < 1 {
		b.Failf("Reserve returned %d", all[0])
	}
}

func reserveAfterReopening(b *bench.Bench) {
	highest := problem.ID(0)
	for range 3 {
		for range 3 {
			highest = max(highest, b.Create().ID)
		}
		b.Reopen()
		if id := b.Reserve(); id <= highest {
			b.Failf("Reserve returned %d where problem %d was there", id, highest)
		}
	}
	highest += 1000
	b.Do(store.CreateProblem{Problem: b.Problem(highest)})
	b.Reopen()
	if id := b.Reserve(); id <= highest {
		b.Failf("Reserve returned %d where problem %d was there", id, highest)
	}
}

func callsAfterClose(b *bench.Bench) {
	b.Create()
	b.Must("Close", b.Store.Close())
	for _, call := range calls(b, b.Ctx) {
		b.Fails(call.method+" after Close", fault.Closed, call.do())
	}
}

func underWay(b *bench.Bench) {
	p := b.Create()
	viewing := make(chan struct{})
	var viewed, refused, closed atomic.Bool
	b.Together(bench.Writers+2, func(who int) error {
		switch who {
		case 0:
			return b.Store.View(b.Ctx, func(r store.Reader) error {
				close(viewing)
				// Most stores refuse calls after the begin of Close: stay for a
				// while after the refusal. Others let the calls wait.
				for left := 500; left > 0; left-- {
					if refused.Load() {
						left = min(left, 50)
					}
					if _, err := r.Problem(b.Ctx, p.ID, ident.None, bench.Everything); err != nil {
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
			case <-b.Ctx.Done(): // no View began
			}
			defer closed.Store(true)
			if err := b.Store.Close(); err != nil {
				return fmt.Errorf("Close: %w", err)
			}
			if !viewed.Load() {
				return fmt.Errorf("Close returned while a View was under way")
			}
			return nil
		}
		for {
			if err := b.Going(); err != nil {
				return err
			}
			after := closed.Load()
			comment := store.AddComment{Problem: p.ID, Comment: b.Comment("before the end")}
			if _, err := b.Store.Commit(b.Ctx, b.Change(comment)); err != nil || after {
				refused.Store(true)
				return bench.Failure("Commit", fault.Closed, err)
			}
		}
	})
}

// Raise raises the highest number so far.
func Raise(highest *atomic.Int64, to int64) {
	for old := highest.Load(); old < to && !highest.CompareAndSwap(old, to); old = highest.Load() {
	}
}
