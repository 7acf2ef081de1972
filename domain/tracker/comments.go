package tracker

import (
	"context"

	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/text"
)

// AddComment adds a comment to a problem (W3).
func (s *Service) AddComment(ctx context.Context, caller Caller, id problem.ID, cmd AddComment) (Answer[problem.Comment], error) {
	c := command[commenting, problem.Comment]{
		slots:  append(cmd.Idempotency.slots(caller), problemSlot(id)),
		dryRun: cmd.DryRun,
		once:   cmd.Idempotency == nil,
		load: func(ctx context.Context, r store.Reader) (c commenting, err error) {
			if c.loaded, err = s.load(ctx, r, caller.User, id, 0); err != nil {
				return c, err
			}
			c.kept, err = cmd.Idempotency.load(ctx, r, caller, s.time())
			return c, err
		},
		decide: func(c commenting, m moment) (store.Change, Answer[problem.Comment], error) {
			return decideComment(caller, cmd, c, m)
		},
		after: commenting.after,
	}
	return run(ctx, s, c)
}

// commenting is what the adding of a comment is decided from.
type commenting struct {
	loaded
	kept *store.Reply // for the Idempotency-Key
	// left is set if it was not loaded, but left by who added the comment before. Of
	// the marks of the caller nothing is known then.
	left bool
}

// after returns what the next comment may be decided from.
func (c commenting) after(change store.Change) commenting {
	next := commenting{left: true}
	next.catalogue = c.catalogue
	for _, effect := range change.Effects {
		if e, ok := effect.(store.UpdateProblem); ok {
			next.Problem = e.Problem
		}
	}
	return next
}

func decideComment(caller Caller, cmd AddComment, c commenting, m moment) (store.Change, Answer[problem.Comment], error) {
	if a, ok := cmd.Idempotency.replay(c.kept); ok {
		return store.Change{}, a, nil
	}
	l := c.loaded
	comment, err := checkComment(cmd, c)
	if err != nil {
		return store.Change{}, Answer[problem.Comment]{}, err
	}
	st := newStep(m, caller.User, l.Problem)
	comment.ID, comment.Author, comment.Created = st.ids.Next(), st.Author, st.At

	if c.left {
		// The answer shows the catalogue, in which others may have changed something.
		st.resolvedBy(l.catalogue.Version)
	}
	st.significant(&l.Snapshot)
	st.store(&l.Snapshot)
	st.effect(store.AddComment{Problem: l.ID, Comment: comment})
	st.log(&l.Snapshot, problem.CommentAdded, "comments", "", problem.LogText(comment.ID.String()))

	a := answer(comment, l)
	a.New = true
	cmd.Idempotency.keep(st, m.at, a)
	return st.Change, a, nil
}

func checkComment(cmd AddComment, c commenting) (problem.Comment, error) {
	if err := checkMatch(cmd.IfMatch, c.Revision); err != nil {
		return problem.Comment{}, err
	}
	faults := cmd.Faults
	var comment problem.Comment
	require(&faults, cmd.Text.Sent, "/text", "a comment needs a text")
	if cmd.Text.Sent {
		comment.Text = line(text.Comment, cmd.Text, "/text", &faults)
	}
	if cmd.HTML.Sent && !cmd.HTML.Null {
		comment.HTML = problem.Text(line(text.Rule{}, cmd.HTML, "/html", &faults))
	}
	if err := faults.Err(); err != nil {
		return comment, err
	}
	return comment, cmd.Idempotency.check(c.kept)
}
