package tracker

import (
	"context"
	"slices"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/text"
	"github.com/problemtracking/problems/domain/tracker/internal/body"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
	"github.com/problemtracking/problems/domain/tracker/internal/writerlocks"
)

// AddComment adds a comment to a problem (W3). The users whom it names become watchers (D54).
func (s *Service) AddComment(ctx context.Context, caller Caller, id problem.ID, cmd AddComment) (Answer[problem.Comment], error) {
	parts := partsForMentions(cmd.Text)
	if len(cmd.files) > 0 {
		parts |= snapshot.Attachments
	}
	return core.Run(ctx, s.core, core.Command[repeatable, Answer[problem.Comment]]{
		Locks:  append(cmd.Idempotency.LockKeys(caller), writerlocks.Problem(id)),
		DryRun: cmd.DryRun,
		Once:   cmd.Idempotency == nil,
		Load:   loadRepeatable(s, caller, id, parts, cmd.Idempotency),
		Decide: func(c repeatable, m changes.Moment) (store.Change, Answer[problem.Comment], error) {
			if err := fullOfAttachments(len(cmd.files), c.Attachments, s.limits); err != nil && c.reply == nil {
				return store.Change{}, Answer[problem.Comment]{}, err
			}
			return decideComment(caller, cmd, c, m)
		},
		Handoff: s.commentHandoff(cmd),
	})
}

// commentHandoff is the handoff between comments of one problem. A comment needs
// nothing but the problem. The author's read mark is unknown, and is set.
//
// Without it, 8 connections add a tenth to a third fewer comments to one problem on
// PostgreSQL.
func (s *Service) commentHandoff(cmd AddComment) *core.Handoff[repeatable] {
	if cmd.DryRun || cmd.Idempotency != nil || partsForMentions(cmd.Text) != 0 || !cmd.Claim.IsNone() { // what is handed off has no claim
		return nil
	}
	var catalogue *metadata.Catalogue // for the answer, of a moment since the request came
	return &core.Handoff[repeatable]{
		BeforeWait: func(ctx context.Context) {
			if now, err := s.core.Store.Versions(ctx); err == nil {
				catalogue = s.core.Catalogues.Cached(now.Catalogue)
			}
		},
		Accept: func(received *snapshot.Snapshot) (repeatable, bool) {
			if received == nil || catalogue == nil {
				return repeatable{}, false
			}
			return repeatable{loaded: loaded{Snapshot: *received, catalogue: catalogue}}, true
		},
		Pass: func(change store.Change) *snapshot.Snapshot {
			for _, effect := range change.Effects {
				if e, ok := effect.(store.UpdateProblem); ok {
					return &snapshot.Snapshot{Problem: e.Problem, Size: e.Size, Batch: change.Batch}
				}
			}
			return nil
		},
	}
}

// repeatable is the basis of the decision about a change of a problem that is stored once.
type repeatable struct {
	loaded
	reply *store.Reply // for the Idempotency-Key
}

// loadRepeatable loads the problem with these parts, and the reply.
func loadRepeatable[T any](s *Service, caller Caller, id problem.ID, parts snapshot.Parts, key *Idempotency[T]) func(context.Context, store.Reader) (repeatable, error) {
	return func(ctx context.Context, r store.Reader) (c repeatable, err error) {
		if c.loaded, err = s.As(caller).load(ctx, r, id, parts); err != nil {
			return c, err
		}
		c.reply, err = key.Load(ctx, r, caller, s.core.Time())
		return c, err
	}
}

func decideComment(caller Caller, cmd AddComment, c repeatable, m changes.Moment) (store.Change, Answer[problem.Comment], error) {
	if a, ok := cmd.Idempotency.Replay(c.reply); ok {
		return store.Change{}, a, nil
	}
	l := c.loaded
	comment, err := checkComment(cmd, c)
	if err != nil {
		return store.Change{}, Answer[problem.Comment]{}, err
	}
	cb := changes.NewBuilder(m, caller.Author(), l.Problem)
	added := withMentions(comment, l.catalogue, l.Watchers, l.maxWatchers)
	if len(added.Named) > 0 {
		cb.ResolvedBy(l.Catalogue)
	}
	cb.Significant(&l.Snapshot)
	if cmd.Text.Sent {
		comment = cb.AddComment(&l.Snapshot, added)
	}
	for _, a := range cmd.files {
		cb.AddAttachment(&l.Snapshot, a)
	}
	cb.StoreProblem(&l.Snapshot)

	a := answer(comment, l)
	a.New = true
	cmd.Idempotency.Keep(&cb.Change, m.At, store.About{Problem: l.ID, Comment: comment.ID}, a)
	return cb.Change, a, nil
}

// newComment returns the comment in a body that may have one (D12).
func newComment(sent patch.Field[string], faults *fault.List) (comments []problem.Comment) {
	if sent.Sent {
		comments = append(comments, problem.Comment{Text: body.Line(text.Comment, sent, fault.At("comment"), faults)})
	}
	return comments
}

