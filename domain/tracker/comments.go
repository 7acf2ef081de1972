package tracker

import (
	"context"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/text"
	"github.com/problemtracking/problems/domain/tracker/internal/body"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/tracker/internal/writerlocks"
)

// AddComment adds a comment to a problem (W3).
func (s *Service) AddComment(ctx context.Context, caller Caller, id problem.ID, cmd AddComment) (Answer[problem.Comment], error) {
	return run(ctx, s, command[commenting, problem.Comment]{
		locks:  append(cmd.Idempotency.lockKeys(caller), writerlocks.Problem(id)),
		dryRun: cmd.DryRun,
		once:   cmd.Idempotency == nil,
		load: func(ctx context.Context, r store.Reader) (c commenting, err error) {
			if c.loaded, err = s.load(ctx, r, caller.User, id, 0); err != nil {
				return c, err
			}
			c.reply, err = cmd.Idempotency.load(ctx, r, caller, s.time())
			return c, err
		},
		decide: func(c commenting, m changes.Moment) (store.Change, Answer[problem.Comment], error) {
			return decideComment(caller, cmd, c, m)
		},
		handoff: s.commentHandoff(cmd),
	})
}

// commentHandoff is the handoff between comments of one problem. A comment needs
// nothing but the problem. The author's read mark is unknown, and is set.
func (s *Service) commentHandoff(cmd AddComment) *handoff[commenting] {
	if cmd.DryRun || cmd.Idempotency != nil {
		return nil
	}
	var catalogue *metadata.Catalogue // for the answer, of a moment since the request came
	return &handoff[commenting]{
		beforeWait: func(ctx context.Context) {
			if now, err := s.store.Versions(ctx); err == nil {
				catalogue = s.catalogues.Cached(now.Catalogue)
			}
		},
		accept: func(received *store.Snapshot) (commenting, bool) {
			if received == nil || catalogue == nil {
				return commenting{}, false
			}
			return commenting{loaded: loaded{*received, catalogue}}, true
		},
		pass: func(change store.Change) *store.Snapshot {
			for _, effect := range change.Effects {
				if e, ok := effect.(store.UpdateProblem); ok {
					return &store.Snapshot{Problem: e.Problem, Size: e.Size, Batch: change.Batch}
				}
			}
			return nil
		},
	}
}

// commenting is the basis of the decision about a new comment.
type commenting struct {
	loaded
	reply *store.Reply // for the Idempotency-Key
}

func decideComment(caller Caller, cmd AddComment, c commenting, m changes.Moment) (store.Change, Answer[problem.Comment], error) {
	if a, ok := cmd.Idempotency.replay(c.reply); ok {
		return store.Change{}, a, nil
	}
	l := c.loaded
	comment, err := checkComment(cmd, c)
	if err != nil {
		return store.Change{}, Answer[problem.Comment]{}, err
	}
	cb := changes.NewBuilder(m, caller.User, l.Problem)
	comment.ID, comment.Author, comment.Created = cb.NextID(), cb.Author, cb.At

	cb.Significant(&l.Snapshot)
	cb.AddEffect(store.AddComment{Problem: l.ID, Comment: comment})
	l.Size += comment.Size()
	cb.AddLog(&l.Snapshot, problem.CommentAdded, "comments", "", problem.LogText(comment.ID.String()))
	cb.StoreProblem(&l.Snapshot)

	a := answer(comment, l)
	a.New = true
	cmd.Idempotency.keep(&cb.Change, m.At, a)
	return cb.Change, a, nil
}

func checkComment(cmd AddComment, c commenting) (problem.Comment, error) {
	if err := checkMatch(cmd.IfMatch, c.Snapshot); err != nil {
		return problem.Comment{}, err
	}
	faults := cmd.Faults
	var comment problem.Comment
	body.Require(&faults, cmd.Text.Sent, fault.At("text"), "a comment needs a text")
	if cmd.Text.Sent {
		comment.Text = body.Line(text.Comment, cmd.Text, fault.At("text"), &faults)
	}
	if cmd.HTML.Sent && !cmd.HTML.Null {
		comment.HTML = problem.Text(body.Line(text.Rule{}, cmd.HTML, fault.At("html"), &faults))
	}
	if err := faults.Err(); err != nil {
		return comment, err
	}
	return comment, cmd.Idempotency.check(c.reply)
}
