package steps

import (
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
)

// span is the time of a Commit, by a counter of calls and returns.
type span struct{ called, returned int64 }

// AtOnce has writers commit one effect at a time, and compares the list with the times of
// the Commits. A Commit that returned before another was called must come first.
func AtOnce(b *bench.Bench, effect func(id ident.ID) store.Effect, list func() []ident.ID) {
	b.Helper()
	const rounds = 10
	ids := b.Backwards(bench.Writers * rounds)
	spans := make(map[ident.ID]span)
	var mu sync.Mutex
	var clock, taken atomic.Int64
	b.Together(bench.Writers, func(int) error {
		for range rounds {
			id := ids[taken.Add(1)-1]
			change := b.Change(effect(id))
			called := clock.Add(1)
			if _, err := b.Store.Commit(b.Ctx, change); err != nil {
				return fmt.Errorf("Commit: %w", err)
			}
			returned := clock.Add(1)
			mu.Lock()
			spans[id] = span{called, returned}
			mu.Unlock()
		}
		return nil
	})
	shown := list()
	b.Equal("the list, sorted", slices.SortedFunc(slices.Values(ids), ident.ID.Compare), slices.SortedFunc(slices.Values(shown), ident.ID.Compare))
	latest := int64(0) // call of those so far
	for i, id := range shown {
		if spans[id].returned < latest {
			b.Failf("the element %d was committed before the call of an earlier one", i)
		}
		latest = max(latest, spans[id].called)
	}
}
