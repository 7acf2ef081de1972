// Package audit holds the log of the administrators' work: every change of metadata,
// users and tokens.
package audit

import (
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
)

// Type is the type of a recorded event.
type Type string

// The types of entries.
const (
	Created Type = "Created" // the object as a whole, from null
	Changed Type = "Changed" // one member of it
)

// Kind is the kind of the object in an Entry.
type Kind string

// The kinds of objects: those of metadata, users with them, tokens and webhooks.
const (
	State          = Kind(metadata.States)
	Priority       = Kind(metadata.Priorities)
	Classification = Kind(metadata.Classifications)
	Component      = Kind(metadata.Components)
	Milestone      = Kind(metadata.Milestones)
	User           = Kind(metadata.Users)
	Token          = Kind("token")
	Webhook        = Kind("webhook")
)

// Kinds returns all kinds.
func Kinds() []Kind {
	return []Kind{State, Priority, Classification, Component, Milestone, User, Token, Webhook}
}

// Entry is one line of the audit log: the author, the time, the object, and the values
// before and after. The log is append-only. All entries of one request have the same
// Batch.
type Entry struct {
	ID      ident.ID
	Created time.Time
	Author  ident.ID // None for the service itself and its command line
	Batch   ident.ID
	Type    Type
	Kind    Kind     // of the object
	Object  ident.ID // the object's identifier
	Name    string   // the object's name, after a renaming the new one; for a token, its user's; for a webhook, the host of its receiver
	Field   string   // the changed member; empty for Created
	From    problem.LogValue
	To      problem.LogValue
}
