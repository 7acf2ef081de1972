package bench

import (
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// History is the expected history of a problem, oldest first.
type History struct {
	Log         []problem.LogEntry
	Comments    []problem.Comment
	Savepoints  []snapshot.Savepoint
	Attachments []problem.Attachment
}

// Append adds a log entry, a comment and a savepoint to the history and to the change, and
// returns the comment. age is how many minutes they lie before a fixed time, at most 99.
func (h *History) Append(b *Bench, p problem.Problem, id ident.ID, age int, change *store.Change) problem.Comment {
	at := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC).Add(-time.Duration(age) * time.Minute)
	comment := problem.Comment{ID: id, Author: b.Author, Via: b.ID(), Created: at, Text: id.String()}
	entry := b.Entry(p.ID)
	entry.ID, entry.Created, entry.Revision = id, at, int64(100-age)
	saved := p
	saved.Modified, saved.Revision = at, int64(100-age)
	h.Comments = append(h.Comments, comment)
	h.Log = append(h.Log, entry)
	h.Savepoints = append(h.Savepoints, snapshot.Savepoint{Batch: change.Batch, Problem: saved})
	attachment := b.Attachment()
	attachment.ID, attachment.Created = id, at
	h.Attachments = append(h.Attachments, attachment)
	change.Effects = append(change.Effects, store.AddComment{Problem: p.ID, Comment: comment},
		store.PutAttachment{Problem: p.ID, Attachment: attachment}, store.PutSavepoint{Problem: saved})
	change.Log = append(change.Log, entry)
	return comment
}

// Check ends the case unless the problem lists the history.
func (h *History) Check(b *Bench, id problem.ID) {
	b.Helper()
	s := b.Load(id, Everything)
	b.Equal("the log", h.Log, s.Log)
	b.Equal("the list of comments", h.Comments, s.Comments)
	b.Equal("the list of attachments", h.Attachments, s.Attachments)
	b.Equal("the list of savepoints", h.Savepoints, s.Savepoints)
}

// History reads the history of a problem.
func (b *Bench) History(id problem.ID) (h History, err error) {
	err = b.Store.View(b.Ctx, func(r store.Reader) error {
		s, err := r.Problem(b.Ctx, id, ident.None, snapshot.Log|snapshot.Comments|snapshot.Savepoints|snapshot.Attachments)
		h = History{s.Log, s.Comments, s.Savepoints, s.Attachments}
		return err
	})
	return h, err
}

// First returns the beginning of the history. Each list is at most as long as in other.
func (h History) First(other History) History {
	return History{
		Log:         h.Log[:min(len(h.Log), len(other.Log))],
		Comments:    h.Comments[:min(len(h.Comments), len(other.Comments))],
		Savepoints:  h.Savepoints[:min(len(h.Savepoints), len(other.Savepoints))],
		Attachments: h.Attachments[:min(len(h.Attachments), len(other.Attachments))],
	}
}
