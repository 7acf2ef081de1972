package relationship

import (
	"slices"

	"github.com/problemtracking/problems/domain/problem"
)

// Surroundings is a breadth-first search over all types of relationships, without access
// to a store. Its caller loads the relationships of a step, all of one moment.
type Surroundings struct {
	limit int
	order []problem.ID
	seen  map[problem.ID]bool
	all   map[Relationship]bool // by owner, type and other alone
	more  bool
}

// NewSurroundings returns the search from a problem. It finds at most limit problems, with
// this one.
func NewSurroundings(from problem.ID, limit int) *Surroundings {
	return &Surroundings{limit: limit, order: []problem.ID{from}, seen: map[problem.ID]bool{from: true}, all: map[Relationship]bool{}}
}

// Expand takes all relationships of the problems of the last step, in any order. It
// returns the problems of the next step.
func (n *Surroundings) Expand(sides []Relationship) (next []problem.ID) {
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

// Problems returns the found problems: the nearest first, and equally near ones by number.
// They must not be modified.
func (n *Surroundings) Problems() []problem.ID { return n.order }

// More reports whether further problems were left out.
func (n *Surroundings) More() bool { return n.more }

// Links returns the relationships with both ends in the neighbourhood.
func (n *Surroundings) Links() (links []Relationship) {
	for link := range n.all {
		if n.seen[link.Owner] && n.seen[link.Other] {
			links = append(links, link)
		}
	}
	slices.SortFunc(links, func(a, b Relationship) int {
		if a.Owner != b.Owner {
			return int(a.Owner - b.Owner)
		}
		return a.Compare(b)
	})
	return links
}

// forward returns one side of a relationship for both.
func forward(side Relationship) Relationship {
	family, _ := side.Type.Family()
	if side.Type != family.Forward || !family.Directed() && side.Owner > side.Other {
		side = side.Mirror()
	}
	return Relationship{Owner: side.Owner, Type: side.Type, Other: side.Other}
}
