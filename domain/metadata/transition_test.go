package metadata

import (
	"testing"

	"github.com/problemtracking/problems/domain/ident"
)

// D19: a refusal names the states that are possible instead.
func TestTransitions(t *testing.T) {
	t.Parallel()
	open, busy, closed := id(1), id(2), id(3)
	c := NewCatalogue(ident.Version{Number: 1}, Content{States: []State{
		{ID: open, Name: "Open", Initial: true, Next: []ident.ID{busy, closed}, Order: 1},
		{ID: busy, Name: "Busy", Initial: true, Next: []ident.ID{open}, Order: 2},
		{ID: closed, Name: "Closed", Resolved: true, Order: 3},
	}})
	for rule, r := range map[string]struct {
		err  error
		want string // the refusal
	}{
		"a new problem in an initial state": {c.CheckInitial(busy), ""},
		"a new problem in another one":      {c.CheckInitial(closed), "problems are not created in this state, but in: Open, Busy"},
		"a state itself":                    {c.CheckTransition(closed, closed), ""},
		"a next state":                      {c.CheckTransition(open, closed), ""},
		"another state":                     {c.CheckTransition(busy, closed), `from "Busy" a problem can move to: Open`},
		"from a terminal state":             {c.CheckTransition(closed, open), `"Closed" is a terminal state: nothing follows it`},
	} {
		switch {
		case r.want == "" && r.err != nil:
			t.Errorf("%s: refused: %v", rule, r.err)
		case r.want != "" && (r.err == nil || r.err.Error() != "transition-not-allowed: "+r.want):
			t.Errorf("%s: %v, want %q", rule, r.err, r.want)
		}
	}
}
