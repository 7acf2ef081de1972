package tracker

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
)

func TestNeighbourhood(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for range 7 {
		if _, err := s.CreateProblem(t.Context(), s.admin, CreateProblem{ProblemPatch: ProblemPatch{Title: patch.Set("A problem")}}); err != nil {
			t.Fatal(err)
		}
	}
	for _, r := range []struct {
		owner problem.ID
		t     relationship.Type
		other problem.ID
	}{{1, relationship.BlockedBy, 2}, {2, relationship.ParentOf, 5}, {2, relationship.RelatedTo, 1}, {5, relationship.CausedBy, 4}, {6, relationship.RelatedTo, 7}} {
		if _, err := s.AddRelationship(t.Context(), s.admin, r.owner, Relate{Type: patch.Set(string(r.t)), Other: patch.Set(r.other)}); err != nil {
			t.Fatal(err)
		}
	}
	ids := func(n Neighbourhood) (all []problem.ID) {
		for _, p := range n.Problems {
			all = append(all, p.ID)
		}
		return all
	}
	whole, err := s.Neighbourhood(t.Context(), s.admin, 1, 60)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "problems", ids(whole.Value), []problem.ID{1, 2, 5, 4})
	equal(t, "links", whole.Value.Links, []relationship.Relationship{
		{Owner: 1, Type: relationship.RelatedTo, Other: 2}, {Owner: 2, Type: relationship.ParentOf, Other: 5},
		{Owner: 2, Type: relationship.BlockerOf, Other: 1}, {Owner: 4, Type: relationship.CauseOf, Other: 5},
	})
	if whole.Value.More {
		t.Error("something was left out")
	}
	some, err := s.Neighbourhood(t.Context(), s.admin, 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "nearest problems", ids(some.Value), []problem.ID{1, 2})
	if !some.Value.More || len(some.Value.Links) != 2 {
		t.Errorf("the nearest have %d links, and more: %v", len(some.Value.Links), some.Value.More)
	}
	alone, err := s.Neighbourhood(t.Context(), s.admin, 3, 60)
	if err != nil || len(alone.Value.Problems) != 1 || len(alone.Value.Links) != 0 {
		t.Errorf("problem 3 has %+v (%v)", alone.Value, err)
	}
	if _, err := s.Neighbourhood(t.Context(), s.admin, 99, 60); !fault.Is(err, fault.ProblemNotFound) {
		t.Errorf("an unknown problem: %v", err)
	}
	for _, limit := range []int{0, MostNeighbours + 1} {
		if _, err := s.Neighbourhood(t.Context(), s.admin, 1, limit); !fault.Is(err, fault.MalformedRequest) {
			t.Errorf("a limit of %d: %v", limit, err)
		}
	}
}

// In random graphs, the search finds what a plain closure finds, each problem once and
// never more than allowed, whatever the order of the relationships.
func TestSurroundings(t *testing.T) {
	t.Parallel()
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		var sides []relationship.Relationship
		for range random.IntN(40) {
			side := relationship.Relationship{Owner: problem.ID(1 + random.IntN(20)), Type: relationship.Types()[random.IntN(11)], Other: problem.ID(1 + random.IntN(20))}
			if side.Owner != side.Other {
				sides = append(sides, side, side.Mirror())
			}
		}
		limit := 1 + random.IntN(25)
		run := func() *surroundings {
			n := newSurroundings(1, limit)
			for frontier := []problem.ID{1}; len(frontier) > 0; {
				var some []relationship.Relationship
				for _, side := range sides {
					if slices.Contains(frontier, side.Owner) {
						some = append(some, side)
					}
				}
				frontier = n.expand(some)
			}
			return n
		}
		first := run()
		random.Shuffle(len(sides), func(i, j int) { sides[i], sides[j] = sides[j], sides[i] })
		second := run()
		if !slices.Equal(first.order, second.order) || !slices.Equal(first.links(), second.links()) {
			t.Fatalf("seed %d: the order of the relationships makes a difference", seed)
		}
		reached := map[problem.ID]bool{1: true}
		for grown := true; grown; {
			grown = false
			for _, side := range sides {
				if reached[side.Owner] && !reached[side.Other] {
					reached[side.Other], grown = true, true
				}
			}
		}
		if want := min(limit, len(reached)); len(first.order) != want || first.more != (len(reached) > limit) {
			t.Fatalf("seed %d: %d problems of %d with the limit %d, more %v", seed, len(first.order), len(reached), limit, first.more)
		}
	}
}
