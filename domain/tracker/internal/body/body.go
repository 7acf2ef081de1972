// Package body checks the members of a request's body. It adds a fault for each invalid
// member and goes on: a client learns of all faults at once.
package body

import (
	"errors"
	"time"

	"github.com/problemtracking/problems/domain/column"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/text"
)

// Given reports whether a member was sent, and is not null.
func Given[T any](f patch.Field[T]) bool { return f.Sent && !f.Null }

// Require adds a fault for a missing required member. A member sent in an unreadable
// form already has a fault.
func Require(faults *fault.List, sent bool, where fault.Location, format string, args ...any) {
	if !sent && !faults.Covers(where) {
		faults.Add(fault.RequiredField, where, format, args...)
	}
}

// Line applies a text rule to a member. It refuses null.
func Line(rule text.Rule, sent patch.Field[string], where fault.Location, faults *fault.List) string {
	if sent.Null {
		faults.Add(fault.InvalidValue, where, "cannot be null")
		return ""
	}
	s, err := rule.Apply(sent.Value)
	if err != nil {
		faults.Add(fault.InvalidValue, where, "%v", err)
	}
	return s
}

// SetName sets a sent name.
func SetName(name *string, sent patch.Field[string], faults *fault.List) {
	if sent.Sent {
		*name = Line(text.Name, sent, fault.At("name"), faults)
	}
}

// SetFlag sets a sent flag.
func SetFlag(flag *bool, sent patch.Field[bool], where fault.Location, faults *fault.List) {
	switch {
	case sent.Null:
		faults.Add(fault.InvalidValue, where, "cannot be null: send true or false")
	case sent.Sent:
		*flag = sent.Value
	}
}

// SetColumns sets the sent columns of a list, or clears them.
func SetColumns(columns *column.List, sent patch.Field[string], faults *fault.List) {
	if sent.Null {
		*columns = ""
	} else if sent.Sent {
		parsed, err := column.Parse(sent.Value)
		AddInvalid(faults, fault.At("columns"), err)
		*columns = parsed
	}
}

// SetOrder sets a sent order.
func SetOrder(order *int, sent patch.Field[int64], faults *fault.List) {
	switch {
	case sent.Null:
		faults.Add(fault.InvalidValue, fault.At("order"), "cannot be null: send an integer")
	case sent.Sent && sent.Value != int64(*order):
		AddInvalid(faults, fault.At("order"), metadata.CheckOrder(sent.Value))
		*order = int(sent.Value)
	}
}

// SetTime sets a sent time, or clears it.
func SetTime(at *time.Time, sent patch.Field[time.Time], where fault.Location, faults *fault.List) {
	if !sent.Sent {
		return
	}
	*at = sent.Value.UTC().Truncate(time.Millisecond)
	if !sent.Null {
		AddInvalid(faults, where, text.CheckTime(*at))
	}
}

// SetReference sets a sent reference.
func SetReference(id *ident.ID, kind metadata.Kind, sent patch.Field[metadata.Partial], where fault.Location, c *metadata.Catalogue, faults *fault.List) {
	switch {
	case sent.Null:
		*id = ident.None
	case sent.Sent:
		*id = Resolve(c, kind, sent.Value, *id, where, faults)
	}
}

// AddInvalid adds the error of a rule about a member, unless it is nil or the member
// has another fault.
func AddInvalid(faults *fault.List, where fault.Location, err error) {
	if err == nil || faults.Covers(where) {
		return
	}
	if e, ok := errors.AsType[*predicate.Error](err); ok {
		faults.Add(fault.InvalidValue, where, "is not valid: %s (line %d, column %d)", e.Message, e.Line, e.Column)
		return
	}
	faults.Add(fault.InvalidValue, where, "%v", err)
}

// Resolve returns the only match of the partial. An object no longer in use can stay as the
// current value, but Resolve refuses it as a new one (D2).
func Resolve(c *metadata.Catalogue, kind metadata.Kind, partial metadata.Partial, current ident.ID, where fault.Location, faults *fault.List) ident.ID {
	id, found := find(c, kind, partial, where, faults)
	if !found {
		return current
	}
	if id != current {
		checkNew(c, id, where, faults)
	}
	return id
}

// find returns the only match of the partial.
func find(c *metadata.Catalogue, kind metadata.Kind, partial metadata.Partial, where fault.Location, faults *fault.List) (ident.ID, bool) {
	id, found := c.Resolve(kind, partial, where)
	faults.Append(found)
	return id, len(found) == 0
}

// checkNew refuses an object no longer in use as a new value (D2).
func checkNew(c *metadata.Catalogue, id ident.ID, where fault.Location, faults *fault.List) {
	if u, _ := c.User(id); u.Inactive {
		faults.Add(fault.InvalidValue, where, "this user is inactive: name an active one")
	}
	if o, _ := c.Component(id); o.Closed {
		faults.Add(fault.InvalidValue, where, "this component is closed: name an open one")
	}
}
