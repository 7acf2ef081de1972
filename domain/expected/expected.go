// Package expected compares the read-only members of a client's request with their
// current values (D11).
package expected

import (
	"slices"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/text"
)

// Value is the value of a read-only member, as a client sent it back. It is compared with
// the current value and never stored (D11). The zero Value was not sent.
type Value[T any] struct {
	patch.Field[T]
	// Other is true for a value unlike every T, such as a value of another type.
	Other bool
}

// Of returns the expectation of v.
func Of[T any](v T) Value[T] { return Value[T]{Field: patch.Set(v)} }

// Null returns the expectation of no value.
func Null[T any]() Value[T] { return Value[T]{Field: patch.Null[T]()} }

// Other returns an expectation without any value to meet it.
func Other[T any]() Value[T] {
	return Value[T]{Field: patch.Field[T]{Sent: true}, Other: true}
}

// met reports whether the current value meets the expectation. null is true when there is
// no current value. same compares the value sent with the current one. Without a value
// sent, the expectation is met.
func (e Value[T]) met(null bool, same func(T) bool) bool {
	switch {
	case !e.Sent:
		return true
	case e.Other:
		return false
	case e.Null:
		return null
	}
	return same(e.Value)
}

// Problem holds the read-only members of a problem, as a client sent them back. Only the
// service writes them.
type Problem struct {
	Identifier     Value[problem.ID]
	Created        Value[time.Time]
	Originator     Value[metadata.Partial]
	Modified       Value[time.Time]
	Modifier       Value[metadata.Partial]
	Resolved       Value[time.Time]
	Resolver       Value[metadata.Partial]
	Keywords       Value[[]problem.Keyword]
	Watching       Value[bool]
	ReadByAssignee Value[bool]
	Revision       Value[int64]
	// Log need not have all entries: answers to writes have only the entries of their
	// own batch.
	Log Value[[]Entry]
}

// Entry is an entry of a log as a client sent it back. Only the members sent are
// compared.
type Entry struct {
	ID          ident.ID
	Type        Value[problem.LogType]
	Created     Value[time.Time]
	Author      Value[metadata.Partial]
	Via         Value[ident.ID]
	Batch       Value[ident.ID]
	Significant Value[bool]
	Field       Value[string]
	From        Value[problem.LogValue]
	To          Value[problem.LogValue]
}

// Object holds the members of a metadata object written only by the service, as a client
// sent them back. For a kind without the member, no value is equal.
type Object struct {
	Identifier Value[ident.ID]
	FullName   Value[string]    // of a component
	Created    Value[time.Time] // of a milestone
}

// Members are compared members.
type Members []comparison

// comparison is the comparison of one member with the current value.
type comparison struct {
	name string
	sent bool // and not null
	same bool
}

func compare[T any](name string, e Value[T], null bool, same func(T) bool) comparison {
	return comparison{name, e.Sent && !e.Null, e.met(null, same)}
}

func compareValue[T comparable](name string, e Value[T], current T) comparison {
	return compare(name, e, false, func(sent T) bool { return sent == current })
}

func compareInstant(name string, e Value[time.Time], current time.Time) comparison {
	return compare(name, e, current.IsZero(), func(sent time.Time) bool { return sameInstant(sent, current) })
}

func compareUser(name string, e Value[metadata.Partial], current ident.ID, c *metadata.Catalogue) comparison {
	return compare(name, e, current.IsNone(), func(sent metadata.Partial) bool { return sameUser(sent, current, c) })
}

// Binding compares the members with a fixed value: an update has to send them back as they
// are. They come by name.
func (f Problem) Binding(s snapshot.Snapshot, c *metadata.Catalogue) Members {
	return Members{
		compareValue("identifier", f.Identifier, s.ID), // first, as it names the problem
		compareInstant("creationDate", f.Created, s.Created),
		compare("keywords", f.Keywords, false, func(sent []problem.Keyword) bool { return sameKeywords(sent, s.Keywords) }),
		compareUser("originator", f.Originator, s.Originator, c),
		compareInstant("resolveDate", f.Resolved, s.Resolved),
		compareUser("resolver", f.Resolver, s.Resolver, c),
	}
}

