package metadata

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/user"
)

// The rules of this file hold for requests and for archives alike. Requests meet them
// where they change something: what a store has from elsewhere can be sent back as it
// was read. Archives meet all of them. What is only forbidden as a change, such as a
// closed component as a new parent, is no rule about what is stored.

// The least and the greatest order that an object can have.
const (
	MinOrder = math.MinInt32
	MaxOrder = math.MaxInt32
)

// MaxNext is how many states can follow a state at most. It bounds what reading them
// costs, also in a partial state.
const MaxNext = 1000

// CheckOrder refuses an order out of range. The text of the error ends a sentence for
// its author, as do those of the other checks of one member.
func CheckOrder(order int64) error {
	if order < MinOrder || order > MaxOrder {
		return fmt.Errorf("must be between %d and %d", MinOrder, MaxOrder)
	}
	return nil
}

// CheckNext refuses so many states after a state, if there are too many.
func CheckNext(states int) error {
	if states > MaxNext {
		return fmt.Errorf("must have at most %d elements", MaxNext)
	}
	return nil
}

// CheckPeriod refuses the start and the end of a milestone when the end is earlier.
// The zero time stands for null, which goes with everything.
func CheckPeriod(start, end time.Time) error {
	if !start.IsZero() && !end.IsZero() && end.Before(start) {
		return errors.New("a milestone cannot end before it starts")
	}
	return nil
}

// Place is what one object at most of a catalogue has: a name within its kind and,
// for some kinds, within a component. Users have e-mail addresses instead of names.
type Place struct {
	kind   Kind
	parent ident.ID
	name   string
}

// Place returns the name, which is unique among states.
func (s State) Place() Place { return Place{kind: States, name: s.Name} }

// Place returns the name, which is unique among priorities.
func (p Priority) Place() Place { return Place{kind: Priorities, name: p.Name} }

// Place returns the name, which is unique among classifications.
func (k Classification) Place() Place { return Place{kind: Classifications, name: k.Name} }

// Place returns the name, which is unique below the parent.
func (o Component) Place() Place { return Place{Components, o.Parent, o.Name} }

// Place returns the name, which is unique within the component, where null counts as
// one.
func (m Milestone) Place() Place { return Place{Milestones, m.Component, m.Name} }

// UserPlace returns the e-mail address of a user in the form that is unique.
func UserPlace(u user.User) Place { return Place{kind: Users, name: user.FoldEmail(u.Email)} }

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
	if err := c.states.unique(s.ID, func(o *State) bool { return o.Place() == s.Place() }, "another state has this name"); err != nil {
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
	return c.priorities.unique(p.ID, func(o *Priority) bool { return o.Place() == p.Place() }, "another priority has this name")
}

// CheckClassification refuses a classification whose name is taken, with
// fault.AlreadyExists.
func (c *Catalogue) CheckClassification(k Classification) error {
	return c.classifications.unique(k.ID, func(o *Classification) bool { return o.Place() == k.Place() }, "another classification has this name")
}

// CheckComponent refuses a component that cannot stand in the catalogue: with
// fault.MetadataCycle when it would be below itself, or succeed itself, and with
// fault.AlreadyExists when its name is taken within its parent (D2).
func (c *Catalogue) CheckComponent(o Component) error {
	old, _ := c.Component(o.ID)
	if old.Parent != o.Parent && c.BelowItself(o) {
		path := c.circle(o, Component.parent)
		return fault.New(fault.MetadataCycle, "a component cannot be below itself; the parents would be: %s", path)
	}
	if old.Successor != o.Successor && c.SucceedsItself(o) {
		path := c.circle(o, Component.successor)
		return fault.New(fault.MetadataCycle, "a component cannot succeed itself; the successors would be: %s", path)
	}
	return c.components.unique(o.ID, func(other *Component) bool { return other.Place() == o.Place() },
		"another component has this name below the same parent")
}

// CheckMilestone refuses a milestone whose name is taken within its component,
// where null counts as one, with fault.AlreadyExists (D2).
func (c *Catalogue) CheckMilestone(m Milestone) error {
	return c.milestones.unique(m.ID, func(o *Milestone) bool { return o.Place() == m.Place() },
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

// CheckUser refuses a user whose e-mail address is taken, with fault.AlreadyExists.
func (c *Catalogue) CheckUser(u user.User) error {
	if other, taken := c.UserByEmail(u.Email); taken && other.ID != u.ID {
		return fault.New(fault.AlreadyExists, "another user has this e-mail address")
	}
	return nil
}

// BelowItself reports whether the component, as it is given, is its own parent, or that
// of one of its parents. The others are as the catalogue has them.
func (c *Catalogue) BelowItself(o Component) bool { return c.returns(o, Component.parent) }

// SucceedsItself reports whether the component, as it is given, is its own successor, or
// that of one of its successors.
func (c *Catalogue) SucceedsItself(o Component) bool { return c.returns(o, Component.successor) }

func (o Component) parent() ident.ID { return o.Parent }

func (o Component) successor() ident.ID { return o.Successor }

// returns reports whether the way from the component, from each to the next, leads back
// to it. A ring that it is not on ends the way.
func (c *Catalogue) returns(o Component, next func(Component) ident.ID) bool {
	if o.ID.IsNone() {
		return false // nothing leads to what is not there yet
	}
	at := o
	for range len(c.content.Components) + 1 {
		id := next(at)
		if id == o.ID {
			return true
		}
		var ok bool
		if at, ok = c.Component(id); !ok {
			return false
		}
	}
	return false
}

// circle returns the full names on the way from the component to itself.
func (c *Catalogue) circle(o Component, next func(Component) ident.ID) string {
	path := []string{c.FullName(o.ID)}
	for id := next(o); id != o.ID; {
		path = append(path, c.FullName(id))
		at, _ := c.Component(id)
		id = next(at)
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
