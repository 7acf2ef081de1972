package conformance

import (
	"slices"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/predicate"
)

// What there is no object for is nil to predicates.

func (w *world) userEntry(id ident.ID) predicate.Value {
	u, ok := w.users[id]
	if !ok {
		return nil
	}
	e := entry{id, values{"identifier": id, "name": u.Name, "email": nil, "inactive": u.Inactive}, nil}
	if u.Email != "" {
		e.values["email"] = u.Email
	}
	return e
}

func (w *world) priorityEntry(id ident.ID) predicate.Value {
	p, ok := w.priorities[id]
	if !ok {
		return nil
	}
	return entry{id, values{"identifier": id, "name": p.Name, "order": int64(p.Order)}, nil}
}

func (w *world) classificationEntry(id ident.ID) predicate.Value {
	c, ok := w.classifications[id]
	if !ok {
		return nil
	}
	return entry{id, values{"identifier": id, "name": c.Name}, nil}
}

func (w *world) milestoneEntry(id ident.ID) predicate.Value {
	m, ok := w.milestones[id]
	if !ok {
		return nil
	}
	return entry{id,
		values{"identifier": id, "name": m.Name, "creationDate": m.Created, "startDate": timeOrNil(m.Start), "endDate": timeOrNil(m.End)},
		objects{"component": func() predicate.Value { return w.componentEntry(m.Component) }},
	}
}

func (w *world) stateEntry(id ident.ID) predicate.Value {
	s, ok := w.states[id]
	if !ok {
		return nil
	}
	return entry{id,
		values{"identifier": id, "name": s.Name, "resolved": s.Resolved, "initial": s.Initial, "order": int64(s.Order)},
		objects{
			"nextStates": func() predicate.Value {
				return collection(s.Next, func(next ident.ID) bool { return w.stateEntry(next) != nil }, w.stateEntry)
			},
			"previousStates": func() predicate.Value {
				return collection(keysOf(w.states), func(other ident.ID) bool { return slices.Contains(w.states[other].Next, id) }, w.stateEntry)
			},
		},
	}
}

func (w *world) componentEntry(id ident.ID) predicate.Value {
	c, ok := w.components[id]
	if !ok {
		return nil
	}
	return entry{id,
		values{"identifier": id, "name": c.Name, "fullName": w.fullName(c), "closed": c.Closed},
		objects{
			"successor": func() predicate.Value { return w.componentEntry(c.Successor) },
			"parent":    func() predicate.Value { return w.componentEntry(c.Parent) },
			"children": func() predicate.Value {
				return collection(keysOf(w.components), func(other ident.ID) bool { return w.components[other].Parent == id }, w.componentEntry)
			},
		},
	}
}

// fullName returns the path from the root (D2).
func (w *world) fullName(c metadata.Component) string {
	if parent, ok := w.components[c.Parent]; ok {
		return w.fullName(parent) + "/" + c.Name
	}
	return c.Name
}
