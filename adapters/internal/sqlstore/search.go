package sqlstore

import (
	"context"
	"errors"
	"iter"
	"slices"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/search"
	"github.com/problemtracking/problems/domain/store"
)

// Search implements store.Reader. The database decides what it can. When something is
// left to be looked at, all problems that it has not ruled out are.
func (r Reader) Search(ctx context.Context, q store.Query) ([]store.Hit, error) {
	if err := store.Ended(ctx); err != nil {
		return nil, err
	}
	compiled, residual := q.Plan.Split()
	c := newCompiler(ctx, r.Dialect, q.Catalogue, q.As)
	conditions, err := c.search(compiled)
	if err != nil {
		return nil, uncompiled(err)
	}
	if residual == nil {
		return r.hits(ctx, c, conditions, q)
	}
	where := and(conditions...)
	var ids []problem.ID
	err = r.ReadOnce(ctx, rows(&ids, func(scan func(...any) error, id *problem.ID) error { return scan((*int64)(id)) },
		"WITH found AS MATERIALIZED (SELECT p.id AS id FROM problems p WHERE "+where.sql+" ORDER BY "+byNumber(where)+" LIMIT ?) SELECT id FROM found ORDER BY id",
		append(where.args, store.MostCandidates+1)...))
	switch {
	case err != nil:
		return nil, err
	case len(ids) > store.MostCandidates:
		return nil, search.TooExpensive()
	}
	return search.Residual(ctx, q, residual, search.NewProblems(r, q.Catalogue, q.As), r.candidates(ctx, ids, q))
}

// together is how many candidates are read together.
const together = 500

// candidates reads problems one after the other.
func (r Reader) candidates(ctx context.Context, ids []problem.ID, q store.Query) iter.Seq2[store.Snapshot, error] {
	return func(yield func(store.Snapshot, error) bool) {
		for some := range slices.Chunk(ids, together) {
			snapshots, err := r.Problems(ctx, some, q.As, 0)
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

// hits returns the first problems that satisfy the conditions, in the query's order.
func (r Reader) hits(ctx context.Context, c *compiler, conditions []fragment, q store.Query) ([]store.Hit, error) {
	statement, keys, err := c.selection(conditions, q)
	if err != nil {
		return nil, uncompiled(err)
	}
	var hits []store.Hit
	err = r.ReadOnce(ctx, rows(&hits, func(scan func(...any) error, hit *store.Hit) error {
		into := []any{(*int64)(&hit.ID), &hit.Revision}
		values := make([]func() predicate.Value, len(keys))
		for i, key := range keys {
			var dest any
			dest, values[i] = key.into()
			into = append(into, dest)
		}
		if err := scan(into...); err != nil {
			return err
		}
		hit.Keys = make([]predicate.Value, len(keys))
		for i, value := range values {
			hit.Keys[i] = value()
		}
		return nil
	}, statement.sql, statement.args...))
	return hits, err
}

// selection returns the statement for the first hits of a query: their numbers,
// revisions and keys. That they are materialised lets SQLite find all of them in its
// first step, which is the one that can be interrupted.
func (c *compiler) selection(conditions []fragment, q store.Query) (fragment, []sortKey, error) {
	keys, err := c.sortKeys(q.Sort)
	if err != nil {
		return fragment{}, nil, err
	}
	if q.After != nil {
		place, err := behind(keys, *q.After)
		if err != nil {
			return fragment{}, nil, err
		}
		conditions = append(slices.Clip(conditions), place)
	}
	with, names, columns, from := text("WITH "), "id, revision", text("p.id AS id, p.revision AS revision"), "problems p"
	for _, key := range keys {
		if key.on != "" {
			with = text(with, key.ranksOf()+" AS MATERIALIZED (", key.ranks, "), ")
			from += " LEFT JOIN " + key.ranksOf() + " ON " + key.ranksOf() + ".id = " + key.on
		}
		names += ", " + key.name
		columns = text(columns, ", ", key.fragment, " AS "+key.name)
	}
	first := func(where fragment, number string) fragment {
		return text("SELECT ", columns, " FROM "+from+" WHERE ", where, orderBy(keys, number)+" LIMIT ", argument(q.Limit))
	}
	var parts []fragment
	if len(keys) == 0 { // no index has another order
		parts = c.byState(conditions)
	}
	var found fragment
	if parts == nil {
		where := and(conditions...)
		found = first(where, byNumber(where))
	} else {
		for i, part := range parts {
			if i > 0 {
				found = text(found, " UNION ALL ")
			}
			found = text(found, "SELECT * FROM (", first(part, "p.id"), ") AS part")
		}
		found = text("SELECT * FROM (", found, ") AS parts ORDER BY id LIMIT ", argument(q.Limit))
	}
	return text(with, "found AS MATERIALIZED (", found, ") SELECT "+names+" FROM found"+orderBy(keys, "id")), keys, nil
}

// byNumber is what sorts by the numbers of problems. When an index finds few that
// satisfy the condition, they are to be found and then sorted: to go through all
// problems in their order until there are enough is what both databases take for
// quicker, and it is not where those are the latest ones.
func byNumber(where fragment) string {
	if where.few {
		return "+p.id"
	}
	return "p.id"
}

// uncompiled returns the fault of a query for which no statement can be made.
func uncompiled(err error) error {
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	return fault.Wrap(fault.Internal, err, "the store cannot search by this")
}
