package tracker

import (
	"context"
	"slices"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
)

// MostNeighbours is the largest number of problems in a Neighbourhood.
const MostNeighbours = 200

// Neighbourhood is a problem with the others at the end of its relationships.
type Neighbourhood struct {
	// Problems are the problem itself, then the others: the nearest first, and equally near
	// ones by number. They have no parts.
	Problems []store.Snapshot
	// Links are all relationships between these problems, each once: from the side of its
	// forward type, or from the lower number if it has no direction. They are in the order of
	// their owners, types and others.
	Links []relationship.Relationship
	// More is true when further problems were left out.
	More bool
}

// Neighbourhood returns a problem and at most limit-1 others that its relationships lead
// to, at any distance, all of one moment. It fails with fault.ProblemNotFound, and with
// fault.MalformedRequest for a limit outside 1 to MostNeighbours.
func (s *Service) Neighbourhood(ctx context.Context, caller Caller, id problem.ID, limit int) (a Answer[Neighbourhood], err error) {
	if limit < 1 || limit > MostNeighbours {
		return a, fault.New(fault.MalformedRequest, "a neighbourhood has 1 to %d problems", MostNeighbours)
	}
	err = s.views.View(ctx, func(r store.Reader) error {
		l, err := s.load(ctx, r, caller.User, id, 0)
		if err != nil {
			return err
		}
		a = answer(Neighbourhood{}, l)
		near := newSurroundings(id, limit)
		for frontier := []problem.ID{id}; len(frontier) > 0; {
			var sides []relationship.Relationship
			for _, t := range relationship.Types() {
				some, err := r.Neighbours(ctx, t, frontier)
				if err != nil {
					return err
				}
				sides = append(sides, some...)
			}
			frontier = near.expand(sides)
		}
		a.Value.Links, a.Value.More = near.links(), near.more
		a.Value.Problems, err = r.Problems(ctx, near.order, caller.User, 0)
		return err
	})
	return a, err
}

// surroundings is a breadth-first search over all types of relationships, without access
// to a store.
type surroundings struct {
	limit int
	order []problem.ID
	seen  map[problem.ID]bool
	all   map[relationship.Relationship]bool // by owner, type and other alone
	more  bool
}

func newSurroundings(from problem.ID, limit int) *surroundings {
	return &surroundings{limit: limit, order: []problem.ID{from}, seen: map[problem.ID]bool{from: true}, all: map[relationship.Relationship]bool{}}
}

// expand takes all relationships of the problems of the last step, in any order. It
// returns the problems of the next step.
func (n *surroundings) expand(sides []relationship.Relationship) (next []problem.ID) {
	for _, side := range sides {
		n.all[forward(side)] = true
		if !n.seen[side.Other] && !slices.Contains(next, side.Other) {
			next = append(next, side.Other)
		}
	}
	slices.Sort(next)
	if room := n.limit - len(n.order); len(next) > room {
		next, n.more = next[:room], true
	}
	for _, id := range next {
		n.seen[id] = true
	}
	n.order = append(n.order, next...)
	return next
}

// links returns the relationships with both ends in the neighbourhood.
func (n *surroundings) links() (links []relationship.Relationship) {
	for link := range n.all {
		if n.seen[link.Owner] && n.seen[link.Other] {
			links = append(links, link)
		}
	}
	slices.SortFunc(links, func(a, b relationship.Relationship) int {
		if a.Owner != b.Owner {
			return int(a.Owner - b.Owner)
		}
		return a.Compare(b)
	})
	return links
}

// forward returns one side of a relationship for both.
func forward(side relationship.Relationship) relationship.Relationship {
	family, _ := side.Type.Family()
	if side.Type != family.Forward || !family.Directed() && side.Owner > side.Other {
		side = side.Mirror()
	}
	return relationship.Relationship{Owner: side.Owner, Type: side.Type, Other: side.Other}
}