// Moving compares the other members. They change by themselves between a read and a write,
// so old values in an update are no fault.
func (f Problem) Moving(s snapshot.Snapshot, c *metadata.Catalogue) Members {
	return Members{
		compare("logs", f.Log, false, func(sent []Entry) bool { return sameLog(sent, s.Log, c) }),
		compareInstant("modificationDate", f.Modified, s.Modified),
		compareUser("modifier", f.Modifier, s.Modifier, c),
		compareValue("readByAssignee", f.ReadByAssignee, s.ReadByAssignee),
		compareValue("revision", f.Revision, s.Revision),
		compareValue("watching", f.Watching, s.Watching),
	}
}

// All compares all members.
func (f Problem) All(s snapshot.Snapshot, c *metadata.Catalogue) Members {
	return append(f.Binding(s, c), f.Moving(s, c)...)
}

// All compares the members with those of an object. fullName is empty, and created zero,
// for a kind without this member.
func (o Object) All(id ident.ID, fullName string, created time.Time) Members {
	return Members{
		compare("creationDate", o.Created, false, func(sent time.Time) bool { return sameInstant(sent, created) }),
		compare("fullName", o.FullName, false, func(sent string) bool { return fullName != "" && text.NFC(sent) == fullName }),
		compareValue("identifier", o.Identifier, id),
	}
}

// Refuse adds a fault for each member sent with another value. So a problem can be sent
// back as it was read, but not with an edit that would be lost (D11).
func (members Members) Refuse(faults *fault.List) {
	for _, m := range members {
		if !m.same {
			faults.Add(fault.ReadOnlyField, fault.At(m.name), "%s is written by the service: leave it out, or send it as it is", m.name)
		}
	}
}

// Ignored returns the sorted names of the members sent with another value than the current
// one, except null. They are not stored, and the client has to know.
func (members Members) Ignored() (names []string) {
	for _, m := range members {
		if m.sent && !m.same {
			names = append(names, m.name)
		}
	}
	slices.Sort(names)
	return names
}

// sameUser compares by identity: with an identifier, a user is the same after a change of
// name (D11).
func sameUser(sent metadata.Partial, current ident.ID, c *metadata.Catalogue) bool {
	if current.IsNone() {
		return false
	}
	if members, ok := sent.(metadata.Members); ok && members["identifier"] != nil {
		return members["identifier"] == metadata.Partial(metadata.Text(current.String()))
	}
	id, faults := c.Resolve(metadata.Users, sent, fault.Location{})
	return len(faults) == 0 && id == current
}

func sameInstant(sent, current time.Time) bool { return !current.IsZero() && sent.Equal(current) }

func sameKeywords(sent, current []problem.Keyword) bool {
	if len(sent) != len(current) {
		return false
	}
	var keywords []problem.Keyword
	for _, k := range sent {
		keywords = append(keywords, problem.Keyword{
			Name:  text.NFC(k.Name),
			Value: problem.NullText{String: text.NFC(k.Value.String), Valid: k.Value.Valid},
		})
	}
	for _, k := range current {
		if !slices.Contains(keywords, k) {
			return false
		}
	}
	return true
}

// sameLog reports whether the log has all the entries sent, with the same members.
func sameLog(sent []Entry, current []problem.LogEntry, c *metadata.Catalogue) bool {
	entries := make(map[ident.ID]problem.LogEntry, len(current))
	if len(sent) > 0 {
		for _, e := range current {
			entries[e.ID] = e
		}
	}
	for _, s := range sent {
		e, found := entries[s.ID]
		if !found || !s.same(e, c) {
			return false
		}
	}
	return true
}

func (s Entry) same(e problem.LogEntry, c *metadata.Catalogue) bool {
	for _, m := range []comparison{
		compareValue("type", s.Type, e.Type),
		compareInstant("creationDate", s.Created, e.Created),
		compareUser("author", s.Author, e.Author, c),
		compare("via", s.Via, e.Via.IsNone(), func(sent ident.ID) bool { return sent == e.Via }),
		compareValue("batchIdentifier", s.Batch, e.Batch),
		compareValue("isSignificant", s.Significant, e.Type.Significant()),
		compare("field", s.Field, e.Field == "", func(sent string) bool { return sent == e.Field }),
		compare("from", s.From, e.From == "", e.From.Same),
		compare("to", s.To, e.To == "", e.To.Same),
	} {
		if !m.same {
			return false
		}
	}
	return true
}
