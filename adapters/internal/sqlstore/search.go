package sqlstore

import (
	"context"
	"iter"
	"math"
	"slices"

	"github.com/problemtracking/problems/adapters/internal/sqlstore/sqlsearch"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/search"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// Search implements store.Reader. A search is prepared once: it becomes one statement,
// and a residual when the database cannot decide all of the predicate. Then it runs.
func (r Reader) Search(ctx context.Context, q store.Query) ([]store.Hit, error) {
	if err := store.Ended(ctx); err != nil {
		return nil, err
	}
	few, many, err := r.few(ctx, q)
	if err != nil {
		return nil, err
	}
	p, err := sqlsearch.Prepare(ctx, &r.Dialect.Syntax.Syntax, q, sqlsearch.Known{Few: few, Many: many})
	if err != nil {
		return nil, err
	}
	if p.Begin != "" {
		if p, err = r.begun(ctx, q, p, many); err != nil {
			return nil, err
		}
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

// few returns the problems that can satisfy the predicate, if an index finds few. many is true
// when the index finds more.
func (r Reader) few(ctx context.Context, q store.Query) (few *sqlsearch.Few, many bool, err error) {
	var lists [][]sqlsearch.Sought
	if r.Parts != nil && !r.Syntax.Unfolded {
		lists = sqlsearch.Seek(&r.Syntax.Syntax, q.Plan)
	}
	if len(lists) == 0 {
		return nil, false, nil
	}
	all, err := r.highest(ctx)
	if err != nil {
		return nil, false, err
	}
	for _, list := range lists[:min(len(lists), mostLists)] {
		if few, err := r.having(ctx, list, most(all, q.Limit)); few != nil || err != nil {
			return few, false, err
		}
	}
	return nil, true, nil
}

// highest returns the highest number of a problem, as the number of all.
func (r Reader) highest(ctx context.Context) (all int64, err error) {
	err = r.Read(ctx, Query{SQL: "SELECT coalesce(max(id), 0) FROM problems", Row: func(scan func(...any) error) error { return scan(&all) }})
	return all, err
}

// most returns how many problems of all are few: to look at each is no slower than to walk all
// problems in order until enough are found. Both take about the same time for half the root of the
// limit times all problems.
func most(all int64, limit int) int { return int(math.Sqrt(float64(all)*float64(limit)) / 2) }

// mostForOne is how many problems a walk may look at for each of those sought, when these come last in
// the order.
const mostForOne = 16

// begun prepares the search anew when it would begin at many rows.
func (r Reader) begun(ctx context.Context, q store.Query, p sqlsearch.Search, many bool) (sqlsearch.Search, error) {
	all, err := r.highest(ctx)
	if err != nil {
		return p, err
	}
	few, rows := max(most(all, q.Limit), int(all/mostForOne)), 0
	err = r.ReadOnce(ctx, Query{SQL: p.Begin, Args: append(p.BeginArgs, few+1), Row: func(scan func(...any) error) error { return scan(&rows) }})
	if err != nil || rows <= few {
		return p, err
	}
	return sqlsearch.Prepare(ctx, &r.Dialect.Syntax.Syntax, q, sqlsearch.Known{Many: many, Walk: true})
}

// mostLists is the number of lists of texts to look for.
const mostLists = 3

// having returns the problems with one of the texts or more, unless they are more than so many.
func (r Reader) having(ctx context.Context, texts []sqlsearch.Sought, most int) (*sqlsearch.Few, error) {
	var few sqlsearch.Few
	for _, s := range texts {
		found, list, err := r.Parts(ctx, r.Session, s, most)
		if most -= found; err != nil || most < 0 || list == nil {
			return nil, err
		}
		if s.Of == predicate.Comment {
			few.Comments = append(few.Comments, list)
		} else {
			few.Problems = append(few.Problems, list)
		}
	}
	return &few, nil
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
func (r Reader) snapshots(ctx context.Context, ids []problem.ID, as ident.ID) iter.Seq2[snapshot.Snapshot, error] {
	return func(yield func(snapshot.Snapshot, error) bool) {
		for batch := range slices.Chunk(ids, candidateBatch) {
			snapshots, err := r.Problems(ctx, batch, as, 0)
			if err != nil {
				yield(snapshot.Snapshot{}, err)
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
