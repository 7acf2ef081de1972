// Package audit holds the log of what administrators do: every change of metadata,
// users and tokens.
package audit

import (
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
)

// Type says what an Entry records.
type Type string

// The types of entries.
const (
	Created Type = "Created" // the object as a whole, from null
	Changed Type = "Changed" // one member of it
)

// Kind names a sort of object that an Entry is about.
type Kind string

// The kinds of objects: those of metadata, users with them, and tokens.
const (
	State          = Kind(metadata.States)
	Priority       = Kind(metadata.Priorities)
	Classification = Kind(metadata.Classifications)
	Component      = Kind(metadata.Components)
	Milestone      = Kind(metadata.Milestones)
	User           = Kind(metadata.Users)
	Token          = Kind("token")
)

// Kinds returns all kinds.
func Kinds() []Kind {
	return []Kind{State, Priority, Classification, Component, Milestone, User, Token}
}

// Entry is one line of the audit log, which only ever grows: who changed what,
// when, from what to what. All entries of one request carry the same Batch.
type Entry struct {
	ID      ident.ID
	Created time.Time
	Author  ident.ID // None for the service itself, and for its command line
	Batch   ident.ID
	Type    Type
	Kind    Kind     // of the object
	Object  ident.ID // the object's identifier
	Name    string   // the object's name, once it has changed; of a token, its user's
	Field   string   // the member that changed; empty for Created
	From    problem.LogValue
	To      problem.LogValue
}
