// Package changes builds the Change of a write: its expectations and effects, its entries in
// the logs, and its events. All of it is pure.
package changes

import (
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// Moment holds the time and the identifiers of a decision. They make the decision a
// pure function of its arguments.
type Moment struct {
	At  time.Time // UTC, whole milliseconds
	IDs ident.Sequence
}

// Builder builds the Change of one request. It adds the common effects of every
// change of a problem: the expectation, the revision, the author and time, and the read
// marks.
type Builder struct {
	store.Change
	ids ident.Sequence
}

// Author is who makes a change. The zero Author is the service itself.
type Author struct {
	User ident.ID
	Via  ident.ID // the token of the request, or None
}

// NewBuilder returns an empty Builder of the author. Its time is not before
// the latest change of the given problems, even after a step back of the clock (D1).
func NewBuilder(m Moment, author Author, problems ...problem.Problem) *Builder {
	cb := &Builder{ids: m.IDs}
	cb.Batch = cb.NextID()
	cb.Author, cb.Via = author.User, author.Via
	cb.At = m.At
	for _, p := range problems {
		cb.At = later(cb.At, p.Modified)
	}
	return cb
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

// NextID returns an identifier for a new object.
func (cb *Builder) NextID() ident.ID { return cb.ids.Next() }

// AddExpect adds an expectation.
func (cb *Builder) AddExpect(e store.Expectation) { cb.Expect = append(cb.Expect, e) }

// AddEffect adds an effect.
func (cb *Builder) AddEffect(e store.Effect) { cb.Effects = append(cb.Effects, e) }

// ResolvedBy expects the catalogue to have the version used to resolve references.
func (cb *Builder) ResolvedBy(version ident.Version) {
	cb.AddExpect(store.CatalogueAt{Version: version})
}

// Significant brings the snapshot to its next revision by a significant change. The
// change has a modifier, and the problem becomes unread for all other users (D1, D8).
// The caller adds the effect of the change, logs it, and stores the problem with
// [Builder.StoreProblem].
func (cb *Builder) Significant(s *snapshot.Snapshot) {
	cb.Corrective(s)
	cb.AddEffect(store.ForgetReads{Problem: s.ID, But: cb.Author})
	cb.MarkRead(s, true)
	s.ReadByAssignee = s.Assignee == cb.Author
}

// Corrective brings the snapshot to its next revision by a change with a modifier that
// leaves all read marks alone (D44).
func (cb *Builder) Corrective(s *snapshot.Snapshot) {
	cb.Insignificant(s)
	s.Modifier, s.Modified = cb.Author, cb.At
}

// Insignificant brings the snapshot to its next revision and changes nothing else.
func (cb *Builder) Insignificant(s *snapshot.Snapshot) {
	cb.ExpectProblem(s)
	s.Revision++
	s.Batch = cb.Batch
}

// ExpectProblem expects the problem to be unchanged since the snapshot.
func (cb *Builder) ExpectProblem(s *snapshot.Snapshot) {
	cb.AddExpect(store.ProblemAt{ID: s.ID, Revision: s.Revision, Batch: s.Batch})
}

// MarkRead makes the problem read or unread for the author.
func (cb *Builder) MarkRead(s *snapshot.Snapshot, read bool) {
	if s.Read != read {
		cb.AddEffect(store.MarkRead{Problem: s.ID, User: cb.Author, Read: read})
	}
	s.Read = read
	if s.Assignee == cb.Author {
		s.ReadByAssignee = read
	}
}

// StoreProblem stores the problem of the snapshot in its current form. It comes last, because
// log entries count for the size of the problem.
func (cb *Builder) StoreProblem(s *snapshot.Snapshot) {
	cb.AddEffect(store.UpdateProblem{Problem: s.Problem, Size: s.Size})
}

// StoreSavepoint stores a savepoint of the problem in its current form.
func (cb *Builder) StoreSavepoint(s *snapshot.Snapshot) {
	cb.AddEffect(store.PutSavepoint{Problem: s.Problem})
	s.Size += problem.SavedSize(s.Fields)
}

// AddLog appends to the log of the problem in the snapshot. The snapshot is already at its
// new revision.
func (cb *Builder) AddLog(s *snapshot.Snapshot, t problem.LogType, field string, from, to problem.LogValue) {
	entry := problem.LogEntry{
		ID:       cb.NextID(),
		Problem:  s.ID,
		Type:     t,
		Created:  cb.At,
		Author:   cb.Author,
		Via:      cb.Via,
		Batch:    cb.Batch,
		Field:    field,
		From:     from,
		To:       to,
		Revision: s.Revision,
	}
	s.Size += entry.Size()
	cb.Log = append(cb.Log, entry)
}
