package search

import (
	"context"
	"iter"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/store"
)

// batchSize is how many problems have what a plan needs loaded together.
const batchSize = 100

// Select finds what the query asks for among the snapshots. They have to be all
// problems, each once, as q.As sees them, but may lack those that Fields rule out; and
// they have to be in ascending order of their numbers when the query has no Sort. Their
// parts that are nil count as not loaded; the catalogue's version, and what they show of
// related problems, are not used. It returns what store.Reader.Search has to: the hits
// in the query's order, or fault.QueryTooExpensive when there are too many candidates.
// An error of the snapshots is returned as it is.
//
// It holds fewer than twice q.Limit hits and a batch of problems at a time.
func Select(ctx context.Context, q store.Query, problems *Problems, snapshots iter.Seq2[store.Snapshot, error]) ([]store.Hit, error) {
	compiled, residual := q.Plan.Split()
	where := predicate.And{Conds: compiled}
	evaluator := predicate.NewEvaluator(ctx)
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
				continue // and nobody counts it
			}
			holds, err := evaluator.Holds(where, e)
			switch {
			case err != nil:
				yield(nil, ended(ctx, err))
				return
			case !holds: // most, so that their entry is used again
			case !yield(e, nil):
				return
			default:
				e = &problemEntry{}
			}
		}
	}
	return choose(ctx, q, residual, problems, evaluator, candidates)
}

// Residual is Select for a store that tries by itself the conditions that
// predicate.Plan.Split says a store can try. It gets the residual of Split, which can
// be nil, and the problems that satisfy those conditions: the candidates, whether or
// not q.After leaves them out. With a residual, it fails with
// fault.QueryTooExpensive when there is one more than store.MostCandidates. They have
// to be in ascending order of their numbers when the query has no Sort.
func Residual(ctx context.Context, q store.Query, residual *predicate.Plan, problems *Problems, candidates iter.Seq2[store.Snapshot, error]) ([]store.Hit, error) {
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
	return choose(ctx, q, residual, problems, predicate.NewEvaluator(ctx), entries)
}

// choose returns the hits among the candidates.
func choose(ctx context.Context, q store.Query, residual *predicate.Plan, problems *Problems, evaluator *predicate.Evaluator, candidates iter.Seq2[*problemEntry, error]) ([]store.Hit, error) {
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
		case s.full(), behind(q, e): // counted, and nothing else
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

// TooExpensive returns the error of a query that leaves too many candidates.
func TooExpensive() error {
	return fault.New(fault.QueryTooExpensive,
		"more than %d problems would have to be looked at one by one: add a condition that the store can decide by itself, such as one on the state or on a date", store.MostCandidates)
}

// ended returns the error of an evaluation, which is a fault when it is that of a
// context that has ended.
func ended(ctx context.Context, err error) error {
	if err != nil && err == ctx.Err() {
		return store.Ended(ctx)
	}
	return err
}

// behind reports whether the query goes on after the problem, as far as its number
// tells.
func behind(q store.Query, e *problemEntry) bool {
	return len(q.Sort) == 0 && q.After != nil && e.snapshot.ID <= q.After.ID
}

// selection is a search under way.
type selection struct {
	query     store.Query
	residual  *predicate.Plan // nil: nothing is left to be tried
	needs     needs
	problems  *Problems
	evaluator *predicate.Evaluator
	batch     []*problemEntry
	best      best[store.Hit]
}

// full reports whether nothing that is still to come can be among the hits.
func (s *selection) full() bool {
	return len(s.query.Sort) == 0 && len(s.best.kept) >= s.query.Limit
}

// try adds those of the batch that satisfy the residual, and empties it.
func (s *selection) try(ctx context.Context) error {
	if err := s.problems.ahead(ctx, s.needs, s.batch); err != nil {
		return err
	}
	for _, e := range s.batch {
		if s.residual != nil {
			holds, err := s.evaluator.Holds(s.residual.Where, e)
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
