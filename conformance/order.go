package conformance

import (
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

func orderCases() []Case {
	return []Case{{
		ID:   "COM-008/within",
		Rule: "Within one Change, log entries, comments and savepoints keep its order, though times and identifiers run backwards.",
		run: func(b *bench) {
			p, q := b.create(), b.create()
			change := b.change()
			want := history{}
			for i, id := range b.backwards(20) {
				next := want.append(b, p, id, i, &change)
				change.Effects = append(change.Effects, store.AddComment{Problem: q.ID, Comment: next})
			}
			b.commit(change)
			want.check(b, p.ID)
		},
	}, {
		ID:   "COM-008/between",
		Rule: "Log entries, comments and savepoints come in the order of their Commits, though times and identifiers run backwards.",
		run: func(b *bench) {
			p, q := b.create(), b.create()
			want := history{}
			for i, id := range b.backwards(20) {
				change := b.change()
				change.At = change.At.Add(-time.Duration(i) * time.Hour)
				want.append(b, p, id, i, &change)
				b.commit(change)
				b.do(store.AddComment{Problem: q.ID, Comment: b.comment("between")})
			}
			want.check(b, p.ID)
		},
	}, {
		ID:   "COM-008/same-moment",
		Rule: "Log entries, comments and savepoints of one time and batch keep the order of their Commits.",
		run: func(b *bench) {
			p := b.create()
			at := b.Now()
			want := history{}
			ids := b.backwards(10)
			slices.Reverse(ids[3:7])
			for _, id := range ids {
				change := b.change()
				change.At = at
				want.append(b, p, id, 0, &change)
				b.commit(change)
			}
			want.check(b, p.ID)
		},
	}, {
		ID:   "COM-008/at-once",
		Rule: "While several writers append to one problem, whoever looks again sees what he saw before, and then what is new.",
		run: func(b *bench) {
			const rounds = 10
			p := b.create()
			var left atomic.Int64
			left.Store(writers)
			b.together(writers+2, func(who int) error {
				if who < writers {
					defer left.Add(-1)
					for range rounds {
						change := b.change()
						new(history).append(b, p, b.ID(), who, &change)
						if _, err := b.store.Commit(b.ctx, change); err != nil {
							return fmt.Errorf("Commit: %w", err)
						}
					}
					return nil
				}
				var before history
				for {
					if err := b.going(); err != nil {
						return err
					}
					ended := left.Load() == 0
					now, err := b.history(p.ID)
					if err != nil {
						return fmt.Errorf("View: %w", err)
					}
					if d := difference(before, now.first(before)); d != "" {
						return fmt.Errorf("what was seen before is now another: %s", d)
					}
					if ended {
						return nil
					}
					before = now
				}
			})
			s, err := b.history(p.ID)
			b.must("View", err)
			b.equal("the number of log entries", writers*rounds, len(s.Log))
			b.equal("the number of comments", writers*rounds, len(s.Comments))
			b.equal("the number of savepoints", writers*rounds, len(s.Savepoints))
		},
	}, {
		ID:      "COM-008/reopened",
		Rule:    "The order of log entries, comments and savepoints goes on where it was when the store is opened again.",
		Durable: true,
		run: func(b *bench) {
			p := b.create()
			want := history{}
			for i, id := range b.backwards(6) {
				change := b.change()
				want.append(b, p, id, i, &change)
				b.commit(change)
				b.reopen()
			}
			want.check(b, p.ID)
		},
	}}
}

// backwards returns identifiers of which each is smaller than the one before.
func (b *bench) backwards(n int) []ident.ID {
	ids := make([]ident.ID, n)
	for i := range ids {
		ids[n-1-i] = b.ID()
	}
	return ids
}

// history is what a problem is expected to list, oldest first.
type history struct {
	Log        []problem.LogEntry
	Comments   []problem.Comment
	Savepoints []store.Savepoint
}

// append adds one of each to the history and to the change, made earlier the
// greater age is, and returns the comment.
func (h *history) append(b *bench, p problem.Problem, id ident.ID, age int, change *store.Change) problem.Comment {
	at := time.Date(2026, time.January, 1, 0, 0, 0, 0, time.UTC).Add(-time.Duration(age) * time.Minute)
	comment := problem.Comment{ID: id, Author: b.author, Created: at, Text: id.String()}
	entry := b.entry(p.ID)
	entry.ID, entry.Created, entry.Revision = id, at, int64(100-age)
	saved := p
	saved.Modified, saved.Revision = at, int64(100-age)
	h.Comments = append(h.Comments, comment)
	h.Log = append(h.Log, entry)
	h.Savepoints = append(h.Savepoints, store.Savepoint{Batch: change.Batch, Problem: saved})
	change.Effects = append(change.Effects, store.AddComment{Problem: p.ID, Comment: comment}, store.PutSavepoint{Problem: saved})
	change.Log = append(change.Log, entry)
	return comment
}

// check ends the case unless the problem lists the history.
func (h *history) check(b *bench, id problem.ID) {
	b.Helper()
	s := b.load(id, everything)
	b.equal("the log", h.Log, s.Log)
	b.equal("the list of comments", h.Comments, s.Comments)
	b.equal("the list of savepoints", h.Savepoints, s.Savepoints)
}

// history reads the history of a problem.
func (b *bench) history(id problem.ID) (h history, err error) {
	err = b.store.View(b.ctx, func(r store.Reader) error {
		s, err := r.Problem(b.ctx, id, ident.None, store.Log|store.Comments|store.Savepoints)
		h = history{s.Log, s.Comments, s.Savepoints}
		return err
	})
	return h, err
}

// first returns the beginning of the history, as long as the other.
func (h history) first(other history) history {
	return history{
		Log:        h.Log[:min(len(h.Log), len(other.Log))],
		Comments:   h.Comments[:min(len(h.Comments), len(other.Comments))],
		Savepoints: h.Savepoints[:min(len(h.Savepoints), len(other.Savepoints))],
	}
}
