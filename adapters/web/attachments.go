package web

import (
	"context"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/adapters/web/internal/markdown"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/tracker"
)

// attachPath is the form with files. They are the one body that is no text.
const attachPath = "/problems/{problem}/attachments"

// attachmentRow is an attachment of the page of its problem.
type attachmentRow struct {
	Problem problem.ID
	ID      ident.ID
	Name    string
	To      string // the address of the file
	Kind    string // the key of the text about its type
	Bytes   int64
	Author  string
	At      time.Time
	Image   bool // it can be shown in a comment
	Own     bool // the reader may delete it
}

// attachmentsView are the attachments of a problem.
type attachmentsView struct {
	Problem problem.ID
	Once    string          // names the form
	Older   []attachmentRow // folded
	Rows    []attachmentRow
	Add     bool // files can be added
	Most    int64
}

// latestFiles is how many attachments a page shows without folding.
const latestFiles = 20

func (q *request) attachments(id problem.ID, all []problem.Attachment, writer bool, c *metadata.Catalogue) attachmentsView {
	view := attachmentsView{Problem: id, Once: q.NewRequestID(), Add: writer && q.Service.HasFiles(), Most: q.Service.MaxFile()}
	for _, a := range problem.PresentAttachments(slices.Clone(all)) {
		view.Rows = append(view.Rows, attachmentRow{
			Problem: id, ID: a.ID, Name: a.Name, To: q.fileAddress(id, a), Kind: fileKind(a.MediaType), Bytes: a.Bytes,
			Author: c.Name(metadata.Users, a.Author), At: a.Created, Image: showable(a.MediaType),
			Own: writer && (a.Author == q.caller.User || q.caller.Scope.Covers(access.Admin)),
		})
	}
	if older := len(view.Rows) - latestFiles; older > 0 {
		view.Older, view.Rows = view.Rows[:older], view.Rows[older:]
	}
	return view
}

// fileAddress returns the address of the file of an attachment.
func (q *request) fileAddress(id problem.ID, a problem.Attachment) string {
	return q.base + "/problems/" + formatID(id) + "/attachments/" + a.ID.String() + "/" + url.PathEscape(a.Name)
}

// pictures returns the images among attachments by the names that comments have for them.
func (q *request) pictures(id problem.ID, all []problem.Attachment) map[string]markdown.Link {
	known := map[string]markdown.Link{}
	for _, a := range all {
		if a.Deleted.IsZero() && showable(a.MediaType) {
			known[a.ID.String()] = markdown.Link{URL: q.fileAddress(id, a), Title: a.Name}
		}
	}
	return known
}

// showable reports whether browsers may show a type of file in its place (D48). SVG and HTML can
// have scripts.
func showable(mediaType string) bool {
	switch mediaType {
	case "image/png", "image/jpeg", "image/gif", "image/webp":
		return true
	}
	return false
}

// fileKind returns the key of the text about a media type.
func fileKind(mediaType string) string {
	kind, rest, _ := strings.Cut(mediaType, "/")
	rest, _, _ = strings.Cut(rest, ";")
	switch {
	case kind == "image" || kind == "video" || kind == "audio" || kind == "text":
		return "file." + kind
	case rest == "pdf":
		return "file.pdf"
	case slices.Contains([]string{"zip", "gzip", "x-tar", "x-7z-compressed", "x-xz", "zstd"}, rest):
		return "file.archive"
	}
	return "file.other"
}

// addAttachments attaches the files of a form, one after the other. A form that is sent twice
// attaches each of them once.
func addAttachments(q *request) (answer, error) {
	id, err := q.problemID()
	if err != nil {
		return answer{}, err
	}
	ctx, cancel, body := q.frame.Upload(q.w, q.r)
	defer cancel()
	form := &formReader{Reader: body}
	q.r.Body = io.NopCloser(form)
	parts, err := q.r.MultipartReader()
	if err != nil {
		return answer{}, fault.New(fault.UnsupportedMediaType, "a form with files is multipart/form-data")
	}
	var added []string
	var key string // of the form
	for {
		form.left = mostPartHead
		part, err := parts.NextPart()
		form.left = 0
		switch {
		case errors.Is(err, io.EOF) && added == nil:
			return answer{}, fault.New(fault.InvalidValue, "choose a file first")
		case errors.Is(err, io.EOF):
			return q.toProblem("attachments"), nil
		case err != nil:
			return answer{}, uploadFault(err)
		}
		if part.FormName() == "once" {
			sent, _ := io.ReadAll(io.LimitReader(part, mostPartHead)) // a fault comes again below
			key = string(sent)
		} else if name := fileName(part); name != "" { // otherwise no file was chosen
			q.form = url.Values{"once": {key}, "file": {name}, "number": {strconv.Itoa(len(added))}, "length": {strconv.FormatInt(q.r.ContentLength, 10)}}
			if err := q.attach(ctx, id, name, part); err != nil {
				return answer{}, &fileFault{uploadFault(err), name, added}
			}
			added = append(added, name)
		}
		if _, err := io.Copy(io.Discard, part); err != nil {
			return answer{}, uploadFault(err)
		}
	}
}

