package metadata

import (
	"slices"
	"strings"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
)

// CheckInitial refuses a state unsuitable for new problems (D19).
func (c *Catalogue) CheckInitial(state ident.ID) error {
	if s, _ := c.State(state); s.Initial {
		return nil
	}
	var initial []string
	for _, s := range c.Content().States {
		if s.Initial {
			initial = append(initial, s.Name)
		}
	}
	return fault.New(fault.TransitionNotAllowed, "problems are not created in this state, but in: %s", strings.Join(initial, ", "))
}

// CheckTransition refuses a transition forbidden by the current state (D19).
func (c *Catalogue) CheckTransition(from, to ident.ID) error {
	current, _ := c.State(from)
	if from == to || slices.Contains(current.Next, to) {
		return nil
	}
	if len(current.Next) == 0 {
		return fault.New(fault.TransitionNotAllowed, "%q is a terminal state: nothing follows it", current.Name)
	}
	var next []string
	for _, s := range c.Content().States {
		if slices.Contains(current.Next, s.ID) {
			next = append(next, s.Name)
		}
	}
	return fault.New(fault.TransitionNotAllowed, "from %q a problem can move to: %s", current.Name, strings.Join(next, ", "))
}
