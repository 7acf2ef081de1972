package httpapi

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/tracker"
)

func (s *server) registerRedactions() {
	const path = "/problems/{identifier}"
	places := func(more ...fault.Kind) notes {
		return about(func(e *wire.Encoder) { e.Places(samples.Places()) }, append(more, fault.ProblemNotFound, fault.StaleRevision,
			fault.RequiredField, fault.UnknownField, fault.ValidationFailed)...).
			json(`{"text":"second server"}`, wire.NewRedaction{})
	}
	register(s, huma.Operation{
		OperationID: "redactProblem", Method: http.MethodPost, Path: path + "/redactions", Tags: []string{"Redactions"},
		Summary: "Replace a text in a problem for good",
		Description: "Everywhere: in the title, keywords, comments, the log, the past and the feed of events. It cannot be undone. " +
			"With attachment instead of text, the file of this attachment goes at once, and its name in the log, too. " +
			"With dryRun=true the answer counts the places. Answers kept for an Idempotency-Key are emptied. " +
			"Its bytes go from the files of the database with the command problems compact. Backups of before have the text.",
		Security:  needs(access.Admin),
		Responses: responses{"200": {Description: "How many places had the text. Without any, nothing is stored."}},
		Metadata:  places(fault.InUse, fault.AttachmentNotFound).json(`{"text":"second server"}`, wire.NewRedaction{}, wire.NewAttachmentRedaction{}),
	}, func(ctx context.Context, in *problemWriteInput) (*writtenOutput[wire.Places], error) {
		return in.redact(ctx, ident.None)
	})
	register(s, huma.Operation{
		OperationID: "redactComment", Method: http.MethodPost, Path: path + "/comments/{comment}/redactions", Tags: []string{"Redactions"},
		Summary:     "Replace a text in a comment for good",
		Description: "Its author may do this, and any token with the scope admin. It also works for a deleted comment. Nothing but this comment and its former texts in the log changes.",
		Security:    needs(access.Write),
		Responses:   responses{"200": {Description: "How many places had the text. Without any, nothing is stored."}},
		Metadata:    places(fault.CommentNotFound),
	}, func(ctx context.Context, in *commentRedactionInput) (*writtenOutput[wire.Places], error) {
		comment := in.comment()
		if comment.IsNone() {
			comment = ident.ID{0: 0xFF} // no comment has it, and None is the whole problem
		}
		return in.redact(ctx, comment)
	})
}

type commentRedactionInput struct {
	Request
	OfComment
	Write
	Matching
}

// redact is D45.
func (c *call) redact(ctx context.Context, comment ident.ID) (*writtenOutput[wire.Places], error) {
	write, err := c.conditional()
	if err != nil {
		return nil, err
	}
	cmd := tracker.Redact{Write: write, Comment: comment}
	members := []wire.Member{{Name: "text", Into: &cmd.Text}, {Name: "replacement", Into: &cmd.Replacement}}
	if comment.IsNone() {
		members = append(members, wire.Member{Name: "attachment", Into: &cmd.Attachment})
	}
	if err := c.decode(&cmd.Faults, members...); err != nil {
		return nil, err
	}
	id, err := c.problem()
	if err != nil {
		return nil, err
	}
	a, err := c.server.Service.Redact(ctx, c.caller, id, cmd)
	return wrote[wire.Places](a, err, (*wire.Encoder).Places)
}
