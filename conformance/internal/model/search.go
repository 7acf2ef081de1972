package model

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/eval"
	"github.com/problemtracking/problems/domain/predicate/pushdown"
	"github.com/problemtracking/problems/domain/store"
)

// Search evaluates the whole predicate on every problem, sorts the result, and cuts it to
// the page. It shares nothing with package search: the two are compared.
func (w *World) Search(ctx context.Context, q store.Query) ([]store.Hit, error) {
	compiled, residual := pushdown.Split(q.Plan)
	candidates := 0
	var found []store.Hit
	for _, id := range slices.Sorted(maps.Keys(w.AllProblems)) {
		if err := Over(ctx); err != nil {
			return nil, err
		}
		vars := make([]predicate.Value, q.Plan.Slots)
		vars[0] = w.ProblemEntry(id, q.As)
		candidate, err := eval.Holds(ctx, predicate.And{Conds: compiled}, vars)
		if err != nil {
			return nil, stopped(ctx, err)
		}
		if candidate && residual != nil {
			candidates++
		}
		holds, err := eval.Holds(ctx, q.Plan.Where, vars)
		if err != nil {
			return nil, stopped(ctx, err)
		}
		if !holds {
			continue
		}
		hit := store.Hit{ID: id, Revision: w.AllProblems[id].Revision}
		for _, o := range q.Sort {
			key, err := eval.Value(ctx, o.Path, vars)
			if err != nil {
				return nil, stopped(ctx, err)
			}
			hit.Keys = append(hit.Keys, key)
		}
		if q.After == nil || compareHits(q.Sort, *q.After, hit) < 0 {
			found = append(found, hit)
		}
	}
	if candidates > store.MostCandidates {
		return nil, fault.New(fault.QueryTooExpensive, "there are %d candidates", candidates)
	}
	slices.SortFunc(found, func(a, b store.Hit) int { return compareHits(q.Sort, a, b) })
	return found[:min(q.Limit, len(found))], Over(ctx)
}

// stopped returns the fault of an ended context, the reason for the end of an evaluation,
// or else its error.
func stopped(ctx context.Context, err error) error {
	if over := Over(ctx); over != nil {
		return over
	}
	return err
}

// compareHits compares two hits by the order of D31: nil comes last whichever way it
// is sorted, and identifiers ascend.
func compareHits(by []predicate.Order, a, b store.Hit) int {
	for i, o := range by {
		c := predicate.CompareValues(a.Keys[i], b.Keys[i])
		if o.Descending && a.Keys[i] != nil && b.Keys[i] != nil {
			c = -c
		}
		if c != 0 {
			return c
		}
	}
	return cmp.Compare(a.ID, b.ID)
}