// mostPartHead is the length of what stands before the content of a file in a form, in bytes: the
// library keeps it in memory, and would take ten megabytes.
const mostPartHead = 32 << 10

// formReader reads a form. While left is greater than 0, no more than so many bytes may follow.
type formReader struct {
	io.Reader

	left int
}

// Read implements io.Reader.
func (f *formReader) Read(b []byte) (n int, err error) {
	if f.left == 0 {
		return f.Reader.Read(b)
	}
	n, err = f.Reader.Read(b[:min(len(b), f.left)])
	if f.left -= n; f.left == 0 {
		err = fault.New(fault.TooLarge, "the headers of a file in a form have %d bytes at most", mostPartHead)
	}
	return n, err
}

// formNames undoes what browsers do to a name in a form.
var formNames = strings.NewReplacer("%22", `"`, "%0D", "\r", "%0A", "\n")

// fileName returns the name of a file in a form; "" for none.
func fileName(part *multipart.Part) string { return formNames.Replace(part.FileName()) }

func (q *request) attach(ctx context.Context, id problem.ID, name string, part *multipart.Part) error {
	cmd := tracker.AddAttachment{Name: name, MediaType: part.Header.Get("Content-Type"), Length: -1, File: part}
	if _, ok := problem.MediaType(cmd.MediaType); !ok {
		cmd.MediaType = "" // what a browser makes up is no fault of its user
	}
	cmd.Idempotency = once(q, "file", func(tracker.Answer[problem.Attachment]) []byte { return []byte("attached") })
	_, err := q.Service.AddAttachment(ctx, q.caller, id, cmd)
	if fault.Is(err, fault.IdempotencyConflict) {
		return fault.New(fault.IdempotencyConflict, "this page has attached another file of this name: reload it, and send this one again")
	}
	return err
}

// uploadFault returns an error of the reading of a form as a fault.
func uploadFault(err error) error {
	if _, ok := errors.AsType[*fault.Error](err); ok {
		return err
	}
	return fault.Wrap(fault.MalformedRequest, err, "the files did not arrive whole")
}

// fileFault is the fault of a file in a form with several. The files before it are attached.
type fileFault struct {
	error

	name  string
	added []string
}

func (f *fileFault) Unwrap() error { return f.error }

func deleteAttachment(q *request) (answer, error) {
	return onProblem(q, "attachments", func(id problem.ID) error {
		attachment, _ := ident.Parse(q.form.Get("attachment")) // none is found for any other text
		_, err := q.Service.DeleteAttachment(q.context(), q.caller, id, tracker.DeleteAttachment{Attachment: attachment})
		return err
	})
}

// sniffed is how many bytes tell the type of an image.
const sniffed = 512

// showFile serves the file of an attachment. It is shown in its place only if it is what it is
// declared to be, and harmless.
func showFile(q *request) (answer, error) {
	id, err := q.problemID()
	if err != nil {
		return answer{}, err
	}
	attachment, _ := ident.Parse(q.r.PathValue("attachment"))
	a, err := q.as().Attachment(q.context(), id, attachment)
	if err != nil {
		return answer{}, err
	}
	file := httpframe.File{Attachment: a.Value, Open: func(ctx context.Context, from int64) (io.ReadCloser, error) {
		return q.as().OpenFile(ctx, id, a.Value, from, -1)
	}}
	if path.Base(q.r.URL.Path) != a.Value.Name {
		return answer{to: q.fileAddress(id, a.Value)}, nil
	}
	if showable(a.Value.MediaType) {
		r, err := q.as().OpenFile(q.context(), id, a.Value, 0, sniffed)
		if err != nil {
			return answer{}, err
		}
		head, err := io.ReadAll(r)
		r.Close()
		if err != nil {
			return answer{}, err
		}
		file.Inline = http.DetectContentType(head) == a.Value.MediaType
	}
	return answer{stream: func() {
		q.w.Header().Set("Cache-Control", "private, no-cache")
		if err := httpframe.SendFile(q.w, q.r, file); err != nil {
			q.fail(err)
		}
	}}, nil
}
