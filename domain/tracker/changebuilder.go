package tracker

import (
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// step builds the Change of one request. It adds the common effects of every change of
// a problem: the expectation, the revision, the author and time, and the read marks.
type step struct {
	store.Change
	ids ident.Sequence
}

// newStep returns an empty step by the author. Its time is not before the latest change
// of the given problems, even after a step back of the clock (D1).
func newStep(m moment, author ident.ID, problems ...problem.Problem) *step {
	st := &step{ids: m.ids}
	st.Batch = st.ids.Next()
	st.Author = author
	st.At = m.at
	for _, p := range problems {
		st.At = later(st.At, p.Modified)
	}
	return st
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}

func (st *step) expect(e store.Expectation) { st.Expect = append(st.Expect, e) }

func (st *step) effect(e store.Effect) { st.Effects = append(st.Effects, e) }

// resolvedBy expects the catalogue to have the version used to resolve references.
func (st *step) resolvedBy(version ident.Version) { st.expect(store.CatalogueAt{Version: version}) }

// significant brings the snapshot to its next revision by a significant change. The
// change has a modifier, and the problem becomes unread for all other users (D1, D8).
// The caller adds the effect of the change, logs it, and stores the problem with
// [step.store].
func (st *step) significant(s *store.Snapshot) {
	st.insignificant(s)
	s.Modifier, s.Modified = st.Author, st.At
	st.effect(store.ForgetReads{Problem: s.ID, But: st.Author})
	st.markRead(s, true)
	s.ReadByAssignee = s.Assignee == st.Author
}

// insignificant brings the snapshot to its next revision and changes nothing else.
func (st *step) insignificant(s *store.Snapshot) {
	st.expectProblem(s)
	s.Revision++
	s.Batch = st.Batch
}

// expectProblem expects the problem to be unchanged since the snapshot.
func (st *step) expectProblem(s *store.Snapshot) {
	st.expect(store.ProblemAt{ID: s.ID, Revision: s.Revision, Batch: s.Batch})
}

// markRead makes the problem read or unread for the author.
func (st *step) markRead(s *store.Snapshot, read bool) {
	if s.Read != read {
		st.effect(store.MarkRead{Problem: s.ID, User: st.Author, Read: read})
	}
	s.Read = read
	if s.Assignee == st.Author {
		s.ReadByAssignee = read
	}
}

// store stores the problem of the snapshot in its current form. It comes last, because
// log entries count for the size of the problem.
func (st *step) store(s *store.Snapshot) {
	st.effect(store.UpdateProblem{Problem: s.Problem, Size: s.Size})
}

// save stores a savepoint of the problem in its current form.
func (st *step) save(s *store.Snapshot) {
	st.effect(store.PutSavepoint{Problem: s.Problem})
	s.Size += problem.SavedSize(s.Fields)
}

// log appends to the log of the problem in the snapshot. The snapshot is already at its
// new revision.
func (st *step) log(s *store.Snapshot, t problem.LogType, field string, from, to problem.LogValue) {
	entry := problem.LogEntry{
		ID:       st.ids.Next(),
		Problem:  s.ID,
		Type:     t,
		Created:  st.At,
		Author:   st.Author,
		Batch:    st.Batch,
		Field:    field,
		From:     from,
		To:       to,
		Revision: s.Revision,
	}
	s.Size += entry.Size()
	st.Log = append(st.Log, entry)
}
