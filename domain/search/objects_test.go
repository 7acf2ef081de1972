package search

import (
	"context"
	"slices"
	"testing"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/predicate"
)

func TestObjects(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		kind            predicate.Entity
		predicate, sort string
		want            []ident.ID
	}{
		{predicate.User, "identifier == $ApiUser", "", []ident.ID{ann}},
		{predicate.User, "inactive == NO", "", []ident.ID{ann}},
		{predicate.User, "TRUEPREDICATE", "-name", []ident.ID{bob, ann}},
		{predicate.State, "Initial = YES", "", []ident.ID{open}},
		{predicate.State, "ANY PreviousStates.name = 'Open'", "", []ident.ID{done}},
		{predicate.State, "NONE nextStates.name = 'Done'", "", []ident.ID{done}},
		{predicate.Priority, "order >= 1", "-order", []ident.ID{low, high}},
		{predicate.Classification, "name LIKE 'T*'", "", []ident.ID{task}},
		{predicate.Component, "ANY children.name = 'API'", "", []ident.ID{server}},
		{predicate.Component, "parent != nil", "-closed", []ident.ID{login, api}},
		{predicate.Component, "TRUEPREDICATE", "-successor.name,-name", []ident.ID{api, server, login}}, // nil last, in both directions
		{predicate.Component, "FALSEPREDICATE", "", nil},
		{predicate.Milestone, "(StartDate = nil || StartDate < NOW()) && (EndDate = nil || EndDate > NOW())", "", []ident.ID{spring}},
	} {
		for limit := 1; limit < 4; limit++ {
			q := ObjectQuery{Plan: compile(t, c.predicate, c.kind), Sort: order(t, c.sort, c.kind), Catalogue: catalogue(), Limit: limit}
			var got []ident.ID
			for {
				page, err := Objects(t.Context(), q)
				if err != nil || len(page) > limit {
					t.Fatalf("%s: %v, %v", c.predicate, page, err)
				}
				for _, object := range page {
					got = append(got, object.ID)
				}
				if len(page) < limit {
					break
				}
				q.After = &page[len(page)-1]
			}
			if !slices.Equal(got, c.want) {
				t.Errorf("%s where %s by %q, %d at a time: %v, not %v", c.kind, c.predicate, c.sort, limit, got, c.want)
			}
		}
	}
}

func TestObjectsFail(t *testing.T) {
	t.Parallel()
	q := ObjectQuery{Plan: compile(t, "TRUEPREDICATE", predicate.User), Catalogue: catalogue(), Limit: 1}
	over, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := Objects(over, q); !fault.Is(err, fault.Unavailable) {
		t.Errorf("when the context has ended: %v", err)
	}
	q.Plan = compile(t, "TRUEPREDICATE", predicate.Problem)
	if _, err := Objects(t.Context(), q); !fault.Is(err, fault.Internal) {
		t.Errorf("problems are no objects of the catalogue: %v", err)
	}
}
