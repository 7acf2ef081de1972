package sqlsearch

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/eval"
	"github.com/problemtracking/problems/domain/search"
	"github.com/problemtracking/problems/domain/store"
)

// sortKey is one key of the order of hits: an expression for a text or a number, or NULL.
// NULL comes last in either direction (D31).
type sortKey struct {
	fragment
	name       string // of its column
	kind       predicate.Kind
	nullable   bool
	descending bool
	// A key of a metadata object or user is sorted by the rank of its value: 1
	// for ranked[0], 3 for ranked[1] and so on. The even numbers are for values
	// between these.
	ranks  fragment // the table of the ranks by identifier; its name is ranksOf
	on     string   // the column with the reference to the object
	ranked []predicate.Value
}

func (k sortKey) ranksOf() string { return "ranks_" + k.name }

// isNumber reports whether the key is the number of the problem.
func (k sortKey) isNumber() bool { return k.sql == "p.id" }

// walked reports whether an index has all problems in the order of the key.
func (k sortKey) walked() bool {
	return k.isNumber() || k.sql == "p.created" || k.sql == "p.modified"
}

// sortKeys returns the keys of an order.
func (c *compiler) sortKeys(sort []predicate.Order) ([]sortKey, error) {
	keys := make([]sortKey, len(sort))
	for i, order := range sort {
		key, err := c.sortKey(order.Path, "k"+strconv.Itoa(i))
		if err != nil {
			return nil, err
		}
		key.descending = order.Descending
		keys[i] = key
	}
	return keys, nil
}

func (c *compiler) sortKey(path predicate.Path, name string) (sortKey, error) {
	reference := slices.IndexFunc(path.Steps, func(key *predicate.Key) bool { return key.Type.Entity.IsMetadata() })
	if reference >= 0 {
		return c.ranking(path, reference, name)
	}
	o, err := c.path(path)
	if err != nil {
		return sortKey{}, err
	}
	switch o.kind {
	case predicate.Bool:
		o.fragment = text("CASE WHEN ", o.fragment, " THEN 1 ELSE 0 END")
	case predicate.Int, predicate.String, predicate.Date:
	default:
		return sortKey{}, fmt.Errorf("no SQL for the order of %s", o.kind)
	}
	return sortKey{fragment: o.fragment, name: name, kind: o.kind, nullable: o.nullable}, nil
}

// ranking returns the key for a path through an object of the catalogue. reference is the
// index of the path's step to that object.
func (c *compiler) ranking(path predicate.Path, reference int, name string) (sortKey, error) {
	column, err := c.path(predicate.Path{Slot: path.Slot, Start: path.Start, Steps: path.Steps[:reference+1]})
	if err != nil {
		return sortKey{}, err
	}
	object := path.Steps[reference].Type
	value := predicate.Path{Start: object, Steps: path.Steps[reference+1:]}
	ids, err := search.Identifiers(c.catalogue, object.Entity)
	if err != nil {
		return sortKey{}, err
	}
	key := sortKey{fragment: fragment{}, name: name, kind: predicate.Object, nullable: true, on: column.sql}
	var known []ident.ID
	var values []predicate.Value // of these; none is nil
	evaluator := eval.New(c.ctx)
	for id := range ids {
		if err := store.Ended(c.ctx); err != nil {
			return sortKey{}, err
		}
		v, err := evaluator.Value(value, search.Metadata(c.catalogue, object.Entity, id))
		if err != nil {
			return sortKey{}, c.ended(err)
		}
		if v != nil {
			known, values = append(known, id), append(values, v)
		}
	}
	key.ranked = slices.Clone(values)
	slices.SortFunc(key.ranked, func(a, b predicate.Value) int { return predicate.CompareValues(a, b) })
	key.ranked = slices.CompactFunc(key.ranked, func(a, b predicate.Value) bool { return predicate.CompareValues(a, b) == 0 })
	ranks := make([]int64, len(values))
	for i, v := range values {
		ranks[i] = key.rank(v)
	}
	key.sql = key.ranksOf() + ".rank"
	key.ranks.sql, key.ranks.args = c.Ranks(known, ranks)
	return key, nil
}

