package search

import (
	"context"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/user"
)

// Metadata returns the entry of a metadata object or user of the catalogue, with the
// keys of section 3 of the query language. It is a nil interface for ident.None and for
// unknown objects; a predicate sees nil. It never loads anything, and its Get takes any
// context.
func Metadata(c *metadata.Catalogue, of predicate.Entity, id ident.ID) predicate.Entry {
	if id.IsNone() {
		return nil
	}
	switch of {
	case predicate.State:
		if o, ok := c.State(id); ok {
			return state{c, o}
		}
	case predicate.Priority:
		if o, ok := c.Priority(id); ok {
			return priority(o)
		}
	case predicate.Classification:
		if o, ok := c.Classification(id); ok {
			return classification(o)
		}
	case predicate.Component:
		if o, ok := c.Component(id); ok {
			return component{c, o}
		}
	case predicate.Milestone:
		if o, ok := c.Milestone(id); ok {
			return milestone{c, o}
		}
	case predicate.User:
		if o, ok := c.User(id); ok {
			return person(o)
		}
	}
	return nil
}

// references returns the entries of these objects, without the unknown ones.
func references(c *metadata.Catalogue, of predicate.Entity, ids []ident.ID) []predicate.Value {
	entries := make([]predicate.Value, 0, len(ids))
	for _, id := range ids {
		if entry := Metadata(c, of, id); entry != nil {
			entries = append(entries, entry)
		}
	}
	return entries
}

// noKey is the error of an entry for a key outside of its schema.
func noKey(key *predicate.Key) error {
	return fault.New(fault.Internal, "a %s has no key %s to search by", key.Of, key.Name)
}

// optional returns the time, or nil for the zero time.
func optional(t time.Time) predicate.Value {
	if t.IsZero() {
		return nil
	}
	return t
}

type state struct {
	catalogue *metadata.Catalogue
	metadata.State
}

// Identity implements predicate.Entry.
func (o state) Identity() any { return o.ID }

// Get implements predicate.Entry.
func (o state) Get(_ context.Context, key *predicate.Key) (predicate.Value, error) {
	switch key.Name {
	case "identifier":
		return o.ID, nil
	case "name":
		return o.Name, nil
	case "resolved":
		return o.Resolved, nil
	case "initial":
		return o.Initial, nil
	case "order":
		return int64(o.Order), nil
	case "nextStates":
		return references(o.catalogue, predicate.State, o.Next), nil
	case "previousStates":
		return references(o.catalogue, predicate.State, o.catalogue.Previous(o.ID)), nil
	}
	return nil, noKey(key)
}

type priority metadata.Priority

// Identity implements predicate.Entry.
func (o priority) Identity() any { return o.ID }

// Get implements predicate.Entry.
func (o priority) Get(_ context.Context, key *predicate.Key) (predicate.Value, error) {
	switch key.Name {
	case "identifier":
		return o.ID, nil
	case "name":
		return o.Name, nil
	case "order":
		return int64(o.Order), nil
	}
	return nil, noKey(key)
}

type classification metadata.Classification

// Identity implements predicate.Entry.
func (o classification) Identity() any { return o.ID }

// Get implements predicate.Entry.
func (o classification) Get(_ context.Context, key *predicate.Key) (predicate.Value, error) {
	switch key.Name {
	case "identifier":
		return o.ID, nil
	case "name":
		return o.Name, nil
	}
	return nil, noKey(key)
}

type component struct {
	catalogue *metadata.Catalogue
	metadata.Component
}

// Identity implements predicate.Entry.
func (o component) Identity() any { return o.ID }

// Get implements predicate.Entry.
func (o component) Get(_ context.Context, key *predicate.Key) (predicate.Value, error) {
	switch key.Name {
	case "identifier":
		return o.ID, nil
	case "name":
		return o.Name, nil
	case "fullName":
		return o.catalogue.FullName(o.ID), nil
	case "closed":
		return o.Closed, nil
	case "successor":
		return Metadata(o.catalogue, predicate.Component, o.Successor), nil
	case "parent":
		return Metadata(o.catalogue, predicate.Component, o.Parent), nil
	case "children":
		return references(o.catalogue, predicate.Component, o.catalogue.Children(o.ID)), nil
	}
	return nil, noKey(key)
}

type milestone struct {
	catalogue *metadata.Catalogue
	metadata.Milestone
}

// Identity implements predicate.Entry.
func (o milestone) Identity() any { return o.ID }

// Get implements predicate.Entry.
func (o milestone) Get(_ context.Context, key *predicate.Key) (predicate.Value, error) {
	switch key.Name {
	case "identifier":
		return o.ID, nil
	case "component":
		return Metadata(o.catalogue, predicate.Component, o.Component), nil
	case "name":
		return o.Name, nil
	case "creationDate":
		return o.Created, nil
	case "startDate":
		return optional(o.Start), nil
	case "endDate":
		return optional(o.End), nil
	}
	return nil, noKey(key)
}

type person user.User

// Identity implements predicate.Entry.
func (o person) Identity() any { return o.ID }

// Get implements predicate.Entry.
func (o person) Get(_ context.Context, key *predicate.Key) (predicate.Value, error) {
	switch key.Name {
	case "identifier":
		return o.ID, nil
	case "name":
		return o.Name, nil
	case "email":
		if o.Email == "" {
			return nil, nil
		}
		return o.Email, nil
	case "inactive":
		return o.Inactive, nil
	}
	return nil, noKey(key)
}
