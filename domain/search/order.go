package search

import (
	"cmp"
	"slices"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/store"
)

// compareHits orders hits as D31 has it: by their keys, nil first whichever way a key is
// sorted, and then by ascending identifier. It is negative when a comes before b.
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

// keysOf returns the values that an entry is sorted by.
func keysOf(evaluator *predicate.Evaluator, sort []predicate.Order, e predicate.Entry) ([]predicate.Value, error) {
	keys := make([]predicate.Value, len(sort))
	for i, key := range sort {
		value, err := evaluator.Eval(key.Path, e)
		if err != nil {
			return nil, err
		}
		keys[i] = value
	}
	return keys, nil
}

// best keeps the first few of what is added, in an order.
type best[T any] struct {
	limit   int // at least 1
	compare func(a, b T) int
	kept    []T // fewer than twice the limit
}

func (b *best[T]) add(v T) {
	if b.kept = append(b.kept, v); len(b.kept) == 2*b.limit {
		b.kept = b.sorted()
	}
}

func (b *best[T]) sorted() []T {
	slices.SortFunc(b.kept, b.compare)
	return b.kept[:min(len(b.kept), b.limit)]
}
