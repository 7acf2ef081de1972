package model

import (
	"slices"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/predicate"
)

// objectEntry returns an object referred to by a problem.
func (w *World) objectEntry(kind metadata.Kind, id ident.ID) predicate.Value {
	switch kind {
	case metadata.States:
		return w.StateEntry(id)
	case metadata.Priorities:
		return w.PriorityEntry(id)
	case metadata.Classifications:
		return w.ClassificationEntry(id)
	case metadata.Components:
		return w.ComponentEntry(id)
	case metadata.Milestones:
		return w.MilestoneEntry(id)
	default:
		return w.UserEntry(id)
	}
}

// UserEntry returns a user for predicates. A missing object is nil to them, as below.
func (w *World) UserEntry(id ident.ID) predicate.Value {
	u, ok := w.Users[id]
	if !ok {
		return nil
	}
	e := Entry{id, values{"identifier": id, "name": u.Name, "email": nil, "inactive": u.Inactive}, nil}
	if u.Email != "" {
		e.Values["email"] = u.Email
	}
	return e
}

// PriorityEntry returns a priority for predicates, or nil.
func (w *World) PriorityEntry(id ident.ID) predicate.Value {
	p, ok := w.Priorities[id]
	if !ok {
		return nil
	}
	return Entry{id, values{"identifier": id, "name": p.Name, "order": int64(p.Order)}, nil}
}

// ClassificationEntry returns a classification for predicates, or nil.
func (w *World) ClassificationEntry(id ident.ID) predicate.Value {
	c, ok := w.Classifications[id]
	if !ok {
		return nil
	}
	return Entry{id, values{"identifier": id, "name": c.Name}, nil}
}

// MilestoneEntry returns a milestone for predicates, or nil.
func (w *World) MilestoneEntry(id ident.ID) predicate.Value {
	m, ok := w.Milestones[id]
	if !ok {
		return nil
	}
	return Entry{id,
		values{"identifier": id, "name": m.Name, "creationDate": m.Created, "startDate": timeOrNil(m.Start), "endDate": timeOrNil(m.End)},
		objects{"component": func() predicate.Value { return w.ComponentEntry(m.Component) }},
	}
}

// StateEntry returns a state for predicates, or nil. It leaves out next states that are missing.
func (w *World) StateEntry(id ident.ID) predicate.Value {
	s, ok := w.States[id]
	if !ok {
		return nil
	}
	return Entry{id,
		values{"identifier": id, "name": s.Name, "resolved": s.Resolved, "initial": s.Initial, "order": int64(s.Order)},
		objects{
			"nextStates": func() predicate.Value {
				return collection(s.Next, func(next ident.ID) bool { return w.StateEntry(next) != nil }, w.StateEntry)
			},
			"previousStates": func() predicate.Value {
				return collection(keysOf(w.States), func(other ident.ID) bool { return slices.Contains(w.States[other].Next, id) }, w.StateEntry)
			},
		},
	}
}

// ComponentEntry returns a component for predicates, or nil.
func (w *World) ComponentEntry(id ident.ID) predicate.Value {
	c, ok := w.Components[id]
	if !ok {
		return nil
	}
	return Entry{id,
		values{"identifier": id, "name": c.Name, "fullName": w.fullName(c), "closed": c.Closed},
		objects{
			"successor": func() predicate.Value { return w.ComponentEntry(c.Successor) },
			"parent":    func() predicate.Value { return w.ComponentEntry(c.Parent) },
			"children": func() predicate.Value {
				return collection(keysOf(w.Components), func(other ident.ID) bool { return w.Components[other].Parent == id }, w.ComponentEntry)
			},
		},
	}
}

// fullName returns the path from the root (D2).
func (w *World) fullName(c metadata.Component) string {
	if parent, ok := w.Components[c.Parent]; ok {
		return w.fullName(parent) + "/" + c.Name
	}
	return c.Name
}
