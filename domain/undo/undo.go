// Package undo decides what goes back when a batch is undone (D47).
package undo

import (
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
)

// Reason says why an entry of a batch stays.
type Reason string

// The reasons to stay.
const (
	// MovedOn: a later entry is about the same field, keyword, pair of problems or comment.
	MovedOn Reason = "moved-on"
	// Permanent: such an entry never goes back.
	Permanent Reason = "permanent"
	// Forbidden: it is somebody else's comment.
	Forbidden Reason = "forbidden"
)

// Entry is an entry of the batch in the log of a problem.
type Entry struct {
	problem.LogEntry
	Stays Reason // empty: the entry goes back
}

// Reading follows the log of one problem, and keeps the entries of a batch. Its size does not
// depend on the rest of the log.
type Reading struct {
	batch   ident.ID
	entries []Entry
	created bool            // the batch has created the problem
	latest  map[subject]int // the entries that go back, as far as the log was read
}

// Of returns a Reading of the batch.
func Of(batch ident.ID) *Reading {
	return &Reading{batch: batch, latest: map[subject]int{}}
}

// Read takes the next entry of the log: the oldest one first.
func (r *Reading) Read(e problem.LogEntry) {
	of := e.Batch == r.batch
	if !of && len(r.latest) == 0 {
		return
	}
	about, known := subjectOf(e)
	if i, found := r.latest[about]; known && found {
		r.entries[i].Stays = MovedOn
		delete(r.latest, about)
	}
	if !of {
		return
	}
	r.created = r.created || e.Type == problem.ProblemCreated
	entry := Entry{LogEntry: e}
	if known && !r.created && Reversible(e.Type) {
		r.latest[about] = len(r.entries)
	} else {
		entry.Stays = Permanent
	}
	r.entries = append(r.entries, entry)
}

// Entries returns the entries of the batch, oldest first.
func (r *Reading) Entries() []Entry { return r.entries }

// Reversible reports whether entries of this type can go back.
func Reversible(t problem.LogType) bool {
	switch t {
	case problem.FieldChanged, problem.KeywordSet, problem.KeywordDeleted, problem.RelationshipAdded, problem.RelationshipDeleted, problem.CommentAdded, problem.CommentEdited:
		return true
	}
	return false
}

// subject is what an entry is about. Two entries about one subject do not go back one
// without the other.
type subject struct {
	kind  kind
	name  string     // of a field, a keyword, the family of a pair, or a comment
	other problem.ID // of a pair
}

type kind uint8

const (
	field kind = iota
	keyword
	pair
	comment
)

// subjectOf returns false for entries that are about none: they never go back.
func subjectOf(e problem.LogEntry) (subject, bool) {
	switch e.Type {
	case problem.FieldChanged:
		return subject{kind: field, name: e.Field}, true
	case problem.KeywordSet, problem.KeywordDeleted:
		return subject{kind: keyword, name: e.Field}, true
	case problem.RelationshipAdded, problem.RelationshipDeleted:
		family, known := relationship.Type(e.Field).Family()
		other, ok := e.Other()
		return subject{kind: pair, name: string(family.Forward), other: other}, known && ok
	case problem.CommentAdded, problem.CommentEdited:
		id, ok := e.To.Text()
		return subject{kind: comment, name: id}, ok
	case problem.CommentDeleted:
		before, ok := e.From.Comment()
		return subject{kind: comment, name: before.ID.String()}, ok
	}
	return subject{}, false
}
