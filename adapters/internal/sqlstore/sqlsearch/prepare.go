package sqlsearch

import (
	"context"
	"errors"
	"slices"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/pushdown"
	"github.com/problemtracking/problems/domain/store"
)

// Search is a search, ready to run: one statement, and how to read its rows.
type Search struct {
	// SQL and Args are the statement. It finds the hits, in the order of the query. With a
	// residual, it finds the numbers of the candidates in ascending order.
	SQL  string
	Args []any
	// Residual is the part of the predicate left by the database; nil when it decides
	// all.
	Residual *predicate.Plan
	// Begin counts the rows at which the search begins by an index, but no more than its last
	// argument; "" for another search, and with a database that knows how many there are.
	Begin     string
	BeginArgs []any
	// keys are the columns of a hit after its number and revision.
	keys []sortKey
}

// Known is what is known of the rows before a search.
type Known struct {
	// Few are the problems that can satisfy the predicate; nil when they are not known.
	Few *Few
	// Many is true when the texts that Seek returns are in many problems.
	Many bool
	// Walk is true when Search.Begin has counted many rows: the search walks the problems in
	// their order.
	Walk bool
}

// Prepare splits the predicate of a query and compiles its conditions, its order and its
// position, in this order, with one compiler.
func Prepare(ctx context.Context, s *Syntax, q store.Query, known Known) (found Search, err error) {
	c := newCompiler(ctx, s, q.Catalogue, q.As)
	c.Known = known
	compiled, residual := s.split(q.Plan)
	found.Residual = residual
	conditions, err := c.search(compiled)
	var statement fragment
	switch {
	case err != nil:
	case residual != nil:
		statement = candidates(conditions)
	default:
		statement, found.keys, err = c.hits(conditions, q)
	}
	if _, ok := errors.AsType[*fault.Error](err); err != nil && !ok {
		err = fault.Wrap(fault.Internal, err, "the store cannot search by this")
	}
	found.SQL, found.Args = statement.sql, statement.args
	found.Begin, found.BeginArgs = c.begin.sql, c.begin.args
	return found, err
}

// split divides a predicate between the database and the service.
func (s *Syntax) split(p *predicate.Plan) (compiled []predicate.Cond, residual *predicate.Plan) {
	if s.Unfolded {
		return pushdown.SplitUnfolded(p)
	}
	return pushdown.Split(p)
}

// Scan reads a row of hits: number, revision and the keys of the order.
func (s Search) Scan(scan func(...any) error, hit *store.Hit) error {
	into := []any{(*int64)(&hit.ID), &hit.Revision}
	values := make([]func() predicate.Value, len(s.keys))
	for i, key := range s.keys {
		var dest any
		dest, values[i] = key.into()
		into = append(into, dest)
	}
	if err := scan(into...); err != nil {
		return err
	}
	hit.Keys = make([]predicate.Value, len(s.keys))
	for i, value := range values {
		hit.Keys[i] = value()
	}
	return nil
}

// candidates returns the statement for the problems that satisfy the conditions. Its
// limit is one more than the most problems for a residual. MATERIALIZED has the database
// find all of them before it returns the first.
func candidates(conditions []fragment) fragment {
	where := and(conditions...)
	return text("WITH found AS MATERIALIZED (SELECT p.id AS id FROM problems p WHERE ", where,
		" ORDER BY "+byNumber(where)+" LIMIT ", argument(store.MostCandidates+1), ") SELECT id FROM found ORDER BY id")
}

// hits returns the statement for the first hits of a query: their numbers, revisions
// and keys. MATERIALIZED lets SQLite find all of them in its first step: later steps
// cannot be interrupted.
func (c *compiler) hits(conditions []fragment, q store.Query) (fragment, []sortKey, error) {
	keys, err := c.sortKeys(q.Sort)
	if err != nil {
		return fragment{}, nil, err
	}
	var position []fragment
	sorted := keys
	if q.After != nil {
		after, err := behind(keys, *q.After)
		if err != nil {
			return fragment{}, nil, err
		}
		position = append(position, after)
		if len(keys) > 0 && q.After.Keys[0] == nil {
			sorted = keys[1:] // the first is nil for all
		}
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
		limit := argument(q.Limit)
		if c.Blind && !where.keyed && len(keys) > 0 && keys[0].walked() {
			// The cast hides the limit. SQLite takes the sort for a small one as free, and would read all
			// problems to sort them, beside an index that has their order.
			limit = text("CAST(", limit, " AS BIGINT)")
		}
		return text("SELECT ", columns, " FROM "+from+" WHERE ", where, orderBy(sorted, number)+" LIMIT ", limit)
	}
	var found fragment
	parts, number := c.byState(conditions, keys, position...), "p.id"
	if parts == nil {
		parts, number = c.byPlace(conditions, keys, position...)
	}
	if parts != nil {
		found = firstOf(parts, first, keys, number, q.Limit)
	} else {
		where := and(append(slices.Clip(conditions), position...)...)
		found = first(where, byNumber(where))
		c.beginAt(conditions, keys)
	}
	if q.After != nil && len(keys) > 0 && keys[0].nullable && q.After.Keys[0] != nil {
		// What has no value comes when the others do not fill the page.
		with = text(with, "valued AS MATERIALIZED (", found, "), ")
		where := and(append(slices.Clip(conditions), text(keys[0].fragment, " IS NULL"))...)
		sorted = keys[1:]
		found = text("SELECT * FROM valued UNION ALL SELECT * FROM (", first(where, byNumber(where)), " - (SELECT count(*) FROM valued)) AS lacking")
	}
	return text(with, "found AS MATERIALIZED (", found, ") SELECT "+names+" FROM found"+orderBy(keys, "id")), keys, nil
}

// beginAt has the rows of the one condition with an index counted. It leaves them where a walk may have
// to look at all problems: without an index in the order, for what is late in it, and beside another
// condition than one on the state, which can leave few of many.
func (c *compiler) beginAt(conditions []fragment, keys []sortKey) {
	if !c.Blind || len(keys) > 0 && !keys[0].walked() {
		return
	}
	var rows *fragment
	for _, f := range conditions {
		switch {
		case f.choice != nil && f.choice.column == "p.state":
		case f.rows == nil || rows != nil || f.late && (len(keys) == 0 || !keys[0].descending):
			return
		default:
			rows = f.rows
		}
	}
	if rows != nil {
		c.begin = text("SELECT count(*) FROM (SELECT 1 FROM ", *rows, " LIMIT ?)")
	}
}

// firstOf returns the statement for the first hits of several disjoint conditions: the
// first hits of each, and the first of these. number is the order of each by number.
func firstOf(conditions []fragment, first func(where fragment, number string) fragment, keys []sortKey, number string, limit int) fragment {
	var all fragment
	for i, where := range conditions {
		if i > 0 {
			all = text(all, " UNION ALL ")
		}
		all = text(all, "SELECT * FROM (", first(where, number), ") AS part")
	}
	return text("SELECT * FROM (", all, ") AS parts"+orderBy(keys, "id")+" LIMIT ", argument(limit))
}

// byNumber returns the order by the number of the problem. "+p.id" keeps the databases
// from the index on it. They would walk all problems in order until there are enough.
// That is slow for a condition with few problems, all of them late in the order.
func byNumber(where fragment) string {
	if where.few {
		return "+p.id"
	}
	return "p.id"
}
