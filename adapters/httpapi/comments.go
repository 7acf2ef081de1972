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
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
)

func (s *server) registerComments() {
	const path = "/problems/{identifier}/comments"
	register(s, huma.Operation{
		OperationID: "addComment", Method: http.MethodPost, Path: path, Tags: []string{"Comments"},
		Summary:     "Add a comment",
		Description: "The body is the text itself; or JSON, when there is HTML too.",
		Security:    needs(access.Write),
		Responses:   responses{"201": {Description: "The comment that was added."}},
		Metadata: about(func(e *wire.Encoder) { e.Comment(samples.Comment()) }, fault.ProblemNotFound, fault.StaleRevision, fault.RequiredField, fault.UnknownField, fault.ValidationFailed, fault.IdempotencyConflict).
			body(body{media: mediaText, of: []any{""}, example: "Seen again on the second server."},
				body{media: mediaJSON, of: []any{wire.NewComment{}}, example: `{"text":"Seen again on the second server.","html":"<p>Seen <b>again</b> on the second server.</p>"}`}),
	}, s.addComment)
	register(s, huma.Operation{
		OperationID: "loadComments", Method: http.MethodGet, Path: path, Tags: []string{"Comments"},
		Summary:     "Load the comments of a problem",
		Description: "All of them. With limit, at most that many; the header Link has the next page.",
		Security:    needs(access.Read),
		Responses:   orKept("The comments, oldest first."),
		Metadata:    about(func(e *wire.Encoder) { wire.List(e, []problem.Comment{samples.Comment()}, e.Comment) }, fault.ProblemNotFound),
	}, loadGrowing[[]wire.Comment](s, growing[problem.Comment]{
		name: "comments", parts: store.Comments,
		loaded: func(s store.Snapshot) []problem.Comment { return s.Comments },
		stored: (*tracker.Service).Comments,
		encode: func(e *wire.Encoder, _ store.Snapshot, comments iter.Seq2[[]problem.Comment, error]) error {
			return wire.Portions(e, comments, e.Comment)
		},
	}))
}

type commentInput struct {
	Request
	OfProblem
	Write
	Keyed
	Matching
}

type commentOutput struct {
	Revised
	Replayable
	Body wire.JSON[wire.Comment]
}

// addComment is W3.
func (s *server) addComment(ctx context.Context, in *commentInput) (*commentOutput, error) {
	write, err := in.conditional()
	if err != nil {
		return nil, err
	}
	cmd := tracker.AddComment{Write: write}
	if cmd.Idempotency, err = idempotency(in.call, addedComment); err != nil {
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
	return answered(in.call, a, err, addedComment)
}

func addedComment(a tracker.Answer[problem.Comment]) *commentOutput {
	return &commentOutput{Revised: revised(a.Revision), Body: wire.One[wire.Comment](a.Catalogue, (*wire.Encoder).Comment, a.Value)}
}
