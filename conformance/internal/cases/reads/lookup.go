package reads

import (
	"context"
	"slices"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/store"
)

// lookUp looks up each key, and compares the answer with the wanted record of this key. Keys
// without one have none in the store either. what is the noun for a record.
func lookUp[K comparable, T any](b *bench.Bench, what string, keys []K, want []T, key func(T) K, get func(store.Reader, context.Context, K) (T, bool, error)) {
	b.Helper()
	for _, k := range keys {
		i := slices.IndexFunc(want, func(record T) bool { return key(record) == k })
		b.View(func(r store.Reader) error {
			got, ok, err := get(r, b.Ctx, k)
			b.Equal("whether there is a "+what, i >= 0, ok)
			if ok && i >= 0 {
				b.Equal("the "+what, want[i], got)
			}
			return err
		})
	}
}
