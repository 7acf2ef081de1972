package tracker

import (
	"testing"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
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
	whole, err := s.As(s.admin).Neighbourhood(t.Context(), 1, 60)
	if err != nil {
		t.Fatal(err)
	}
	kit.Equal(t, "problems", ids(whole.Value), []problem.ID{1, 2, 5, 4})
	kit.Equal(t, "links", whole.Value.Links, []relationship.Relationship{
		{Owner: 1, Type: relationship.RelatedTo, Other: 2}, {Owner: 2, Type: relationship.ParentOf, Other: 5},
		{Owner: 2, Type: relationship.BlockerOf, Other: 1}, {Owner: 4, Type: relationship.CauseOf, Other: 5},
	})
	if whole.Value.More {
		t.Error("something was left out")
	}
	some, err := s.As(s.admin).Neighbourhood(t.Context(), 1, 2)
	if err != nil {
		t.Fatal(err)
	}
	kit.Equal(t, "nearest problems", ids(some.Value), []problem.ID{1, 2})
	if !some.Value.More || len(some.Value.Links) != 2 {
		t.Errorf("the nearest have %d links, and more: %v", len(some.Value.Links), some.Value.More)
	}
	alone, err := s.As(s.admin).Neighbourhood(t.Context(), 3, 60)
	if err != nil || len(alone.Value.Problems) != 1 || len(alone.Value.Links) != 0 {
		t.Errorf("problem 3 has %+v (%v)", alone.Value, err)
	}
	if _, err := s.As(s.admin).Neighbourhood(t.Context(), 99, 60); !fault.Is(err, fault.ProblemNotFound) {
		t.Errorf("an unknown problem: %v", err)
	}
	for _, limit := range []int{0, MostNeighbours + 1} {
		if _, err := s.As(s.admin).Neighbourhood(t.Context(), 1, limit); !fault.Is(err, fault.MalformedRequest) {
			t.Errorf("a limit of %d: %v", limit, err)
		}
	}
}
