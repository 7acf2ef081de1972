package tracker

import (
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// changeBuilder builds the Change of one request. It adds the common effects of every
// change of a problem: the expectation, the revision, the author and time, and the read
// marks.
type changeBuilder struct {
	store.Change
	ids ident.Sequence
}

// newChangeBuilder returns an empty changeBuilder of the author. Its time is not before
// the latest change of the given problems, even after a step back of the clock (D1).
func newChangeBuilder(m moment, author ident.ID, problems ...problem.Problem) *changeBuilder {
	cb := &changeBuilder{ids: m.ids}
	cb.Batch = cb.ids.Next()
	cb.Author = author
	cb.At = m.at
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

func (cb *changeBuilder) expect(e store.Expectation) { cb.Expect = append(cb.Expect, e) }

func (cb *changeBuilder) effect(e store.Effect) { cb.Effects = append(cb.Effects, e) }

// resolvedBy expects the catalogue to have the version used to resolve references.
func (cb *changeBuilder) resolvedBy(version ident.Version) {
	cb.expect(store.CatalogueAt{Version: version})
}

// significant brings the snapshot to its next revision by a significant change. The
// change has a modifier, and the problem becomes unread for all other users (D1, D8).
// The caller adds the effect of the change, logs it, and stores the problem with
// [changeBuilder.store].
func (cb *changeBuilder) significant(s *store.Snapshot) {
	cb.insignificant(s)
	s.Modifier, s.Modified = cb.Author, cb.At
	cb.effect(store.ForgetReads{Problem: s.ID, But: cb.Author})
	cb.markRead(s, true)
	s.ReadByAssignee = s.Assignee == cb.Author
}

// insignificant brings the snapshot to its next revision and changes nothing else.
func (cb *changeBuilder) insignificant(s *store.Snapshot) {
	cb.expectProblem(s)
	s.Revision++
	s.Batch = cb.Batch
}

// expectProblem expects the problem to be unchanged since the snapshot.
func (cb *changeBuilder) expectProblem(s *store.Snapshot) {
	cb.expect(store.ProblemAt{ID: s.ID, Revision: s.Revision, Batch: s.Batch})
}

// markRead makes the problem read or unread for the author.
func (cb *changeBuilder) markRead(s *store.Snapshot, read bool) {
	if s.Read != read {
		cb.effect(store.MarkRead{Problem: s.ID, User: cb.Author, Read: read})
	}
	s.Read = read
	if s.Assignee == cb.Author {
		s.ReadByAssignee = read
	}
}

// store stores the problem of the snapshot in its current form. It comes last, because
// log entries count for the size of the problem.
func (cb *changeBuilder) store(s *store.Snapshot) {
	cb.effect(store.UpdateProblem{Problem: s.Problem, Size: s.Size})
}

// save stores a savepoint of the problem in its current form.
func (cb *changeBuilder) save(s *store.Snapshot) {
	cb.effect(store.PutSavepoint{Problem: s.Problem})
	s.Size += problem.SavedSize(s.Fields)
}

// log appends to the log of the problem in the snapshot. The snapshot is already at its
// new revision.
func (cb *changeBuilder) log(s *store.Snapshot, t problem.LogType, field string, from, to problem.LogValue) {
	entry := problem.LogEntry{
		ID:       cb.ids.Next(),
		Problem:  s.ID,
		Type:     t,
		Created:  cb.At,
		Author:   cb.Author,
		Batch:    cb.Batch,
		Field:    field,
		From:     from,
		To:       to,
		Revision: s.Revision,
	}
	s.Size += entry.Size()
	cb.Log = append(cb.Log, entry)
}
