package sqlstore

import (
	"slices"

	"github.com/problemtracking/problems/domain/ident"
)

// choice says that a column of the problem refers to one of the objects, or, if none
// is true, may refer to nothing.
type choice struct {
	column string
	ids    []ident.ID
	none   bool
}

// A condition is not repeated for more states than this, and not when that makes a
// statement of more bytes or arguments, of which databases have their limits.
const (
	mostParts     = 16
	mostPartBytes = 32 << 10
	mostPartArgs  = 1000
)

// byState divides what is searched among the problems of one assignee into those of each
// state. The index has these in the order of their numbers, so that the first ones
// of each part are found at once, however many problems the assignee has, and
// however many of them are closed. It returns nil when that does not help.
func (c *compiler) byState(conditions []fragment) (parts []fragment) {
	of := func(column string) int {
		return slices.IndexFunc(conditions, func(f fragment) bool { return f.choice != nil && f.choice.column == column })
	}
	if i := of("p.assignee"); i < 0 || conditions[i].choice.none || len(conditions[i].choice.ids) != 1 {
		return nil
	}
	states, rest := c.anyState(), slices.Clone(conditions)
	if i := of("p.state"); i >= 0 {
		states, rest = conditions[i].choice, slices.Delete(rest, i, i+1)
	}
	for _, id := range states.ids {
		parts = append(parts, text("p.state = ", argument(c.ID(id))))
	}
	if states.none {
		parts = append(parts, text("p.state IS NULL"))
	}
	where := and(rest...)
	if n := len(parts); n > mostParts || n*len(where.sql) > mostPartBytes || n*len(where.args) > mostPartArgs {
		return nil
	}
	for i, state := range parts {
		parts[i] = and(where, state)
	}
	return parts
}

// anyState is the choice of all states, and of none.
func (c *compiler) anyState() *choice {
	all := &choice{none: true}
	for _, state := range c.catalogue.Content().States {
		all.ids = append(all.ids, state.ID)
	}
	return all
}
