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
	return each(parts, append(rest, position...))
}

// byPlace divides a search by number likewise, into one part for each component or milestone that
// the problem may have, and returns the order of each. It returns nil beside another condition with
// an index of its own, which may have fewer problems.
//
// A part asks for a range of one value, in the order of the column. So PostgreSQL has to use the index
// on the column and the number. It could otherwise walk all problems by number, and those of a new
// milestone come last.
func (c *compiler) byPlace(conditions []fragment, keys []sortKey, position ...fragment) (parts []fragment, number string) {
	if len(keys) > 0 && !keys[0].isNumber() {
		return nil, ""
	}
	at := -1
	for i, f := range conditions {
		switch {
		case !f.keyed:
		case at >= 0 || f.choice == nil || f.choice.column != "p.component" && f.choice.column != "p.milestone":
			return nil, ""
		default:
			at = i
		}
	}
	if at < 0 {
		return nil, ""
	}
	place := conditions[at].choice
	for _, id := range place.ids {
		parts = append(parts, text(place.column+" BETWEEN ", argument(c.ID(id)), " AND ", argument(c.ID(id))))
	}
	number = place.column + ", p.id"
	if len(keys) > 0 && keys[0].descending {
		number = place.column + " DESC, p.id"
	}
	return each(parts, append(slices.Delete(slices.Clone(conditions), at, at+1), position...)), number
}

// each adds the rest of the conditions to each part. It returns nil when the statement would be too
// long.
func each(parts, rest []fragment) []fragment {
	where := and(rest...)
	if n := len(parts); n > mostParts || n*len(where.sql) > mostPartBytes || n*len(where.args) > mostPartArgs {
		return nil
	}
	for i, part := range parts {
		parts[i] = and(where, part)
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
