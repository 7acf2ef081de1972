package httpapi

import (
	"context"
	"errors"
	"iter"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/tracker"
)

func (s *server) registerComments() {
	const path = "/problems/{identifier}/comments"
	register(s, huma.Operation{
		OperationID: "addComment", Method: http.MethodPost, Path: path, Tags: []string{"Comments"},
		Summary:     "Add a comment",
		Description: "The body is the text itself; or JSON, when there is HTML too. Users whom the text names, such as @anna or @anna@example.org, become watchers.",
		Security:    needs(access.Comment),
		Responses:   responses{"201": {Description: "The comment that was added."}},
		Metadata: about(func(e *wire.Encoder) { e.Comment(samples.Comment()) }, fault.ProblemNotFound, fault.StaleRevision, fault.RequiredField, fault.UnknownField, fault.ValidationFailed, fault.IdempotencyConflict).
			body(body{media: mediaText, of: []any{""}, example: "Seen again on the second server."},
				body{media: mediaJSON, of: []any{wire.NewComment{}}, example: `{"text":"Seen again on the second server.","html":"<p>Seen <b>again</b> on the second server.</p>"}`}),
	}, s.addComment)
	load := loadGrowing[[]wire.Comment](growing[problem.Comment]{
		name: "comments", parts: snapshot.Comments,
		loaded: func(s snapshot.Snapshot) []problem.Comment { return s.Comments },
		stored: tracker.Reader.Comments,
		encode: func(e *wire.Encoder, _ snapshot.Snapshot, comments iter.Seq2[[]problem.Comment, error]) error {
			return wire.Portions(e, comments, func(c problem.Comment) {
				if !c.Deleted {
					e.Comment(c)
				}
			})
		},
	})
	register(s, huma.Operation{
		OperationID: "loadComments", Method: http.MethodGet, Path: path, Tags: []string{"Comments"},
		Summary:     "Load the comments of a problem",
		Description: "All of them. With limit, at most that many; the header Link has the next page.",
		Security:    needs(access.Read),
		Responses:   orKept("The comments, oldest first."),
		Metadata:    about(func(e *wire.Encoder) { wire.List(e, []problem.Comment{samples.Comment()}, e.Comment) }, fault.ProblemNotFound),
	}, func(ctx context.Context, in *windowInput) (*windowOutput[[]wire.Comment], error) {
		return load(ctx, in.call)
	})
	s.registerCorrections(path + "/{comment}")
}

// registerCorrections registers the operations about one comment (D44).
func (s *server) registerCorrections(path string) {
	register(s, huma.Operation{
		OperationID: "editComment", Method: http.MethodPatch, Path: path, Tags: []string{"Comments"},
		Summary:     "Edit a comment",
		Description: "Its author may do this, and any token with the scope admin. The log keeps the text before; nobody gets mail about an edit.",
		Security:    needs(access.Comment),
		Responses:   responses{"200": {Description: "The comment as it is now."}},
		Metadata: about(func(e *wire.Encoder) { e.Comment(samples.EditedComment()) }, fault.ProblemNotFound, fault.StaleRevision, fault.UnknownField, fault.ValidationFailed, fault.CommentNotFound).
			json(`{"text":"Seen again on the third server."}`, wire.CommentPatch{}),
	}, s.editComment)
	register(s, huma.Operation{
		OperationID: "deleteComment", Method: http.MethodDelete, Path: path, Tags: []string{"Comments"},
		Summary:     "Delete a comment",
		Description: "Its author may do this, and any token with the scope admin. The log keeps the text.",
		Security:    needs(access.Comment),
		Responses:   responses{"204": {Description: "The comment is no longer there."}},
		Metadata:    about(nil, fault.ProblemNotFound, fault.StaleRevision, fault.CommentNotFound),
	}, s.deleteComment)
}

type commentOutput struct {
	Revised
	Replayable
	Body wire.JSON[wire.Comment]
}

// addComment is W3.
func (s *server) addComment(ctx context.Context, in *keyedProblemWriteInput) (*commentOutput, error) {
	write, err := in.conditional()
	if err != nil {
		return nil, err
	}
	cmd := tracker.AddComment{Write: write}
	if cmd.Idempotency, err = idempotency(in.call, in.addedComment); err != nil {
		return nil, err
	}
	if in.media == mediaText {
		cmd.Text = patch.Set(string(in.body))
		in.leaveLarge()
	} else if err := in.decode(&cmd.Faults, wire.Member{Name: "text", Into: &cmd.Text}, wire.Member{Name: "html", Into: &cmd.HTML}); err != nil {
		return nil, err
	}
	id, err := in.problem()
	if err != nil {
		return nil, err
	}
	a, err := s.Service.AddComment(ctx, in.caller, id, cmd)
	if f, ok := errors.AsType[*fault.Error](err); ok && in.media == mediaText {
		for i := range f.Items {
			f.Items[i].At = fault.Location{} // the text is the whole body
		}
	}
	return answered(in.call, a, err, in.addedComment)
}

func (c *call) addedComment(a tracker.Answer[problem.Comment]) *commentOutput {
	return &commentOutput{Revised: revised(a.Revision), Body: wire.One[wire.Comment](a.Catalogue, named(c, (*wire.Encoder).Comment), a.Value)}
}

type correctionInput struct {
	Request
	OfComment
	Write
	Matching
}

// comment returns the comment in the path. Text that is no identifier names none: the
// tracker says so at its place in the order of errors (D18).
func (c *call) comment() ident.ID {
	id, _ := ident.Parse(c.r.PathValue("comment"))
	return id
}

// editComment is the edit of D44.
func (s *server) editComment(ctx context.Context, in *correctionInput) (*writtenOutput[wire.Comment], error) {
	write, err := in.conditional()
	if err != nil {
		return nil, err
	}
	cmd := tracker.EditComment{Write: write, Comment: in.comment()}
	if err := in.decode(&cmd.Faults, wire.Member{Name: "text", Into: &cmd.Text}, wire.Member{Name: "html", Into: &cmd.HTML}); err != nil {
		return nil, err
	}
	id, err := in.problem()
	if err != nil {
		return nil, err
	}
	a, err := s.Service.EditComment(ctx, in.caller, id, cmd)
	return wrote[wire.Comment](a, err, named(in.call, (*wire.Encoder).Comment))
}

// deleteComment is the deletion of D44.
func (s *server) deleteComment(ctx context.Context, in *correctionInput) (*deletedOutput, error) {
	write, err := in.conditional()
	if err != nil {
		return nil, err
	}
	id, err := in.problem()
	if err != nil {
		return nil, err
	}
	a, err := s.Service.DeleteComment(ctx, in.caller, id, tracker.DeleteComment{Write: write, Comment: in.comment()})
	return &deletedOutput{revised(a.Revision)}, err
}