func checkComment(cmd AddComment, c repeatable) (problem.Comment, error) {
	if err := checkMatch(cmd.Write, c.Snapshot); err != nil {
		return problem.Comment{}, err
	}
	faults := cmd.Faults
	var comment problem.Comment
	body.Require(&faults, cmd.Text.Sent || len(cmd.files) > 0, fault.At("text"), "a comment needs a text")
	if cmd.Text.Sent {
		comment.Text = body.Line(text.Comment, cmd.Text, fault.At("text"), &faults)
	}
	if cmd.HTML.Sent && !cmd.HTML.Null {
		comment.HTML = problem.Text(body.Line(text.Rule{}, cmd.HTML, fault.At("html"), &faults))
	}
	if err := faults.Err(); err != nil {
		return comment, err
	}
	return comment, cmd.Idempotency.Check(c.reply)
}

// EditComment changes the text of a comment (D44). It fails with fault.CommentNotFound, and
// with fault.Forbidden for a comment of somebody else.
func (s *Service) EditComment(ctx context.Context, caller Caller, id problem.ID, cmd EditComment) (Answer[problem.Comment], error) {
	return onProblem(ctx, s, caller, id, snapshot.Comments, cmd.DryRun, func(l loaded, m changes.Moment) (store.Change, Answer[problem.Comment], error) {
		return decideEditComment(caller, cmd, l, m)
	})
}

func decideEditComment(caller Caller, cmd EditComment, l loaded, m changes.Moment) (store.Change, Answer[problem.Comment], error) {
	old, edited, err := checkEdit(caller, cmd, l)
	if err != nil {
		return store.Change{}, Answer[problem.Comment]{}, err
	}
	if edited == old {
		return store.Change{}, answer(old, l), nil
	}
	cb := changes.NewBuilder(m, caller.Author(), l.Problem)
	cb.Corrective(&l.Snapshot)
	edited = cb.EditComment(&l.Snapshot, l.catalogue, old, edited)
	cb.StoreProblem(&l.Snapshot)
	return cb.Change, answer(edited, l), nil
}

// checkEdit returns the comment of an edit before and after it, in the order of D18.
func checkEdit(caller Caller, cmd EditComment, l loaded) (old, edited problem.Comment, err error) {
	if err := checkMatch(cmd.Write, l.Snapshot); err != nil {
		return old, edited, err
	}
	faults := cmd.Faults
	if cmd.Text.Sent {
		edited.Text = body.Line(text.Comment, cmd.Text, fault.At("text"), &faults)
	}
	if cmd.HTML.Sent && !cmd.HTML.Null {
		edited.HTML = problem.Text(body.Line(text.Rule{}, cmd.HTML, fault.At("html"), &faults))
	}
	if err := faults.Err(); err != nil {
		return old, edited, err
	}
	if old, err = ownComment(caller, cmd.Comment, l); err != nil {
		return old, edited, err
	}
	after := old
	if cmd.Text.Sent {
		after.Text = edited.Text
	}
	if cmd.Text.Sent || cmd.HTML.Sent {
		after.HTML = edited.HTML
	}
	return old, after, nil
}

// DeleteComment deletes a comment (D44). It fails with fault.CommentNotFound, and with
// fault.Forbidden for a comment of somebody else.
func (s *Service) DeleteComment(ctx context.Context, caller Caller, id problem.ID, cmd DeleteComment) (Answer[struct{}], error) {
	return onProblem(ctx, s, caller, id, snapshot.Comments, cmd.DryRun, func(l loaded, m changes.Moment) (store.Change, Answer[struct{}], error) {
		return decideDeleteComment(caller, cmd, l, m)
	})
}

func decideDeleteComment(caller Caller, cmd DeleteComment, l loaded, m changes.Moment) (store.Change, Answer[struct{}], error) {
	var none Answer[struct{}]
	if err := checkMatch(cmd.Write, l.Snapshot); err != nil {
		return store.Change{}, none, err
	}
	old, err := ownComment(caller, cmd.Comment, l)
	if err != nil {
		return store.Change{}, none, err
	}
	cb := changes.NewBuilder(m, caller.Author(), l.Problem)
	cb.Corrective(&l.Snapshot)
	cb.DeleteComment(&l.Snapshot, l.catalogue, old)
	cb.StoreProblem(&l.Snapshot)
	return cb.Change, answer(struct{}{}, l), nil
}

// ownComment returns a comment that the caller may change: an own one, or any with the scope
// admin.
func ownComment(caller Caller, id ident.ID, l loaded) (problem.Comment, error) {
	i := slices.IndexFunc(l.Comments, func(c problem.Comment) bool { return c.ID == id && !c.Deleted })
	if i < 0 {
		return problem.Comment{}, fault.New(fault.CommentNotFound, "the problem has no such comment: it may have been deleted")
	}
	return l.Comments[i], checkAuthor(caller, l.Comments[i].Author, "comment", "change")
}

// checkAuthor refuses to do something to a thing of somebody else.
func checkAuthor(caller Caller, author ident.ID, thing, do string) error {
	if author != caller.User && caller.Scope != access.Admin {
		return fault.New(fault.Forbidden, "the %s is somebody else's: only its author can %s it, or a token with the scope admin", thing, do)
	}
	return nil
}
