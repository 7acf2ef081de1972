package event

import (
	"time"

	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
)

// Type names the subject of an event and what happened to it: "problem.changed",
// "component.created" and so on. See Of.
type Type string

// The types of events about problems.
const (
	ProblemCreated Type = "problem.created"
	ProblemChanged Type = "problem.changed"
)

// TypeOf returns the type of an event about an object of administration: the kind of the
// object and ".created" or ".changed".
func TypeOf(kind audit.Kind, created bool) Type {
	if created {
		return Type(kind) + ".created"
	}
	return Type(kind) + ".changed"
}

// Types returns all types, those of problems first.
func Types() []Type {
	all := []Type{ProblemCreated, ProblemChanged}
	for _, kind := range audit.Kinds() {
		all = append(all, TypeOf(kind, true), TypeOf(kind, false))
	}
	return all
}

// Event is the part of one request that concerns one problem, or one object of
// administration: metadata, a user or a token.
type Event struct {
	Type Type

	// These members are for an event about a problem, as it is after the request.
	Problem  problem.ID
	Title    string
	State    ident.ID
	Revision int64

	// These members are for an event about an object of administration.
	Kind   audit.Kind
	Object ident.ID
	Name   string // as in audit.Entry

	// Lines are the problem's log entries, or the object's audit entries, in their
	// order. There is at least one.
	Lines []Line
}

// Admin reports whether only administrators may see the event (D39).
func (e Event) Admin() bool { return e.Problem == 0 }

// Line is one log or audit entry without the members common to its event.
type Line struct {
	ID   ident.ID
	Type string // a problem.LogType or an audit.Type
	// Field is the changed field; empty for a creation.
	Field    string
	From, To problem.LogValue
}

// Entry is one place in the feed: all events of one Change, in their order.
type Entry struct {
	// Number is the place: 1 for the first entry, and 1 more for each next one. It never
	// changes.
	Number int64
	// Batch, At, Author and Via are those of the Change.
	Batch  ident.ID
	At     time.Time
	Author ident.ID
	Via    ident.ID
	Events []Event
}

// Rewrites reports whether the Change of the entry has replaced texts in earlier entries (D45, D46).
func (e Entry) Rewrites() bool {
	for _, v := range e.Events {
		for _, l := range v.Lines {
			if l.Type == string(problem.Redacted) || v.Kind == audit.User && l.Field == audit.Erased {
				return true
			}
		}
	}
	return false
}

// overhead is the assumed size of an entry, an event or a line beside its texts, in bytes.
const overhead = 256

// Size returns the approximate size of the entry in memory, in bytes.
func (e Entry) Size() int64 {
	size := int64(overhead)
	for _, v := range e.Events {
		size += v.Size()
	}
	return size
}

// Size returns the approximate size of the event in memory, in bytes.
func (e Event) Size() int64 {
	size := overhead + int64(len(e.Title)+len(e.Name))
	for _, l := range e.Lines {
		size += overhead + int64(len(l.Field)+len(l.From)+len(l.To))
	}
	return size
}
