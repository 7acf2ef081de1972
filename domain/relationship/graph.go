package relationship

import (
	"slices"

	"github.com/problemtracking/problems/domain/problem"
)

// Occupies reports whether r stands where a relationship of type t to other would
// stand: two problems have at most one in each family (D7). If r's type is t,
// adding t changes nothing; if it is the mirror, t is in conflict with it, for a
// type cannot be changed in place (spec section 2).
func (r Relationship) Occupies(t Type, other problem.ID) bool {
	return r.Other == other && (r.Type == t || r.Type == t.Mirror())
}

// Search looks for the cycle that a new relationship would close in its family
// (D7). It is a breadth-first search that knows no store: as long as it is not
// Done, its user loads the relationships of the Frontier and hands them to
// Expand, all of one moment.
type Search struct {
	forward  Type
	from, to problem.ID // the new edge, in forward direction
	// before leads from every problem reached to the one that it was reached
	// from, and so back to to.
	before   map[problem.ID]problem.ID
	frontier []problem.ID
	done     bool
}

// NewSearch returns the search for the cycle that a relationship of type t from
// one problem to another would close. It is Done at once when t is of a family
// without direction, which knows no cycles, and when the two are the same problem.
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

// Type returns the type of the relationships that Expand needs: the forward one
// of the family.
func (s *Search) Type() Type { return s.forward }

// Frontier returns the problems whose relationships are needed next. It is not
// to be modified, and is meaningless when the search is Done.
func (s *Search) Frontier() []problem.ID { return s.frontier }

// Expand takes all relationships of Type that the problems of the Frontier have,
// in any order.
func (s *Search) Expand(edges []Relationship) {
	next := make(map[problem.ID][]problem.ID, len(s.frontier))
	for _, e := range edges {
		if e.Type == s.forward {
			next[e.Owner] = append(next[e.Owner], e.Other)
		}
	}
	// The frontier is in the order of the paths that lead to it, and stays so:
	// whatever is reached first is reached by the smallest path.
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

// Done reports whether the search has ended. Path then tells how.
func (s *Search) Done() bool { return s.done }

// Path returns the cycle that the new relationship would close, in forward
// direction: it starts and ends with the problem that the new edge leads from,
// and the one that it leads to comes second. It is the shortest one; of several,
// the one with the smallest identifiers, compared from the start. Path returns
// nil when there is none, and as long as the search is not Done.
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
