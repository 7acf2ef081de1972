package tracker

import (
	"slices"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/text"
)

// Expected is the value of a read-only member, as a client sent it back. It is compared
// with the current value and never stored (D11). The zero Expected was not sent.
type Expected[T any] struct {
	patch.Field[T]
	// Other is true for a value unlike every T, such as a value of another type.
	Other bool
}

// Expect returns the expectation of v.
func Expect[T any](v T) Expected[T] { return Expected[T]{Field: patch.Set(v)} }

// ExpectNull returns the expectation of no value.
func ExpectNull[T any]() Expected[T] { return Expected[T]{Field: patch.Null[T]()} }

// ExpectOther returns an expectation without any value to meet it.
func ExpectOther[T any]() Expected[T] {
	return Expected[T]{Field: patch.Field[T]{Sent: true}, Other: true}
}

// met reports whether the current value meets the expectation. null is true when there is
// no current value. same compares the value sent with the current one. Without a value
// sent, the expectation is met.
func (e Expected[T]) met(null bool, same func(T) bool) bool {
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

// ServiceFields are the read-only members of a problem, as a client sent them back. Only
// the service writes them.
type ServiceFields struct {
	Identifier     Expected[problem.ID]
	Created        Expected[time.Time]
	Originator     Expected[metadata.Partial]
	Modified       Expected[time.Time]
	Modifier       Expected[metadata.Partial]
	Resolved       Expected[time.Time]
	Resolver       Expected[metadata.Partial]
	Keywords       Expected[[]problem.Keyword]
	Watching       Expected[bool]
	ReadByAssignee Expected[bool]
	Revision       Expected[int64]
	// Log need not have all entries: answers to writes have only the entries of their
	// own batch.
	Log Expected[[]ExpectedEntry]
}

// ExpectedEntry is an entry of a log as a client sent it back. Only the members sent are
// compared.
type ExpectedEntry struct {
	ID          ident.ID
	Type        Expected[problem.LogType]
	Created     Expected[time.Time]
	Author      Expected[metadata.Partial]
	Batch       Expected[ident.ID]
	Significant Expected[bool]
	Field       Expected[string]
	From        Expected[problem.LogValue]
	To          Expected[problem.LogValue]
}

// comparison is the comparison of one member with the current value.
type comparison struct {
	name string
	sent bool // and not null
	same bool
}

func compare[T any](name string, e Expected[T], null bool, same func(T) bool) comparison {
	return comparison{name, e.Sent && !e.Null, e.met(null, same)}
}

func compareValue[T comparable](name string, e Expected[T], current T) comparison {
	return compare(name, e, false, func(sent T) bool { return sent == current })
}

func compareInstant(name string, e Expected[time.Time], current time.Time) comparison {
	return compare(name, e, current.IsZero(), func(sent time.Time) bool { return sameInstant(sent, current) })
}

func compareUser(name string, e Expected[metadata.Partial], current ident.ID, c *metadata.Catalogue) comparison {
	return compare(name, e, current.IsNone(), func(sent metadata.Partial) bool { return sameUser(sent, current, c) })
}

// binding compares the members with a fixed value: an update has to send them back as they
// are. They come by name.
func (f ServiceFields) binding(s store.Snapshot, c *metadata.Catalogue) []comparison {
	return []comparison{
		compareValue("identifier", f.Identifier, s.ID), // first, as it names the problem
		compareInstant("creationDate", f.Created, s.Created),
		compare("keywords", f.Keywords, false, func(sent []problem.Keyword) bool { return sameKeywords(sent, s.Keywords) }),
		compareUser("originator", f.Originator, s.Originator, c),
		compareInstant("resolveDate", f.Resolved, s.Resolved),
		compareUser("resolver", f.Resolver, s.Resolver, c),
	}
}

// moving compares the other members. They change by themselves between a read and a write,
// so old values in an update are no fault.
func (f ServiceFields) moving(s store.Snapshot, c *metadata.Catalogue) []comparison {
	return []comparison{
		compare("logs", f.Log, false, func(sent []ExpectedEntry) bool { return sameLog(sent, s.Log, c) }),
		compareInstant("modificationDate", f.Modified, s.Modified),
		compareUser("modifier", f.Modifier, s.Modifier, c),
		compareValue("readByAssignee", f.ReadByAssignee, s.ReadByAssignee),
		compareValue("revision", f.Revision, s.Revision),
		compareValue("watching", f.Watching, s.Watching),
	}
}

// all compares all members.
func (f ServiceFields) all(s store.Snapshot, c *metadata.Catalogue) []comparison {
	return append(f.binding(s, c), f.moving(s, c)...)
}

// refuseOthers adds a fault for each member that has another value. So a problem can be
// sent back as it was read, but not with an edit that would be lost (D11).
func refuseOthers(members []comparison, faults *fault.List) {
	for _, m := range members {
		if !m.same {
			faults.Add(fault.ReadOnlyField, fault.At(m.name), "%s is written by the service: leave it out, or send it as it is", m.name)
		}
	}
}

// ignored returns the sorted names of the members sent with another value than the current
// one. They are not stored, and the client has to know.
func ignored(members []comparison) (names []string) {
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
func sameLog(sent []ExpectedEntry, current []problem.LogEntry, c *metadata.Catalogue) bool {
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

func (s ExpectedEntry) same(e problem.LogEntry, c *metadata.Catalogue) bool {
	for _, m := range []comparison{
		compareValue("type", s.Type, e.Type),
		compareInstant("creationDate", s.Created, e.Created),
		compareUser("author", s.Author, e.Author, c),
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
