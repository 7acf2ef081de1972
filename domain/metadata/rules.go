package metadata

import (
	"errors"
	"math"
	"slices"
	"strings"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
)

// The least and the greatest order that an object can have.
const (
	MinOrder = math.MinInt32
	MaxOrder = math.MaxInt32
)

// CheckComponentName refuses, beyond what all names have to be like, what would
// not stand for one component in a full name (D2). The text of the error ends a
// sentence for its author, such as "must not be empty".
func CheckComponentName(name string) error {
	if strings.Contains(name, "/") {
		return errors.New("must not contain /, which joins the names of components")
	}
	return nil
}

// CheckState refuses a state that cannot stand in the catalogue, in the place of
// the one with its identifier or beside the others: with fault.AlreadyExists when
// its name is taken, with fault.InUse when no initial state would remain (D2).
func (c *Catalogue) CheckState(s State) error {
	if err := c.states.unique(s.ID, func(o *State) bool { return o.Name == s.Name }, "another state has this name"); err != nil {
		return err
	}
	old, _ := c.State(s.ID)
	another := slices.ContainsFunc(c.content.States, func(o State) bool { return o.Initial && o.ID != s.ID })
	if old.Initial && !s.Initial && !another {
		return fault.New(fault.InUse, "problems are created in this state, and no other is initial: make another one initial first")
	}
	return nil
}

// CheckPriority refuses a priority whose name is taken, with fault.AlreadyExists.
func (c *Catalogue) CheckPriority(p Priority) error {
	return c.priorities.unique(p.ID, func(o *Priority) bool { return o.Name == p.Name }, "another priority has this name")
}

// CheckClassification refuses a classification whose name is taken, with
// fault.AlreadyExists.
func (c *Catalogue) CheckClassification(k Classification) error {
	return c.classifications.unique(k.ID, func(o *Classification) bool { return o.Name == k.Name }, "another classification has this name")
}

// CheckComponent refuses a component that cannot stand in the catalogue: with
// fault.MetadataCycle when it would be below itself, or succeed itself, and with
// fault.AlreadyExists when its name is taken within its parent (D2).
func (c *Catalogue) CheckComponent(o Component) error {
	if path := c.circle(o, func(o Component) ident.ID { return o.Parent }); path != "" {
		return fault.New(fault.MetadataCycle, "a component cannot be below itself; the parents would be: %s", path)
	}
	if path := c.circle(o, func(o Component) ident.ID { return o.Successor }); path != "" {
		return fault.New(fault.MetadataCycle, "a component cannot succeed itself; the successors would be: %s", path)
	}
	return c.components.unique(o.ID, func(other *Component) bool { return other.Parent == o.Parent && other.Name == o.Name },
		"another component has this name below the same parent")
}

// CheckMilestone refuses a milestone whose name is taken within its component,
// where null counts as one, with fault.AlreadyExists (D2).
func (c *Catalogue) CheckMilestone(m Milestone) error {
	return c.milestones.unique(m.ID, func(o *Milestone) bool { return o.Component == m.Component && o.Name == m.Name },
		"another milestone has this name in the same component")
}

// unique refuses what another object than the one with the identifier has.
func (c *collection[T]) unique(id ident.ID, same func(*T) bool, detail string) error {
	for i := range c.ordered {
		if o := &c.ordered[i]; c.key(o).id != id && same(o) {
			return fault.New(fault.AlreadyExists, "%s", detail)
		}
	}
	return nil
}

// circle returns the full names on the way from the component, as it is to be, from
// each to the next, if that leads back to it; otherwise it is empty. What the
// component leads to already closes no new circle, and a ring that it is not on ends
// the way.
func (c *Catalogue) circle(o Component, next func(Component) ident.ID) string {
	old, ok := c.Component(o.ID)
	if !ok || next(old) == next(o) {
		return "" // nothing leads to what is not there yet
	}
	path := []string{c.FullName(o.ID)}
	at, ok := c.Component(next(o))
	for ; ok && at.ID != o.ID && len(path) <= len(c.content.Components); at, ok = c.Component(next(at)) {
		path = append(path, c.FullName(at.ID))
	}
	if at.ID != o.ID {
		return ""
	}
	return strings.Join(append(path, path[0]), " → ")
}

// NextStateOrder returns the order of a state that is to come after all others.
func (c *Catalogue) NextStateOrder() int {
	return after(c.content.States, func(o State) int { return o.Order })
}

// NextPriorityOrder returns the order of a priority that is to come after all
// others.
func (c *Catalogue) NextPriorityOrder() int {
	return after(c.content.Priorities, func(o Priority) int { return o.Order })
}

// after returns the order that follows that of the last of the objects, which are
// in ascending order.
func after[T any](ordered []T, order func(T) int) int {
	if len(ordered) == 0 {
		return 1
	}
	return min(order(ordered[len(ordered)-1])+1, MaxOrder)
}
