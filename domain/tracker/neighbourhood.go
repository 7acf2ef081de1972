package tracker

import (
	"context"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// MostNeighbours is the largest number of problems in a Neighbourhood.
const MostNeighbours = 200

// Neighbourhood is a problem with the others at the end of its relationships.
type Neighbourhood struct {
	// Problems are the problem itself, then the others: the nearest first, and equally near
	// ones by number. They have no parts.
	Problems []snapshot.Snapshot
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
func (as Reader) Neighbourhood(ctx context.Context, id problem.ID, limit int) (a Answer[Neighbourhood], err error) {
	if limit < 1 || limit > MostNeighbours {
		return a, fault.New(fault.MalformedRequest, "a neighbourhood has 1 to %d problems", MostNeighbours)
	}
	err = as.s.core.Views.View(ctx, func(r store.Reader) error {
		l, err := as.load(ctx, r, id, 0)
		if err != nil {
			return err
		}
		a = answer(Neighbourhood{}, l)
		near := relationship.NewSurroundings(id, limit)
		for frontier := []problem.ID{id}; len(frontier) > 0; {
			var sides []relationship.Relationship
			for _, t := range relationship.Types() {
				some, err := r.Neighbours(ctx, t, frontier)
				if err != nil {
					return err
				}
				sides = append(sides, some...)
			}
			frontier = near.Expand(sides)
		}
		a.Value.Links, a.Value.More = near.Links(), near.More()
		a.Value.Problems, err = as.reads.Problems(ctx, r, near.Problems(), 0)
		return err
	})
	return a, err
}
