package httpapi

import (
	"context"
	"errors"
	"io"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/adapters/internal/filename"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/tracker"
)

// registerAttachments registers the operations of D48.
func (s *server) registerAttachments() {
	const path, tag = "/problems/{identifier}/attachments", "Attachments"
	example := func(e *wire.Encoder) { e.Attachment(samples.Attachment()) }
	register(s, huma.Operation{
		OperationID: "addAttachment", Method: http.MethodPost, Path: path, Tags: []string{tag},
		Summary: "Attach a file",
		Description: "The body is the file itself, of any media type. It may take longer than other requests: an hour in all, and 30 seconds without a byte. " +
			"Send Expect: 100-continue with a large file: then a refusal comes before the file.",
		Security:  needs(access.Comment),
		Responses: responses{"201": {Description: "The attachment that was added."}},
		Metadata: about(example, fault.ProblemNotFound, fault.StaleRevision, fault.InvalidValue, fault.UnsupportedMediaType, fault.TooLarge, fault.StorageFull, fault.IdempotencyConflict).
			ofFile(),
	}, s.addAttachment)
	register(s, huma.Operation{
		OperationID: "loadAttachments", Method: http.MethodGet, Path: path, Tags: []string{tag},
		Summary:   "Load the attachments of a problem",
		Security:  needs(access.Read),
		Responses: orKept("The attachments, oldest first, without deleted ones."),
		Metadata:  about(func(e *wire.Encoder) { wire.List(e, []problem.Attachment{samples.Attachment()}, e.Attachment) }, fault.ProblemNotFound),
	}, loadPart[[]wire.Attachment](snapshot.Attachments, func(e *wire.Encoder, a tracker.Answer[snapshot.Snapshot]) {
		wire.List(e, problem.PresentAttachments(a.Value.Attachments), e.Attachment)
	}))
	register(s, huma.Operation{
		OperationID: "loadAttachment", Method: http.MethodGet, Path: path + "/{attachment}", Tags: []string{tag},
		Summary:     "Load an attachment",
		Description: "A deleted attachment has a deleteDate, and no bytes.",
		Security:    needs(access.Read),
		Responses:   responses{"200": {Description: "The attachment."}},
		Metadata:    about(example, fault.ProblemNotFound, fault.AttachmentNotFound),
	}, s.loadAttachment)
	register(s, huma.Operation{
		OperationID: "downloadAttachment", Method: http.MethodGet, Path: path + "/{attachment}/bytes", Tags: []string{tag},
		Summary:     "Download the file of an attachment",
		Description: "The ETag is the digest. The answer is never compressed.",
		Security:    needs(access.Read),
		Responses: responses{
			"200": {Description: "The file.", Content: map[string]*huma.MediaType{"*/*": {Schema: &huma.Schema{Type: huma.TypeString, Format: "binary"}}}},
			"206": {Description: "The part of the file in Range."},
			"304": {Description: "The client's copy is still right."},
		},
		Metadata: about(nil, fault.ProblemNotFound, fault.AttachmentNotFound, fault.StaleRevision, fault.RangeNotSatisfiable),
	}, s.downloadAttachment)
	register(s, huma.Operation{
		OperationID: "deleteAttachment", Method: http.MethodDelete, Path: path + "/{attachment}", Tags: []string{tag},
		Summary:     "Delete an attachment",
		Description: "Its author may do this, and any token with the scope admin. The record stays, and so does the log.",
		Security:    needs(access.Comment),
		Responses:   responses{"204": {Description: "The bytes are no longer there."}},
		Metadata:    about(nil, fault.ProblemNotFound, fault.StaleRevision, fault.AttachmentNotFound),
	}, s.deleteAttachment)
}

type attachmentInput struct {
	Request
	OfProblem
	Write
	Keyed
	Matching
	Named
}

type attachmentOutput struct {
	Revised
	Replayable
	Located
	Body wire.JSON[wire.Attachment]
}