// rank returns the rank of a value other than nil.
func (k sortKey) rank(v predicate.Value) int64 {
	i, found := slices.BinarySearchFunc(k.ranked, v, func(a, b predicate.Value) int { return predicate.CompareValues(a, b) })
	if found {
		return int64(2*i + 1)
	}
	return int64(2 * i)
}

// argument returns the value of a key as it is compared; nil is NULL.
func (k sortKey) argument(v predicate.Value) (any, error) {
	if v == nil {
		return nil, nil
	}
	switch k.kind {
	case predicate.Object:
		return k.rank(v), nil
	case predicate.String:
		if s, ok := v.(string); ok {
			return s, nil
		}
	case predicate.Bool:
		if b, ok := v.(bool); ok && b {
			return int64(1), nil
		} else if ok {
			return int64(0), nil
		}
	default:
		if n, at, ok := whole(v); ok && at == exactly {
			return n, nil
		}
	}
	return nil, fmt.Errorf("the cursor has a %T, and the order a %s", v, k.kind)
}

// into returns the destination to scan the key into, and a function for its value.
func (k sortKey) into() (dest any, value func() predicate.Value) {
	if k.kind == predicate.String {
		var s *string
		return &s, func() predicate.Value {
			if s == nil {
				return nil
			}
			return *s
		}
	}
	var n *int64
	return &n, func() predicate.Value {
		switch {
		case n == nil:
			return nil
		case k.kind == predicate.Object:
			return k.ranked[*n/2]
		case k.kind == predicate.Bool:
			return *n != 0
		case k.kind == predicate.Date:
			return time.UnixMicro(*n).UTC()
		}
		return *n
	}
}

// orderBy returns the order by the columns of the keys, and then by the number. A key
// after the number decides nothing.
func orderBy(keys []sortKey, number string) string {
	sql := " ORDER BY "
	for _, k := range keys {
		column := k.name
		if k.isNumber() {
			column = number
		}
		if k.descending {
			column += " DESC"
		}
		if k.isNumber() {
			return sql + column
		}
		sql += column
		if k.nullable {
			sql += " NULLS LAST"
		}
		sql += ", "
	}
	return sql + number
}

// behind returns the condition for a problem to come after a hit. After a hit with a value for the
// first key, it leaves out the problems with nil there: no index has both together.
func behind(keys []sortKey, hit store.Hit) (fragment, error) {
	if len(hit.Keys) != len(keys) {
		return fragment{}, fmt.Errorf("the position is of an order with %d keys; this one has %d", len(hit.Keys), len(keys))
	}
	var either, level []fragment
	for i, k := range keys {
		value, err := k.argument(hit.Keys[i])
		if err != nil {
			return fragment{}, err
		}
		after := " > "
		if k.descending {
			after = " < "
		}
		equal := text(k.fragment, " = ", argument(value))
		if value == nil {
			equal = text(k.fragment, " IS NULL")
		}
		if value != nil {
			beyond := text(k.fragment, after, argument(value))
			if i > 0 && k.nullable {
				beyond = or(beyond, text(k.fragment, " IS NULL"))
			}
			either = append(either, and(append(slices.Clone(level), beyond)...))
		}
		level = append(level, equal)
	}
	either = append(either, and(append(level, text("p.id > ", argument(int64(hit.ID))))...))
	position := or(either...)
	if len(keys) > 0 && hit.Keys[0] != nil {
		// It follows from the rest, and lets the database begin in an index.
		first, value := keys[0], level[0].args[len(level[0].args)-1]
		operator := " >= "
		if first.descending {
			operator = " <= "
		}
		position = and(text(first.fragment, operator, argument(value)), position)
	}
	return position, nil
}
