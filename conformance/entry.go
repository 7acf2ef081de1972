package conformance

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// entry is an object of the model as predicates see it, by section 3 of the query
// language: its keys have their values from the beginning, but for those that lead to
// other objects, of which there may be no end.
type entry struct {
	identity any
	values   map[string]predicate.Value
	objects  map[string]func() predicate.Value
}

func (e entry) Identity() any { return e.identity }

func (e entry) Get(_ context.Context, key *predicate.Key) (predicate.Value, error) {
	if object, ok := e.objects[key.Name]; ok {
		return object(), nil
	}
	if value, ok := e.values[key.Name]; ok {
		return value, nil
	}
	return nil, fmt.Errorf("the model has no key %s of a %s", key.Name, key.Of)
}

// The keys of an entry, before it is one.
type (
	values  = map[string]predicate.Value
	objects = map[string]func() predicate.Value
)

// problemEntry returns a problem as a user sees it.
func (w *world) problemEntry(id problem.ID, as ident.ID) predicate.Value {
	p, ok := w.problems[id]
	if !ok {
		return nil
	}
	e := w.savepointEntry(store.Savepoint{Problem: p})
	e.identity = id
	maps.Copy(e.values, values{
		"identifier": int64(id), "watching": w.watchers[mark{id, as}], "read": w.readers[mark{id, as}],
		"readByAssignee": !p.Assignee.IsNone() && w.readers[mark{id, p.Assignee}],
	})
	maps.Copy(e.objects, objects{
		"history": func() predicate.Value {
			return collection(w.savepoints, func(s store.Savepoint) bool { return s.ID == id }, func(s store.Savepoint) predicate.Value { return w.savepointEntry(s) })
		},
		"logs": func() predicate.Value {
			return collection(w.log, func(l problem.LogEntry) bool { return l.Problem == id }, w.logEntry)
		},
		"comments": func() predicate.Value {
			return collection(w.comments, func(c store.AddComment) bool { return c.Problem == id }, w.commentEntry)
		},
		"keywords": func() predicate.Value {
			return collection(keysOf(w.keywords), func(at named) bool { return at.problem == id }, w.keywordEntry)
		},
		"relationships": func() predicate.Value {
			return collection(keysOf(w.relationships), func(l link) bool { return l.owner == id }, func(l link) predicate.Value { return w.relationshipEntry(l, as) })
		},
		"watchers": func() predicate.Value {
			return collection(keysOf(w.watchers), func(m mark) bool { return m.Problem == id && w.userEntry(m.User) != nil }, func(m mark) predicate.Value { return w.userEntry(m.User) })
		},
	})
	return e
}

// keysOf returns the keys of a map, in any order.
func keysOf[K comparable, V any](m map[K]V) []K { return slices.Collect(maps.Keys(m)) }

// collection returns the entries of those objects that belong to it.
func collection[T any](all []T, belongs func(T) bool, entry func(T) predicate.Value) []predicate.Value {
	found := []predicate.Value{}
	for _, o := range all {
		if belongs(o) {
			found = append(found, entry(o))
		}
	}
	return found
}

// savepointEntry returns a problem as it stood.
func (w *world) savepointEntry(s store.Savepoint) entry {
	type identity struct {
		problem problem.ID
		batch   ident.ID
	}
	return entry{
		identity: identity{s.ID, s.Batch},
		values: values{
			"title": s.Title, "creationDate": s.Created, "modificationDate": s.Modified, "resolveDate": timeOrNil(s.Resolved),
		},
		objects: objects{
			"originator":     func() predicate.Value { return w.userEntry(s.Originator) },
			"assignee":       func() predicate.Value { return w.userEntry(s.Assignee) },
			"modifier":       func() predicate.Value { return w.userEntry(s.Modifier) },
			"resolver":       func() predicate.Value { return w.userEntry(s.Resolver) },
			"component":      func() predicate.Value { return w.componentEntry(s.Component) },
			"milestone":      func() predicate.Value { return w.milestoneEntry(s.Milestone) },
			"priority":       func() predicate.Value { return w.priorityEntry(s.Priority) },
			"classification": func() predicate.Value { return w.classificationEntry(s.Classification) },
			"state":          func() predicate.Value { return w.stateEntry(s.State) },
		},
	}
}

func (w *world) logEntry(l problem.LogEntry) predicate.Value {
	return entry{l.ID,
		values{"type": string(l.Type), "creationDate": l.Created, "isSignificant": l.Type.Significant()},
		objects{"author": func() predicate.Value { return w.userEntry(l.Author) }},
	}
}

func (w *world) commentEntry(c store.AddComment) predicate.Value {
	return entry{c.Comment.ID,
		values{"creationDate": c.Comment.Created, "text": c.Comment.Text},
		objects{"author": func() predicate.Value { return w.userEntry(c.Comment.Author) }},
	}
}

func (w *world) keywordEntry(at named) predicate.Value {
	e := entry{at, values{"name": at.name, "value": nil}, nil}
	if value := w.keywords[at].Value; value.Valid {
		e.values["value"] = value.String
	}
	return e
}

// relationshipEntry returns a relationship, whose parent is always the problem that
// has it.
func (w *world) relationshipEntry(l link, as ident.ID) predicate.Value {
	return entry{l,
		values{"type": int64(l.t.Code()), "problemIdentifier": int64(l.other), "parentId": int64(l.owner)},
		objects{
			"child":  func() predicate.Value { return w.problemEntry(l.other, as) },
			"parent": func() predicate.Value { return w.problemEntry(l.owner, as) },
		},
	}
}

func timeOrNil(t time.Time) predicate.Value {
	if t.IsZero() {
		return nil
	}
	return t
}