func (s *server) addAttachment(_ context.Context, in *attachmentInput) (*attachmentOutput, error) {
	write, err := in.conditional()
	if err != nil {
		return nil, err
	}
	cmd := tracker.AddAttachment{Write: write, MediaType: in.r.Header.Get("Content-Type"), Length: in.r.ContentLength}
	if len(in.r.Header.Values("Content-Type")) > 1 {
		return nil, fault.New(fault.MalformedRequest, "the header Content-Type has to be given once")
	}
	if cmd.Name, err = fileName(in.r.Header); err != nil {
		return nil, err
	}
	added := func(a tracker.Answer[problem.Attachment]) *attachmentOutput {
		return &attachmentOutput{
			Revised: revised(a.Revision),
			Located: in.located("/problems/" + in.r.PathValue("identifier") + "/attachments/" + a.Value.ID.String()),
			Body:    wire.One[wire.Attachment](a.Catalogue, (*wire.Encoder).Attachment, a.Value),
		}
	}
	if cmd.Idempotency, err = idempotency(in.call, added); err != nil {
		return nil, err
	}
	id, err := in.problem()
	if err != nil {
		return nil, err
	}
	ctx, cancel, file := in.frame.Upload(in.w, in.r)
	defer cancel()
	cmd.File = file
	a, err := s.Service.AddAttachment(ctx, in.caller, id, cmd)
	return answered(in.call, a, err, added)
}

// fileName returns the name in the header Content-Disposition (RFC 6266, and RFC 2231 as mail has it).
func fileName(header http.Header) (string, error) {
	lines := header.Values("Content-Disposition")
	if len(lines) == 1 {
		_, parameters, err := filename.Parse(lines[0])
		if name, ok := parameters["filename"]; ok && err == nil {
			return name, nil
		}
	}
	return "", fault.New(fault.MalformedRequest, "the header Content-Disposition has to name the file, such as: attachment; filename*=UTF-8''screen%%20shot.png")
}

type attachmentOf struct {
	Request
	OfAttachment
}

// attachment returns the attachment in the path. Text that is no identifier names none.
func (c *call) attachment() ident.ID {
	id, _ := ident.Parse(c.r.PathValue("attachment"))
	return id
}

func (s *server) loadAttachment(ctx context.Context, in *attachmentOf) (*output[wire.Attachment], error) {
	id, err := in.problem()
	if err != nil {
		return nil, err
	}
	a, err := in.as().Attachment(ctx, id, in.attachment())
	return one[wire.Attachment](a, err, (*wire.Encoder).Attachment)
}

type downloadInput struct {
	Request
	OfAttachment
	Ranged
	Cached
}

// fileOutput is a file.
type fileOutput struct {
	Body func(huma.Context)
}

func (s *server) downloadAttachment(ctx context.Context, in *downloadInput) (*fileOutput, error) {
	id, err := in.problem()
	if err != nil {
		return nil, err
	}
	a, err := in.as().Attachment(ctx, id, in.attachment())
	if err != nil {
		return nil, err
	}
	c := in.call
	return &fileOutput{func(huma.Context) {
		c.sent = true
		err := httpframe.SendFile(c.w, c.r, httpframe.File{Attachment: a.Value, Open: func(ctx context.Context, from int64) (io.ReadCloser, error) {
			return in.as().OpenFile(ctx, id, a.Value, from, -1)
		}})
		if e, ok := errors.AsType[*fault.Error](err); ok && e.Kind == fault.StaleRevision {
			e.Revision = a.Revision // as all answers 412 about a problem
		}
		if err != nil {
			s.fail(c.w, c.r, err)
		}
	}}, nil
}

type detachmentInput struct {
	Request
	OfAttachment
	Write
	Matching
}

func (s *server) deleteAttachment(ctx context.Context, in *detachmentInput) (*deletedOutput, error) {
	write, err := in.conditional()
	if err != nil {
		return nil, err
	}
	id, err := in.problem()
	if err != nil {
		return nil, err
	}
	a, err := s.Service.DeleteAttachment(ctx, in.caller, id, tracker.DeleteAttachment{Write: write, Attachment: in.attachment()})
	return &deletedOutput{revised(a.Revision)}, err
}
