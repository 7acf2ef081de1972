package search

import (
	"cmp"
	"slices"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/eval"
	"github.com/problemtracking/problems/domain/store"
)

// compareHits orders hits by D31: by their keys, then by ascending identifier. nil comes
// last in ascending and in descending order. The result is negative when a comes before
// b.
func compareHits(sort []predicate.Order, a, b store.Hit) int {
	return cmp.Or(compareKeys(sort, a.Keys, b.Keys), cmp.Compare(a.ID, b.ID))
}

func compareKeys(sort []predicate.Order, a, b []predicate.Value) int {
	for i, key := range sort {
		c := predicate.CompareValues(a[i], b[i])
		if key.Descending && a[i] != nil && b[i] != nil {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return 0
}

// keysOf returns the sort keys of an entry.
func keysOf(evaluator *eval.Evaluator, sort []predicate.Order, e predicate.Entry) ([]predicate.Value, error) {
	keys := make([]predicate.Value, len(sort))
	for i, key := range sort {
		value, err := evaluator.Value(key.Path, e)
		if err != nil {
			return nil, err
		}
		keys[i] = value
	}
	return keys, nil
}

// best collects the first items in an order, up to a limit.
type best[T any] struct {
	limit   int // at least 1
	compare func(a, b T) int
	items   []T // fewer than twice the limit
}

func (b *best[T]) add(v T) {
	if b.items = append(b.items, v); len(b.items) == 2*b.limit {
		b.items = b.sorted()
	}
}

func (b *best[T]) sorted() []T {
	slices.SortFunc(b.items, b.compare)
	return b.items[:min(len(b.items), b.limit)]
}
