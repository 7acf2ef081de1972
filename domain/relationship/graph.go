package relationship

import (
	"maps"
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

// Search looks for the cycle closed by a new relationship in its family (D7): for a path from
// the end of the new edge to its start. It is a breadth-first search from both, without access to a
// store, so it needs the smaller of both sides alone to find none. Until it is Done, its caller
// loads the relationships of the Frontier and passes them to Expand, all of one moment.
type Search struct {
	from, to      problem.ID // the new edge, in forward direction
	ahead, behind reach      // from the field to, and against the direction from the field from
	// met is true when there is a path. The search goes on ahead alone, to the smallest one.
	met  bool
	done bool
}

// reach is what relationships of a type reach from a problem.
type reach struct {
	by Type
	// before maps each reached problem to the one before it.
	before   map[problem.ID]problem.ID
	frontier []problem.ID
}

func reachFrom(start problem.ID, by Type) reach {
	return reach{by, map[problem.ID]problem.ID{start: 0}, []problem.ID{start}}
}

// NewSearch returns the search for a cycle closed by a relationship of type t from one
// problem to another. It is Done at once for a family without direction, because such a
// family has no cycles, and for a problem and itself.
func NewSearch(from, to problem.ID, t Type) *Search {
	family, _ := t.Family()
	if t != family.Forward {
		from, to = to, from
	}
	s := &Search{from: from, to: to, done: true}
	if family.Directed() {
		s.ahead, s.behind = reachFrom(to, family.Forward), reachFrom(from, family.Backward)
		s.done = from == to
	}
	return s
}

// next returns the side with the smaller frontier.
func (s *Search) next() *reach {
	if s.met || len(s.ahead.frontier) <= len(s.behind.frontier) {
		return &s.ahead
	}
	return &s.behind
}

// Frontier returns the problems to load relationships of next, and the type of these. It must not
// be modified. It has no meaning after the search is Done.
func (s *Search) Frontier() (Type, []problem.ID) {
	side := s.next()
	return side.by, side.frontier
}

// Expand takes all relationships of the type and the problems of the Frontier, in any order.
func (s *Search) Expand(edges []Relationship) {
	side, other := s.next(), &s.behind
	if side == other {
		other = &s.ahead
	}
	side.expand(edges)
	s.met = s.met || slices.ContainsFunc(side.frontier, func(id problem.ID) bool { _, reached := other.before[id]; return reached })
	_, closed := s.ahead.before[s.from]
	s.done = closed || len(side.frontier) == 0 && !s.met
}

func (r *reach) expand(edges []Relationship) {
	next := make(map[problem.ID][]problem.ID, len(r.frontier))
	for _, e := range edges {
		if e.Type == r.by {
			next[e.Owner] = append(next[e.Owner], e.Other)
		}
	}
	// The frontier is always in the order of its paths. So the first path to a problem is
	// the smallest one.
	var reached []problem.ID
	for _, id := range r.frontier {
		slices.Sort(next[id])
		for _, other := range next[id] {
			if _, known := r.before[other]; !known {
				r.before[other] = id
				reached = append(reached, other)
			}
		}
	}
	r.frontier = reached
}

// Seen returns, in ascending order, the problems by which a search that is Done has found no cycle:
// all that are ahead of the new edge, or all behind it. There is none as long as none of them gets
// another relationship of the family.
func (s *Search) Seen() []problem.ID {
	side := s.ahead
	if len(side.frontier) > 0 {
		side = s.behind
	}
	return slices.Sorted(maps.Keys(side.before))
}

// Done reports whether the search has ended. Path then returns its result.
func (s *Search) Done() bool { return s.done }

// Path returns the cycle closed by the new relationship, in forward direction. It starts
// and ends with the problem at the start of the new edge; the one at its end comes
// second. It is the shortest cycle. Of several, it is the one with the smallest
// identifiers, compared from the start. Path returns nil without a cycle, and until the
// search is Done.
func (s *Search) Path() []problem.ID {
	if _, closed := s.ahead.before[s.from]; !closed {
		return nil
	}
	path := []problem.ID{s.from}
	for id := s.from; id != s.to; {
		id = s.ahead.before[id]
		path = append(path, id)
	}
	path = append(path, s.from)
	slices.Reverse(path)
	return path
}
