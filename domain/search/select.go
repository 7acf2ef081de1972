package search

import (
	"context"
	"iter"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/eval"
	"github.com/problemtracking/problems/domain/predicate/pushdown"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// batchSize is the number of problems to load parts for at a time.
const batchSize = 100

// Select finds the results of the query among the snapshots. The snapshots must be all
// problems in the view of q.As, each once; those ruled out by Fields may be missing.
// They must be in ascending order of their numbers when the query has no Sort. Their nil
// parts count as not loaded. Select ignores the catalogue's version and the data of
// related problems.
//
// Select keeps the promises of store.Reader.Search: it returns the hits in the query's
// order, or fault.QueryTooExpensive for too many candidates. It returns an error of the
// snapshots unchanged.
//
// It holds fewer than twice q.Limit hits and a batch of problems at a time.
func Select(ctx context.Context, q store.Query, problems *Problems, snapshots iter.Seq2[snapshot.Snapshot, error]) ([]store.Hit, error) {
	compiled, residual := pushdown.Split(q.Plan)
	where := predicate.And{Conds: compiled}
	evaluator := eval.New(ctx)
	candidates := func(yield func(*problemEntry, error) bool) {
		e := &problemEntry{}
		for s, err := range snapshots {
			if err == nil {
				err = store.Ended(ctx)
			}
			if err != nil {
				yield(nil, err)
				return
			}
			e.fill(problems, &s)
			if residual == nil && behind(q, e) {
				continue // not counted anywhere
			}
			holds, err := e.satisfies(evaluator, where)
			switch {
			case err != nil:
				yield(nil, ended(ctx, err))
				return
			case !holds: // usual, so the entry is reused
			case !yield(e, nil):
				return
			default:
				e = &problemEntry{}
			}
		}
	}
	return choose(ctx, q, residual, problems, evaluator, candidates)
}

// Residual is Select for a store with an evaluation of its own for the compiled
// conditions of pushdown.Split. residual is the residual of Split; it can be nil.
// The candidates are all problems under these conditions, including those excluded by
// q.After. They must be in ascending order of their numbers when the query has no Sort.
// With a residual, Residual fails with fault.QueryTooExpensive at more than
// store.MostCandidates.
func Residual(ctx context.Context, q store.Query, residual *predicate.Plan, problems *Problems, candidates iter.Seq2[snapshot.Snapshot, error]) ([]store.Hit, error) {
	entries := func(yield func(*problemEntry, error) bool) {
		for s, err := range candidates {
			if err == nil {
				err = store.Ended(ctx)
			}
			if !yield(problems.entry(s), err) || err != nil {
				return
			}
		}
	}
	return choose(ctx, q, residual, problems, eval.New(ctx), entries)
}

// choose returns the hits among the candidates.
func choose(ctx context.Context, q store.Query, residual *predicate.Plan, problems *Problems, evaluator *eval.Evaluator, candidates iter.Seq2[*problemEntry, error]) ([]store.Hit, error) {
	s := selection{
		query: q, residual: residual, problems: problems, evaluator: evaluator,
		best: best[store.Hit]{limit: q.Limit, compare: func(a, b store.Hit) int { return compareHits(q.Sort, a, b) }},
	}
	if residual != nil {
		s.needs = needsOf(residual)
	}
	count := 0
	for e, err := range candidates {
		if err != nil {
			return nil, err
		}
		if count++; residual != nil && count > store.MostCandidates {
			return nil, TooExpensive()
		}
		switch {
		case s.full() && residual == nil:
			return s.best.sorted(), nil
		case s.full(), behind(q, e): // only count it
			continue
		}
		if s.batch = append(s.batch, e); len(s.batch) == batchSize {
			if err := s.try(ctx); err != nil {
				return nil, err
			}
		}
	}
	if err := s.try(ctx); err != nil {
		return nil, err
	}
	return s.best.sorted(), nil
}

// TooExpensive returns the error of a query with too many candidates.
func TooExpensive() error {
	return fault.New(fault.QueryTooExpensive,
		"more than %d problems would have to be looked at one by one: add a condition that the store can decide by itself, such as one on the state or on a date", store.MostCandidates)
}

// ended returns the error of an evaluation. The error of an ended context becomes a
// fault.
func ended(ctx context.Context, err error) error {
	if err != nil && err == ctx.Err() {
		return store.Ended(ctx)
	}
	return err
}

// behind reports whether the query continues after the problem. It decides by the number
// alone.
func behind(q store.Query, e *problemEntry) bool {
	return len(q.Sort) == 0 && q.After != nil && e.snapshot.ID <= q.After.ID
}

// selection is the state of a search.
type selection struct {
	query     store.Query
	residual  *predicate.Plan // nil: no further condition
	needs     needs
	problems  *Problems
	evaluator *eval.Evaluator
	batch     []*problemEntry
	best      best[store.Hit]
}

// full reports whether no later candidate can be among the hits.
func (s *selection) full() bool {
	return len(s.query.Sort) == 0 && len(s.best.items) >= s.query.Limit
}

// try adds the entries of the batch under the residual, and empties the batch.
func (s *selection) try(ctx context.Context) error {
	if err := s.problems.preload(ctx, s.needs, s.batch); err != nil {
		return err
	}
	for _, e := range s.batch {
		if s.residual != nil {
			holds, err := e.satisfies(s.evaluator, s.residual.Where)
			if err != nil {
				return ended(ctx, err)
			}
			if !holds {
				continue
			}
		}
		keys, err := keysOf(s.evaluator, s.query.Sort, e)
		if err != nil {
			return ended(ctx, err)
		}
		hit := store.Hit{ID: e.snapshot.ID, Revision: e.snapshot.Revision, Keys: keys}
		if s.query.After == nil || compareHits(s.query.Sort, hit, *s.query.After) > 0 {
			s.best.add(hit)
		}
	}
	clear(s.batch)
	s.batch = s.batch[:0]
	return nil
}
