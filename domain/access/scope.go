// Package access holds tokens and their scopes (D17).
package access

import (
	"errors"
	"strings"
)

// Scope is the set of operations allowed to a token. Each scope includes the ones before
// it.
type Scope string

// The scopes, from the smallest.
const (
	Read    Scope = "read"    // reads, every search, and the own tokens
	Comment Scope = "comment" // own comments and attachments
	Report  Scope = "report"  // new problems
	Write   Scope = "write"   // all writes on problems, saved queries, new milestones, the own choice of e-mail and preferences
	Admin   Scope = "admin"   // all other metadata, users, tokens, webhooks, the sessions of others, the audit log
)

// Scopes returns all scopes, from the smallest.
func Scopes() []Scope { return []Scope{Read, Comment, Report, Write, Admin} }

func (s Scope) rank() int {
	for i, known := range Scopes() {
		if s == known {
			return i + 1
		}
	}
	return 0
}

// Valid reports whether s is one of the scopes.
func (s Scope) Valid() bool { return s.rank() > 0 }

// Covers reports whether a token of scope s may use an operation of the needed scope.
func (s Scope) Covers(needed Scope) bool { return needed.Valid() && s.rank() >= needed.rank() }

// Check refuses any text but the scopes. The text of the error ends a sentence for
// its author.
func (s Scope) Check() error {
	if s.Valid() {
		return nil
	}
	var names []string
	for _, known := range Scopes() {
		names = append(names, string(known))
	}
	return errors.New("must be one of: " + strings.Join(names, ", "))
}
