package sqlstore

import (
	"context"
	"iter"
	"slices"

	"github.com/problemtracking/problems/adapters/internal/sqlstore/sqlsearch"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/search"
	"github.com/problemtracking/problems/domain/store"
)

// Search implements store.Reader. A search is prepared once: it becomes one statement,
// and a residual when the database cannot decide all of the predicate. Then it runs.
func (r Reader) Search(ctx context.Context, q store.Query) ([]store.Hit, error) {
	if err := store.Ended(ctx); err != nil {
		return nil, err
	}
	p, err := sqlsearch.Prepare(ctx, &r.Dialect.Syntax.Syntax, q)
	if err != nil {
		return nil, err
	}
	if p.Residual == nil {
		return r.hits(ctx, p)
	}
	ids, err := r.candidates(ctx, p)
	if err != nil {
		return nil, err
	}
	return search.Residual(ctx, q, p.Residual, search.NewProblems(r, q.Catalogue, q.As), r.snapshots(ctx, ids, q.As))
}

// hits runs a search without a residual.
func (r Reader) hits(ctx context.Context, p sqlsearch.Search) (hits []store.Hit, err error) {
	err = r.ReadOnce(ctx, rows(&hits, p.Scan, p.SQL, p.Args...))
	return hits, err
}

// candidates runs a search with a residual. It returns the numbers of the problems to
// evaluate the residual for, in ascending order.
func (r Reader) candidates(ctx context.Context, p sqlsearch.Search) (ids []problem.ID, err error) {
	scan := func(scan func(...any) error, id *problem.ID) error { return scan((*int64)(id)) }
	err = r.ReadOnce(ctx, rows(&ids, scan, p.SQL, p.Args...))
	if err == nil && len(ids) > store.MostCandidates {
		err = search.TooExpensive()
	}
	return ids, err
}

// candidateBatch is the number of candidates to read together.
const candidateBatch = 500

// snapshots reads problems, batch by batch, as the residual is evaluated for them.
func (r Reader) snapshots(ctx context.Context, ids []problem.ID, as ident.ID) iter.Seq2[store.Snapshot, error] {
	return func(yield func(store.Snapshot, error) bool) {
		for batch := range slices.Chunk(ids, candidateBatch) {
			snapshots, err := r.Problems(ctx, batch, as, 0)
			if err != nil {
				yield(store.Snapshot{}, err)
				return
			}
			for _, s := range snapshots {
				if !yield(s, nil) {
					return
				}
			}
		}
	}
}
