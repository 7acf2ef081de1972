package httpapi

import (
	"errors"
	"iter"
	"net/http"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
)

func commentEndpoints() []endpoint {
	return []endpoint{
		{
			id: "addComment", method: http.MethodPost, path: "/problems/{identifier}/comments", tag: "Comments",
			summary:     "Add a comment",
			description: "The body is the text itself; or JSON, when there is HTML too.",
			scope:       access.Write,
			headers:     []string{"Idempotency-Key", "If-Match"},
			bodies: []body{
				{media: mediaText, of: []any{""}, example: "Seen again on the second server."},
				{media: mediaJSON, of: []any{wire.NewComment{}}, example: `{"text":"Seen again on the second server.","html":"<p>Seen <b>again</b> on the second server.</p>"}`},
			},
			answers: []result{{
				status: 201, description: "The comment that was added.", of: wire.Comment{},
				headers: []string{"Problem-Revision", "Idempotency-Replayed", "Dry-Run"},
				example: func(e *wire.Encoder) { e.Comment(samples.Comment()) },
			}},
			faults: []fault.Kind{fault.ProblemNotFound, fault.StaleRevision, fault.RequiredField, fault.UnknownField, fault.ValidationFailed, fault.IdempotencyConflict},
			do:     (*call).addComment,
		},
		{
			id: "loadComments", method: http.MethodGet, path: "/problems/{identifier}/comments", tag: "Comments",
			summary:     "Load the comments of a problem",
			description: "All of them. With limit, at most that many; the header Link has the next page.",
			scope:       access.Read,
			query:       []string{paramAsOf, paramLimit, paramCursor},
			shown:       shownInWindow,
			headers:     []string{"If-None-Match"},
			answers:     linked(loaded("The comments, oldest first.", []wire.Comment{}, func(e *wire.Encoder) { wire.List(e, []problem.Comment{samples.Comment()}, e.Comment) })),
			faults:      []fault.Kind{fault.ProblemNotFound},
			do: growing[problem.Comment]{
				name: "comments", parts: store.Comments,
				loaded: func(s store.Snapshot) []problem.Comment { return s.Comments },
				stored: (*tracker.Service).Comments,
				encode: func(e *wire.Encoder, _ store.Snapshot, comments iter.Seq2[[]problem.Comment, error]) error {
					return wire.Portions(e, comments, e.Comment)
				},
			}.load,
		},
	}
}

// addComment is W3.
func (c *call) addComment() (answer, error) {
	write, err := c.writeInput()
	if err != nil {
		return answer{}, err
	}
	cmd := tracker.AddComment{Write: write}
	if cmd.Idempotency, err = idempotency(c, addedComment); err != nil {
		return answer{}, err
	}
	if c.media == mediaText {
		cmd.Text = patch.Set(string(c.body))
		c.leaveLarge()
	} else if err := c.decode(&cmd.Faults, wire.Member{Name: "text", Into: &cmd.Text}, wire.Member{Name: "html", Into: &cmd.HTML}); err != nil {
		return answer{}, err
	}
	id, err := c.problem()
	if err != nil {
		return answer{}, err
	}
	a, err := c.Service.AddComment(c.r.Context(), c.caller, id, cmd)
	if f, ok := errors.AsType[*fault.Error](err); ok && c.media == mediaText {
		for i := range f.Items {
			f.Items[i].At = fault.Location{} // the text is the whole body
		}
	}
	return answered(a, err, addedComment)
}

func addedComment(a tracker.Answer[problem.Comment]) answer {
	e := wire.Encoder{Catalogue: a.Catalogue}
	e.Comment(a.Value)
	return answer{status: http.StatusCreated, revision: a.Revision, body: e.Buf}
}
