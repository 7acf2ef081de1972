package model

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/date"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// Entry is an object of the model for predicates, by section 3 of the query language. It
// has the values of its keys from the beginning, except for references to other objects,
// of which there may be no end.
type Entry struct {
	identity any
	Values   map[string]predicate.Value
	Objects  map[string]func() predicate.Value
}

// Identity implements predicate.Entry, as does Get. Equal identities mean the same object.
func (e Entry) Identity() any { return e.identity }

// Get fails for a key outside of the model.
func (e Entry) Get(_ context.Context, key *predicate.Key) (predicate.Value, error) {
	if object, ok := e.Objects[key.Name]; ok {
		return object(), nil
	}
	if value, ok := e.Values[key.Name]; ok {
		return value, nil
	}
	return nil, fmt.Errorf("the model has no key %s of a %s", key.Name, key.Of)
}

// The keys of an entry, before it is one.
type (
	values  = map[string]predicate.Value
	objects = map[string]func() predicate.Value
)

// ProblemEntry returns a problem as a user sees it.
func (w *World) ProblemEntry(id problem.ID, as ident.ID) predicate.Value {
	p, ok := w.AllProblems[id]
	if !ok {
		return nil
	}
	e := w.savepointEntry(snapshot.Savepoint{Problem: p})
	e.identity = id
	maps.Copy(e.Values, values{
		"identifier": int64(id), "watching": w.watchers[bench.Mark{Problem: id, User: as}], "read": w.readers[bench.Mark{Problem: id, User: as}],
		"claim.expires":  timeOrNil(w.Claims[id].Expires),
		"readByAssignee": !p.Assignee.IsNone() && w.readers[bench.Mark{Problem: id, User: p.Assignee}],
	})
	maps.Copy(e.Objects, objects{
		"claim.holder": func() predicate.Value { return w.UserEntry(w.Claims[id].Holder) },
		"history": func() predicate.Value {
			return collection(w.Savepoints, func(s snapshot.Savepoint) bool { return s.ID == id }, func(s snapshot.Savepoint) predicate.Value { return w.savepointEntry(s) })
		},
		"logs": func() predicate.Value {
			return collection(w.Logs, func(l problem.LogEntry) bool { return l.Problem == id }, w.logEntry)
		},
		"comments": func() predicate.Value {
			return collection(w.AllComments, func(c store.AddComment) bool { return c.Problem == id && !c.Comment.Deleted }, w.commentEntry)
		},
		"attachments": func() predicate.Value {
			return collection(w.Attachments, func(a store.PutAttachment) bool { return a.Problem == id && a.Attachment.Deleted.IsZero() }, w.attachmentEntry)
		},
		"keywords": func() predicate.Value {
			return collection(keysOf(w.Keywords), func(at named) bool { return at.problem == id }, w.keywordEntry)
		},
		"relationships": func() predicate.Value {
			return collection(keysOf(w.Relationships), func(l Link) bool { return l.Owner == id }, func(l Link) predicate.Value { return w.relationshipEntry(l, as) })
		},
		"watchers": func() predicate.Value {
			return collection(keysOf(w.watchers), func(m bench.Mark) bool { return m.Problem == id && w.UserEntry(m.User) != nil }, func(m bench.Mark) predicate.Value { return w.UserEntry(m.User) })
		},
	})
	return e
}

// keysOf returns the keys of a map, in any order.
func keysOf[K comparable, V any](m map[K]V) []K { return slices.Collect(maps.Keys(m)) }

// collection returns the entries of the objects in it.
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
func (w *World) savepointEntry(s snapshot.Savepoint) Entry {
	type identity struct {
		problem problem.ID
		batch   ident.ID
	}
	e := Entry{identity{s.ID, s.Batch}, values{}, objects{}}
	for _, f := range problem.AllFields() {
		problem.Value(f, &s.Problem, describing{w, e})
	}
	return e
}

// describing adds the values of fields to an entry.
type describing struct {
	w *World
	Entry
}

// Text implements problem.Kinds, as do the methods below.
func (d describing) Text(f *problem.Field, text *string) (none struct{}) {
	d.Values[f.Name] = nil
	if f.Required || *text != "" {
		d.Values[f.Name] = *text
	}
	return none
}

// Reference adds an object.
func (d describing) Reference(f *problem.Field, id *ident.ID) (none struct{}) {
	to := *id
	d.Objects[f.Name] = func() predicate.Value { return d.w.objectEntry(f.To, to) }
	return none
}

// Date adds the end of the day in UTC, or nil.
func (d describing) Date(f *problem.Field, day *date.Date) (none struct{}) {
	d.Values[f.Name] = nil
	if !day.IsNone() {
		d.Values[f.Name] = day.End(time.UTC)
	}
	return none
}

// Time adds a time, or nil.
func (d describing) Time(f *problem.Field, at *time.Time) (none struct{}) {
	d.Values[f.Name] = timeOrNil(*at)
	return none
}

func (w *World) logEntry(l problem.LogEntry) predicate.Value {
	return Entry{l.ID,
		values{"type": string(l.Type), "creationDate": l.Created, "isSignificant": l.Type.Significant()},
		objects{"author": func() predicate.Value { return w.UserEntry(l.Author) }},
	}
}

func (w *World) commentEntry(c store.AddComment) predicate.Value {
	return Entry{c.Comment.ID,
		values{"creationDate": c.Comment.Created, "text": c.Comment.Text},
		objects{"author": func() predicate.Value { return w.UserEntry(c.Comment.Author) }},
	}
}

func (w *World) attachmentEntry(a store.PutAttachment) predicate.Value {
	return Entry{a.Attachment.ID,
		values{"name": a.Attachment.Name, "mediaType": a.Attachment.MediaType, "size": a.Attachment.Bytes},
		objects{"author": func() predicate.Value { return w.UserEntry(a.Attachment.Author) }},
	}
}

func (w *World) keywordEntry(at named) predicate.Value {
	e := Entry{at, values{"name": at.name, "value": nil}, nil}
	if value := w.Keywords[at].Value; value.Valid {
		e.Values["value"] = value.String
	}
	return e
}

// relationshipEntry returns a relationship. Its parent is always its owner.
func (w *World) relationshipEntry(l Link, as ident.ID) predicate.Value {
	return Entry{l,
		values{"type": int64(l.Type.Code()), "problemIdentifier": int64(l.Other), "parentId": int64(l.Owner)},
		objects{
			"child":  func() predicate.Value { return w.ProblemEntry(l.Other, as) },
			"parent": func() predicate.Value { return w.ProblemEntry(l.Owner, as) },
		},
	}
}

func timeOrNil(t time.Time) predicate.Value {
	if t.IsZero() {
		return nil
	}
	return t
}
