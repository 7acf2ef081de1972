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

// The rules of this file hold for requests and for archives alike. A request must obey a
// rule only in a changed member, so a client can send back unchanged data from elsewhere.
// Archives must obey all rules. Some changes are forbidden although the resulting data
// is valid, such as a closed component as a new parent, or a long full name. These are not
// rules about stored data.

// The least and the greatest order of an object.
const (
	MinOrder = math.MinInt32
	MaxOrder = math.MaxInt32
)

// MaxNext is the greatest number of next states of one state. It bounds the cost of
// reading them, also in a partial state.
const MaxNext = 1000

// CheckOrder refuses an order out of range. The text of the error ends a sentence for
// its author. The other checks of one member have such errors too.
func CheckOrder(order int64) error {
	if order < MinOrder || order > MaxOrder {
		return fmt.Errorf("must be between %d and %d", MinOrder, MaxOrder)
	}
	return nil
}

// CheckNext refuses too many next states.
func CheckNext(states int) error {
	if states > MaxNext {
		return fmt.Errorf("must have at most %d elements", MaxNext)
	}
	return nil
}

// CheckPeriod refuses an end of a milestone before its start. The zero time stands for
// null, and null is compatible with everything.
func CheckPeriod(start, end time.Time) error {
	if !start.IsZero() && !end.IsZero() && end.Before(start) {
		return errors.New("a milestone cannot end before it starts")
	}
	return nil
}

// Place is the unique key of an object in a catalogue: a name within its kind and, for
// some kinds, within a component. Users have e-mail addresses instead of names.
type Place struct {
	kind   Kind
	parent ident.ID
	name   string
}

// Place returns the key. The name is unique among states.
func (s State) Place() Place { return Place{kind: States, name: s.Name} }

// Place returns the key. The name is unique among priorities.
func (p Priority) Place() Place { return Place{kind: Priorities, name: p.Name} }

// Place returns the key. The name is unique among classifications.
func (k Classification) Place() Place { return Place{kind: Classifications, name: k.Name} }

// Place returns the key. The name is unique below the parent.
func (o Component) Place() Place { return Place{Components, o.Parent, o.Name} }

// Place returns the key. The name is unique within the component. Null counts as one
// component.
func (m Milestone) Place() Place { return Place{Milestones, m.Component, m.Name} }

// UserPlace returns the key of a user: the folded e-mail address.
func UserPlace(u user.User) Place { return Place{kind: Users, name: user.FoldEmail(u.Email)} }

// CheckComponentName refuses a name not usable for one component in a full name (D2).
// This is in addition to the rule of all names. The text of the error ends a sentence
// for its author, such as "must not be empty".
func CheckComponentName(name string) error {
	if strings.Contains(name, "/") {
		return errors.New("must not contain /, because / joins the names of components")
	}
	return nil
}

// MaxFullName is the greatest length of a component's full name, in bytes of UTF-8 (D2). It
// bounds memory, as the limit of a keyword's value does, and so it counts bytes: the
// catalogue has the full name of each component. Four names of any characters fit.
const MaxFullName = 4096

// CheckFullName refuses the component in the given form if its full name, or that of a
// component below it, would become longer than MaxFullName. The component replaces the one
// with its identifier, or is new. This is not a rule about stored data: longer full names
// of earlier versions stay, also in archives, and can become shorter. The text of the error
// ends a sentence.
func (c *Catalogue) CheckFullName(o Component) error {
	if c.BelowItself(o) {
		return nil // refused by CheckComponent
	}
	grown := len(c.FullNameOf(o)) - len(c.FullName(o.ID)) // so do those of all below it
	longest := o
	left := []ident.ID{o.ID}
	for range c.content.Components {
		if len(left) == 0 {
			break
		}
		id := left[len(left)-1]
		left = append(left[:len(left)-1], c.children[id]...)
		if len(c.FullName(id)) > len(c.FullName(longest.ID)) {
			longest, _ = c.Component(id)
		}
	}
	length := len(c.FullName(longest.ID)) + grown
	switch {
	case grown <= 0 || length <= MaxFullName:
		return nil
	case longest.ID == o.ID:
		return fmt.Errorf("must be shorter: the full name of this component would have %d bytes in UTF-8, and at most %d are possible", length, MaxFullName)
	default:
		return fmt.Errorf("must be shorter: the full name of the component %q below it would have %d bytes in UTF-8, and at most %d are possible", longest.Name, length, MaxFullName)
	}
}

// CheckState refuses a state with a conflict in the catalogue. The state replaces the
// one with its identifier, or is new. The kinds are fault.AlreadyExists for a taken
// name, and fault.InUse if no initial state would remain (D2).
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

// CheckPriority refuses a priority with a taken name, with fault.AlreadyExists.
func (c *Catalogue) CheckPriority(p Priority) error {
	return c.priorities.unique(p.ID, func(o *Priority) bool { return o.Place() == p.Place() }, "another priority has this name")
}

