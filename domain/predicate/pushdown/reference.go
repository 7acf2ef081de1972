package pushdown

import (
	"context"
	"fmt"
	"slices"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/eval"
)

// Reference finds the one reference of a condition to metadata or a user, if the
// condition depends on nothing else. For example, the condition
//
//	milestone.name =[c] 'Next' OR milestone = nil
//
// depends on the reference milestone alone. Referring evaluates such a condition for each
// object of that kind, and for nil. So the store needs no look into the metadata.
//
// The reference is the end of the to-one steps from the variable of the slot. It is
// the first object of the catalogue on the path. There are no steps when the variable
// itself is such an object, as in SUBQUERY(watchers, $w, $w.inactive = YES).
func Reference(cond predicate.Cond) (slot int, steps []*predicate.Key, ok bool) {
	var found *predicate.Path
	bound := predicate.BoundIn(cond)
	one := predicate.Walk(cond, func(node any) bool {
		p, ok := node.(predicate.Path)
		if !ok || bound[p.Slot] { // the path starts at a member of another path's collection
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

// cutAtMetadata returns the path up to the first object of the catalogue. It returns false
// if the path leads to none, or if a to-many key comes before it.
func cutAtMetadata(p predicate.Path) (predicate.Path, bool) {
	if p.Start.Entity.IsMetadata() {
		return predicate.Path{Slot: p.Slot, Start: p.Start, Steps: nil}, true
	}
	for i, key := range p.Steps {
		switch {
		case key.Type.Many:
			return predicate.Path{}, false
		case key.Type.Entity.IsMetadata():
			return predicate.Path{Slot: p.Slot, Start: p.Start, Steps: p.Steps[:i+1]}, true
		}
	}
	return predicate.Path{}, false
}

// Referring returns a function that reports whether a condition holds if the reference
// found by Reference leads to this object. A nil object stands for an empty reference. The
// function is for one goroutine. It fails when ctx is done.
func Referring(ctx context.Context, cond predicate.Cond) (holds func(object predicate.Entry) (bool, error), err error) {
	slot, steps, ok := Reference(cond)
	if !ok {
		return nil, fmt.Errorf("predicate: not about one reference: %T", cond)
	}
	evaluator := eval.New(ctx)
	return func(object predicate.Entry) (bool, error) {
		var from predicate.Value
		switch {
		case len(steps) > 0:
			from = referrer{steps, object}
		case object != nil:
			from = object
		}
		return evaluator.HoldsWith(cond, slot, from)
	}, nil
}

// referrer is an object with nothing but its reference.
type referrer struct {
	steps  []*predicate.Key
	object predicate.Entry // nil for an empty reference
}

func (r referrer) Get(_ context.Context, key *predicate.Key) (predicate.Value, error) {
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

func (r referrer) Identity() any { return nil }
