// Package observe tells others of every call to a store: how long it took and how
// it ended.
package observe

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
)

// Name is a method of store.Store.
type Name string

// The names of the calls.
const (
	View     Name = "view"
	Versions Name = "versions"
	Reserve  Name = "reserve"
	Commit   Name = "commit"
	Outcome  Name = "outcome"
	Confirm  Name = "confirm"
	Feed     Name = "feed"
	Restore  Name = "restore"
)

// Names are all calls.
var Names = []Name{View, Versions, Reserve, Commit, Outcome, Confirm, Feed, Restore}

// Kinds are the kinds of the store's faults.
var Kinds = []fault.Kind{fault.Unavailable, fault.UnknownOutcome, fault.Internal, fault.Conflict, fault.Unsupported, fault.Abandoned, fault.Closed}

// Call is one finished call.
type Call struct {
	Name Name
	// Context is the one of the caller.
	Context context.Context
	Start   time.Time
	Took    time.Duration
	// Err is the error of the store.
	Err error
	// Over is the reason for the end of the caller's context before the end of a failed
	// call. nil: it had not ended.
	Over error
	// Stored is the result of Outcome.
	Stored bool
}

// End returns when the call ended.
func (c Call) End() time.Time { return c.Start.Add(c.Took) }

// Kind returns the kind of the store's fault, or "". A View also returns the errors of
// its readers, such as a missing problem, or more data than announced: these are no
// faults of the store.
func (c Call) Kind() fault.Kind {
	if c.Err == nil || errors.Is(c.Err, store.ErrOver) {
		return ""
	}
	if kind := fault.KindOf(c.Err); slices.Contains(Kinds, kind) {
		return kind
	}
	return ""
}
