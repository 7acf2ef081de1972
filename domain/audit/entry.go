// Package audit holds the log of what administrators do: every change of metadata,
// users and tokens.
package audit

import (
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
)

// Type says what an Entry records.
type Type string

// The types of entries.
const (
	Created Type = "Created" // the object as a whole, from null
	Changed Type = "Changed" // one member of it
)

// Token is the kind of an Entry about a token; the others are metadata.Kinds.
const Token = "token"

// Entry is one line of the audit log, which only ever grows: who changed what,
// when, from what to what. All entries of one request carry the same Batch.
type Entry struct {
	ID      ident.ID
	Created time.Time
	Author  ident.ID // None for the service itself
	Batch   ident.ID
	Type    Type
	Kind    string   // of the object: a metadata.Kind, or Token
	Object  ident.ID // the object's identifier
	Name    string   // the object's name, once it has changed; of a token, its user's
	Field   string   // the member that changed; empty for Created
	From    problem.LogValue
	To      problem.LogValue
}