// CheckClassification refuses a classification with a taken name, with
// fault.AlreadyExists.
func (c *Catalogue) CheckClassification(k Classification) error {
	return c.classifications.unique(k.ID, func(o *Classification) bool { return o.Place() == k.Place() }, "another classification has this name")
}

// CheckComponent refuses a component with a conflict in the catalogue. The kinds are
// fault.MetadataCycle for a component below itself or its own successor, and
// fault.AlreadyExists for a name taken within its parent (D2).
func (c *Catalogue) CheckComponent(o Component) error {
	old, _ := c.Component(o.ID)
	if old.Parent != o.Parent && c.BelowItself(o) {
		path := c.cyclePath(o, Component.parent)
		return fault.New(fault.MetadataCycle, "a component cannot be below itself; the parents would be: %s", path)
	}
	if old.Successor != o.Successor && c.SucceedsItself(o) {
		path := c.cyclePath(o, Component.successor)
		return fault.New(fault.MetadataCycle, "a component cannot succeed itself; the successors would be: %s", path)
	}
	return c.components.unique(o.ID, func(other *Component) bool { return other.Place() == o.Place() },
		"another component has this name below the same parent")
}

// CheckMilestone refuses a milestone with a name taken within its component, with
// fault.AlreadyExists (D2). Null counts as one component.
func (c *Catalogue) CheckMilestone(m Milestone) error {
	return c.milestones.unique(m.ID, func(o *Milestone) bool { return o.Place() == m.Place() },
		"another milestone has this name in the same component")
}

// unique refuses a key of an object with another identifier.
func (c *collection[T]) unique(id ident.ID, same func(*T) bool, detail string) error {
	for i := range c.ordered {
		if o := &c.ordered[i]; c.key(o).id != id && same(o) {
			return fault.New(fault.AlreadyExists, "%s", detail)
		}
	}
	return nil
}

// CheckUser refuses a user with a taken e-mail address, with fault.AlreadyExists.
func (c *Catalogue) CheckUser(u user.User) error {
	if other, taken := c.UserByEmail(u.Email); taken && other.ID != u.ID {
		return fault.New(fault.AlreadyExists, "another user has this e-mail address")
	}
	return nil
}

// CheckRobot refuses a robot that no person answers for: RobotOf is the user itself, or a robot,
// or other robots have the user (D2). The text of the error ends a sentence for its author.
func (c *Catalogue) CheckRobot(u user.User) error {
	if of, _ := c.User(u.RobotOf); u.RobotOf.IsNone() {
		return nil
	} else if u.RobotOf == u.ID || !of.RobotOf.IsNone() {
		return errors.New("must be a person, not a robot")
	}
	for _, other := range c.content.Users {
		if other.RobotOf == u.ID && !u.ID.IsNone() {
			return errors.New("must be null: this user answers for a robot")
		}
	}
	return nil
}

// BelowItself reports whether the component, in the given form, is among its own
// parents, at any distance. The other components are those of the catalogue.
func (c *Catalogue) BelowItself(o Component) bool { return c.inCycle(o, Component.parent) }

// SucceedsItself reports whether the component, in the given form, is among its own
// successors, at any distance.
func (c *Catalogue) SucceedsItself(o Component) bool { return c.inCycle(o, Component.successor) }

func (o Component) parent() ident.ID { return o.Parent }

func (o Component) successor() ident.ID { return o.Successor }

// inCycle reports whether following next from the component leads back to it. Another
// cycle ends the search.
func (c *Catalogue) inCycle(o Component, next func(Component) ident.ID) bool {
	if o.ID.IsNone() {
		return false // a new component has no references yet
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

// cyclePath returns the full names on the way from the component back to itself, the first ones
// of many.
func (c *Catalogue) cyclePath(o Component, next func(Component) ident.ID) string {
	path := []string{c.distinctName(Components, o.ID)}
	for id := next(o); id != o.ID; {
		if len(path) == maxListed {
			path = append(path, "…")
			break
		}
		path = append(path, c.distinctName(Components, id))
		at, _ := c.Component(id)
		id = next(at)
	}
	return strings.Join(append(path, path[0]), " → ")
}

// NextStateOrder returns the order for a new last state.
func (c *Catalogue) NextStateOrder() int {
	return after(c.content.States, func(o State) int { return o.Order })
}

// NextPriorityOrder returns the order for a new last priority.
func (c *Catalogue) NextPriorityOrder() int {
	return after(c.content.Priorities, func(o Priority) int { return o.Order })
}

// after returns the order behind the last of the objects. The objects are in ascending
// order.
func after[T any](ordered []T, order func(T) int) int {
	if len(ordered) == 0 {
		return 1
	}
	return min(order(ordered[len(ordered)-1])+1, MaxOrder)
}
