package sqlsearch

import (
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/pushdown"
	"github.com/problemtracking/problems/domain/search"
	"github.com/problemtracking/problems/domain/store"
)

// longList is the length of the longest list of identifiers that is always used, because
// an index helps with it. A longer list gives way to a shorter complement.
const longList = 100

// partOfFew is the ratio of excluded to chosen objects for a choice to have few rows.
const partOfFew = 4

// reference returns a condition on nothing but a reference to a metadata object or user.
// The condition is evaluated here for each object, and for nil. The result is a list of
// identifiers for the column.
func (c *compiler) reference(cond predicate.Cond, slot int, steps []*predicate.Key) (fragment, error) {
	v, err := c.variable(slot)
	if err != nil {
		return fragment{}, err
	}
	v, key, err := c.reach(nil, v, steps)
	if err != nil {
		return fragment{}, err
	}
	column, err := c.value(v, key)
	if err != nil {
		return fragment{}, err
	}
	entity := v.entity
	if key != nil {
		entity = key.Type.Entity
	}
	ids, err := search.Identifiers(c.catalogue, entity)
	if err != nil {
		return fragment{}, err
	}
	holds, err := pushdown.Referring(c.ctx, cond)
	if err != nil {
		return fragment{}, err
	}
	var yes, no []ident.ID
	for id := range ids {
		if err := store.Ended(c.ctx); err != nil {
			return fragment{}, err
		}
		chosen, err := holds(search.Metadata(c.catalogue, entity, id))
		if err != nil {
			return fragment{}, c.ended(err)
		}
		if chosen {
			yes = append(yes, id)
		} else {
			no = append(no, id)
		}
	}
	none := false
	if column.nullable {
		if none, err = holds(nil); err != nil {
			return fragment{}, c.ended(err)
		}
	}
	condition := c.among(column, yes, no, none)
	if column.root && (len(no) > 0 || !none) { // and not always true
		condition.choice = &choice{column.sql, yes, none}
	}
	return condition, nil
}

// ended returns the error of an evaluation. The error of an ended context becomes a fault.
func (c *compiler) ended(err error) error {
	if ended := store.Ended(c.ctx); ended != nil {
		return ended
	}
	return err
}

// among returns the condition for a reference to lead to one of the objects in yes; all
// others are in no. With none, the reference may also be NULL. "+" keeps SQLite from the index.
func (c *compiler) among(column operand, yes, no []ident.ID, none bool) fragment {
	if c.Walk && column.root {
		column.sql, column.indexed = "+"+column.sql, false
	}
	list := func(ids []ident.ID) fragment {
		if len(ids) == 1 { // equality keeps the order of the index
			return text(column.fragment, " = ", argument(c.ID(ids[0])))
		}
		return text(column.fragment, " ", fragment{sql: c.InList, args: []any{c.IDs(ids)}})
	}
	switch short := len(yes) <= longList || len(yes) <= len(no); {
	case len(no) == 0 && (none || !column.nullable):
		return constant(true)
	case len(yes) == 0 && none:
		return text(column.fragment, " IS NULL")
	case len(yes) == 0:
		return constant(false)
	case len(no) == 0:
		return text(column.fragment, " IS NOT NULL")
	case none && len(no) <= len(yes), none && !short:
		return not(list(no))
	case none:
		return text("(", column.fragment, " IS NULL OR ", list(yes), ")")
	case !short:
		return text("(", column.fragment, " IS NOT NULL AND ", not(list(no)), ")")
	}
	found := list(yes)
	found.keyed = column.indexed && (len(yes) == 1 || len(yes) <= len(no)/partOfFew)
	if found.few = found.keyed && column.root; found.few {
		rows := text("problems p WHERE ", found)
		found.rows = &rows
	}
	return found
}
