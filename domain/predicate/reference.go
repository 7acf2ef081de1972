package predicate

import (
	"context"
	"fmt"
	"slices"
)

// IsMetadata reports whether an entity's objects are in the catalogue: users, and
// what problems refer to. They lead to objects of the catalogue alone.
func (e Entity) IsMetadata() bool {
	switch e {
	case User, Component, Milestone, Priority, Classification, State:
		return true
	}
	return false
}

// Reference finds what a condition depends on when that is nothing but one reference
// of one object to metadata or a user, such as milestone in
// milestone.name =[c] 'Next' OR milestone = nil. A store then does not have to look
// into the metadata: HoldsReferring tells for each object of that kind, and for nil,
// whether the condition holds.
//
// The reference is what the to-one steps lead to from the variable of the slot: the
// first object of the catalogue on the way. There are no steps when the variable is
// one itself, as in SUBQUERY(watchers, $w, $w.inactive = YES).
func Reference(cond Cond) (slot int, steps []*Key, ok bool) {
	var found *Path
	bound := boundIn(cond)
	one := walk(cond, func(node any) bool {
		p, ok := node.(Path)
		if !ok || bound[p.Slot] { // a member of what another path led to
			return true
		}
		p, ok = cutAtMetadata(p)
		if !ok {
			return false
		}
		if found == nil {
			found = &p
		}
		return found.Slot == p.Slot && slices.Equal(found.Steps, p.Steps)
	})
	if found == nil || !one {
		return 0, nil, false
	}
	return found.Slot, found.Steps, true
}

// cutAtMetadata returns the path up to the first object of the catalogue; not ok when
// it leads to none, or through a to-many key before.
func cutAtMetadata(p Path) (Path, bool) {
	if p.Start.Entity.IsMetadata() {
		return Path{p.Slot, p.Start, nil}, true
	}
	for i, key := range p.Steps {
		switch {
		case key.Type.Many:
			return Path{}, false
		case key.Type.Entity.IsMetadata():
			return Path{p.Slot, p.Start, p.Steps[:i+1]}, true
		}
	}
	return Path{}, false
}

// boundIn returns the slots of the variables that a condition or an expression itself
// binds.
func boundIn(node any) map[int]bool {
	bound := make(map[int]bool)
	walk(node, func(node any) bool {
		switch n := node.(type) {
		case Exists:
			bound[n.Slot] = true
		case Filter:
			bound[n.Slot] = true
		}
		return true
	})
	return bound
}

// HoldsReferring reports whether a condition holds where what Reference found for it
// leads to this object; nil stands for none.
func HoldsReferring(ctx context.Context, cond Cond, object Entry) (bool, error) {
	slot, steps, ok := Reference(cond)
	if !ok {
		return false, fmt.Errorf("predicate: not about one reference: %T", cond)
	}
	vars := make([]Value, slot+1)
	switch {
	case len(steps) > 0:
		vars[slot] = referrer{steps, object}
	case object != nil:
		vars[slot] = object
	}
	e := evaluation{ctx: ctx, vars: vars}
	return e.holds(cond)
}

// referrer is an object of which nothing is known but where a reference leads to.
type referrer struct {
	steps  []*Key
	object Entry // nil for nowhere
}

// Get implements Entry.
func (r referrer) Get(_ context.Context, key *Key) (Value, error) {
	switch {
	case key != r.steps[0]:
		return nil, fmt.Errorf("predicate: %s is not on the way to the reference", key.Name)
	case len(r.steps) > 1:
		return referrer{r.steps[1:], r.object}, nil
	case r.object == nil:
		return nil, nil
	}
	return r.object, nil
}

// Identity implements Entry.
func (r referrer) Identity() any { return nil }
