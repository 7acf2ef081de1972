package relationship

import (
	"slices"

	"github.com/problemtracking/problems/domain/problem"
)

// Occupies reports whether r conflicts with, or equals, a relationship of type t to
// other. Two problems have at most one relationship in each family (D7). If r's type is
// t, adding t changes nothing. If it is the mirror, t is in conflict with it: a type
// cannot be changed in place (spec section 2).
func (r Relationship) Occupies(t Type, other problem.ID) bool {
	return r.Other == other && (r.Type == t || r.Type == t.Mirror())
}

// Search looks for the cycle closed by a new relationship in its family (D7). It is a
// breadth-first search without access to a store. Until it is Done, its caller loads the
// relationships of the Frontier and passes them to Expand, all of one moment.
type Search struct {
	forward  Type
	from, to problem.ID // the new edge, in forward direction
	// before maps each reached problem to the one before it. So it leads back to
	// the field to.
	before   map[problem.ID]problem.ID
	frontier []problem.ID
	done     bool
}

// NewSearch returns the search for a cycle closed by a relationship of type t from one
// problem to another. It is Done at once for a family without direction, because such a
// family has no cycles, and for a problem and itself.
func NewSearch(from, to problem.ID, t Type) *Search {
	family, _ := t.Family()
	if t != family.Forward {
		from, to = to, from
	}
	s := &Search{forward: family.Forward, from: from, to: to, done: true}
	if family.Directed() {
		s.before = map[problem.ID]problem.ID{to: 0}
		s.frontier = []problem.ID{to}
		s.done = from == to
	}
	return s
}

// Type returns the type of the relationships for Expand: the forward one of the family.
func (s *Search) Type() Type { return s.forward }

// Frontier returns the problems to load relationships of next. It must not be modified.
// It has no meaning after the search is Done.
func (s *Search) Frontier() []problem.ID { return s.frontier }

// Expand takes all relationships of Type of the problems of the Frontier, in any order.
func (s *Search) Expand(edges []Relationship) {
	next := make(map[problem.ID][]problem.ID, len(s.frontier))
	for _, e := range edges {
		if e.Type == s.forward {
			next[e.Owner] = append(next[e.Owner], e.Other)
		}
	}
	// The frontier is always in the order of its paths. So the first path to a problem is
	// the smallest one.
	var reached []problem.ID
	for _, id := range s.frontier {
		slices.Sort(next[id])
		for _, other := range next[id] {
			if _, known := s.before[other]; !known {
				s.before[other] = id
				reached = append(reached, other)
			}
		}
	}
	s.frontier = reached
	_, closed := s.before[s.from]
	s.done = closed || len(reached) == 0
}

// Done reports whether the search has ended. Path then returns its result.
func (s *Search) Done() bool { return s.done }

// Path returns the cycle closed by the new relationship, in forward direction. It starts
// and ends with the problem at the start of the new edge; the one at its end comes
// second. It is the shortest cycle. Of several, it is the one with the smallest
// identifiers, compared from the start. Path returns nil without a cycle, and until the
// search is Done.
func (s *Search) Path() []problem.ID {
	if _, closed := s.before[s.from]; !closed {
		return nil
	}
	path := []problem.ID{s.from}
	for id := s.from; id != s.to; {
		id = s.before[id]
		path = append(path, id)
	}
	path = append(path, s.from)
	slices.Reverse(path)
	return path
}
