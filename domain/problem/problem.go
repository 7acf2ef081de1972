// Package problem holds the issue record and everything that belongs to one
// problem alone: its keywords, comments and log.
package problem

import (
	"fmt"
	"time"

	"github.com/problemtracking/problems/domain/ident"
)

// ID numbers a problem. It is at least 1, unique and never reused; gaps are
// allowed. If the creation of A was answered before that of B was sent, A's is
// smaller (D1).
type ID int64

// MaxID is the greatest number that a problem can have. It and the one above it, which
// archives name, are integers that every reader of JSON has exactly (RFC 8785).
const MaxID ID = 1<<53 - 2

// CheckID refuses a number above MaxID. The text of the error ends a sentence for its
// author.
func CheckID(id ID) error {
	if id > MaxID {
		return fmt.Errorf("must be at most %d", MaxID)
	}
	return nil
}

// Problem is a problem as it is stored at one revision. Its keywords, comments,
// relationships, watchers and log are stored beside it.
type Problem struct {
	ID ID
	Fields
	Originator ident.ID  // the user who created it
	Created    time.Time // UTC, whole milliseconds, as all times
	Modifier   ident.ID  // the user who made the latest change that counts (D1)
	Modified   time.Time // never earlier than before
	Resolver   ident.ID  // the user who made the latest move into a resolved state; None while not resolved
	Resolved   time.Time // the time of that move; zero while not resolved
	// Revision is 1 at creation and one higher after each change of the
	// problem, its keywords, comments, relationships or watchers.
	Revision int64
}

// NullText is a text or null.
type NullText struct {
	String string
	Valid  bool // false: null
}

// Text returns a NullText that is not null.
func Text(s string) NullText { return NullText{String: s, Valid: true} }

// Keyword is a name on a problem, with or without a value (D4).
type Keyword struct {
	Name  string // 1 to 255 characters, not "." or ".."
	Value NullText
}

// Comment is a remark on a problem (D5). Comments are never changed.
type Comment struct {
	ID      ident.ID
	Author  ident.ID
	Created time.Time
	Text    string   // at least one character
	HTML    NullText // untrusted: never rendered unsanitised
}
