package sqlstore

import (
	"slices"

	"github.com/problemtracking/problems/domain/ident"
)

// choice limits a column of the problem to references to some objects. With none, it
// may also be NULL.
type choice struct {
	column string
	ids    []ident.ID
	none   bool
}

// Limits for repeating a condition once for each state: databases limit the length of a
// statement and the number of its arguments.
const (
	mostParts     = 16
	mostPartBytes = 32 << 10
	mostPartArgs  = 1000
)

// byState divides a search among the problems of one assignee into one part for each
// state. An index has the problems of an assignee and a state by number, so the database
// finds the first hits of each part at once: even if the assignee has many problems, and
// most of them are closed. It returns nil for other searches.
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

// anyState is the choice of all states, and of NULL.
func (c *compiler) anyState() *choice {
	all := &choice{none: true}
	for _, state := range c.catalogue.Content().States {
		all.ids = append(all.ids, state.ID)
	}
	return all
}
