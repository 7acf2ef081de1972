// Package problem holds the issue record and its own parts: keywords, comments and log.
package problem

import (
	"fmt"
	"slices"
	"strconv"
	"time"

	"github.com/problemtracking/problems/domain/ident"
)

// ID numbers a problem. It is at least 1, unique and never reused; gaps are allowed. If
// the creation of A was answered before that of B was sent, A's is smaller (D1).
type ID int64

// MaxID is the greatest number of a problem. Every JSON reader represents it, and the
// next integer above, exactly (RFC 8785). Archives name both.
const MaxID ID = 1<<53 - 2

// CheckID refuses a number above MaxID. The text of the error ends a sentence for its
// author.
func CheckID(id ID) error {
	if id > MaxID {
		return fmt.Errorf("must be at most %d", MaxID)
	}
	return nil
}

// ParseID returns the number in the text: digits alone, without leading zeros. ok is false
// for any other text.
func ParseID(text string) (id ID, ok bool) {
	n, err := strconv.ParseInt(text, 10, 64)
	return ID(n), err == nil && '1' <= text[0] && text[0] <= '9'
}

// Problem is a problem at one revision, in its stored form. Its keywords, comments,
// relationships, watchers and log are stored beside it.
type Problem struct {
	ID ID
	Fields
	Originator ident.ID  // the user of its creation
	Created    time.Time // UTC, whole milliseconds, like all times
	Modifier   ident.ID  // the author of the latest change, by the rule of D1
	Modified   time.Time // never earlier than before
	Resolver   ident.ID  // the author of the latest move into a resolved state; None while not resolved
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

// Text returns a non-null NullText.
func Text(s string) NullText { return NullText{String: s, Valid: true} }

// Keyword is a name on a problem, with or without a value (D4).
type Keyword struct {
	Name  string // 1 to 255 characters, not "." or ".."
	Value NullText
}

// Comment is a remark on a problem (D5).
type Comment struct {
	ID      ident.ID
	Author  ident.ID
	Via     ident.ID // the token of the author, as in [LogEntry]
	Created time.Time
	Text    string   // at least one character
	HTML    NullText // untrusted: never rendered unsanitised
	// Edited and Editor are the time and the author of the latest edit (D44). They are zero
	// and None before the first one.
	Edited time.Time
	Editor ident.ID
	// Deleted marks the place of a deleted comment (D44). The place stays, because cursors
	// count places. It has no text, no HTML and no edit.
	Deleted bool
}

// Place returns the comment as it stays when it is deleted.
func (c Comment) Place() Comment {
	return Comment{ID: c.ID, Author: c.Author, Via: c.Via, Created: c.Created, Deleted: true}
}

// Present returns the comments without the deleted ones. It changes the given slice.
func Present(comments []Comment) []Comment {
	return slices.DeleteFunc(comments, func(c Comment) bool { return c.Deleted })
}
