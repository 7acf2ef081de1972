package sqlsearch

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

// byState divides a search into one part for each state, so that the database finds the
// first hits of each part at once in an index. It returns nil when no index has the order
// of the keys for one state.
//
// Indexes have the problems of a state, and those of an assignee and a state: one each by their
// number, and one each by their latest change.
//
// Beside another condition, the problems of a state by number are left to the database. Where most
// have such a state, and few satisfy the condition, to walk each state takes longer than one scan.
func (c *compiler) byState(conditions []fragment, keys []sortKey, position ...fragment) (parts []fragment) {
	of := func(column string) int {
		return slices.IndexFunc(conditions, func(f fragment) bool { return f.choice != nil && f.choice.column == column })
	}
	assignee, state := of("p.assignee"), of("p.state")
	ofOne := assignee >= 0 && !conditions[assignee].choice.none && len(conditions[assignee].choice.ids) == 1
	byNumber := len(keys) == 0 || keys[0].isNumber()
	switch {
	case byNumber && (ofOne || state >= 0 && len(conditions) == 1):
	case len(keys) == 1 && keys[0].sql == "p.modified" && (ofOne || state >= 0):
		// Another condition with an index of its own has fewer problems than a state.
		for i, f := range conditions {
			if f.keyed && i != state && (i != assignee || !ofOne) {
				return nil
			}
		}
	default:
		return nil
	}
	states, rest := c.anyState(), slices.Clone(conditions)
	if state >= 0 {
		states, rest = conditions[state].choice, slices.Delete(rest, state, state+1)
	}
	for _, id := range states.ids {
		parts = append(parts, text("p.state = ", argument(c.ID(id))))
	}
	if states.none {
		parts = append(parts, text("p.state IS NULL"))
	}
	where := and(append(rest, position...)...)
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
