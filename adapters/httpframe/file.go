package httpframe

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
)

const (
	// UploadPause is the longest time without a byte of an upload.
	UploadPause = 30 * time.Second
	// UploadTime is the longest time of an upload.
	UploadTime = time.Hour
)

// Upload lets the body of a request take longer than the request may: any time up to
// UploadTime, with pauses up to UploadPause. Its length has no limit here. The returned
// context is for the reading; the caller has to call cancel. Reads fail with
// fault.Unavailable after a pause too long, or fault.MalformedRequest when the body ends
// too early.
func (f *Frame) Upload(w http.ResponseWriter, r *http.Request) (ctx context.Context, cancel context.CancelFunc, body io.Reader) {
	ctx, cancel = context.WithTimeout(context.WithoutCancel(r.Context()), UploadTime)
	control := http.NewResponseController(w)
	_ = control.SetWriteDeadline(f.options.Now().Add(UploadTime + time.Minute))
	return ctx, cancel, &upload{f, r.Body, control}
}

type upload struct {
	frame   *Frame
	body    io.Reader
	control *http.ResponseController
}

func (u *upload) Read(p []byte) (int, error) {
	_ = u.control.SetReadDeadline(u.frame.options.Now().Add(UploadPause)) // where it is not possible, the server's timeouts have to do
	n, err := u.body.Read(p)
	switch {
	case err == nil:
		return n, nil
	case err == io.EOF:
		u.frame.arrived = true
		_ = u.control.SetReadDeadline(time.Time{}) // the server sets its own for the next request
		return n, io.EOF
	case errors.Is(err, os.ErrDeadlineExceeded):
		return n, fault.Wrap(fault.Unavailable, err, "the body took too long to arrive; nothing was done")
	default:
		return n, fault.Wrap(fault.MalformedRequest, err, "the body ended before it was complete")
	}
}

// File is the file of an attachment, to be sent.
type File struct {
	problem.Attachment
	// Inline lets a browser show the file in its place. Others are saved.
	Inline bool
	// Open returns the bytes from an offset on.
	Open func(ctx context.Context, from int64) (io.ReadCloser, error)
}

// FileTag returns the entity tag of a file.
func FileTag(a problem.Attachment) string { return `"` + a.Digest.String() + `"` }

// coding is what servers that compress answers add to an entity tag: Apache writes "12-gzip" or
// "12-br", and others two hyphens, ";" or ":". No tag of this service has such an end.
var coding = regexp.MustCompile(`(?:--?|[;:])(?:gzip|br|zstd|deflate)"`)

// OwnTags returns a list of entity tags as this service sent them, before a proxy compressed the
// answers.
func OwnTags(list string) string { return coding.ReplaceAllString(list, `"`) }

// SendFile answers with a file, or with the parts that Range asks for. It is never compressed.
// Browsers run nothing of it. An error comes before the answer. It is of Open, or
// fault.RangeNotSatisfiable, or fault.StaleRevision for another ETag in If-Match.
func SendFile(w http.ResponseWriter, r *http.Request, file File) error {
	c := &fileContent{ctx: context.WithoutCancel(r.Context()), file: file}
	defer c.close()
	if err := c.open(0); err != nil {
		return err
	}
	header := w.Header()
	header.Set("Content-Type", file.MediaType)
	disposition := "attachment"
	if file.Inline {
		disposition = "inline"
	}
	header.Set("Content-Disposition", disposition+"; filename*=UTF-8''"+escaped(file.Name))
	header.Set("Content-Security-Policy", "sandbox; default-src 'none'")
	header.Set("ETag", FileTag(file.Attachment))
	r = r.Clone(r.Context())
	for _, name := range []string{"If-Match", "If-None-Match"} {
		for i, tags := range r.Header[name] {
			r.Header[name][i] = OwnTags(tags)
		}
	}
	if asked := r.Header.Get("Range"); asked != "" {
		if asked = rangeWithin(asked, file.Bytes); asked == "" {
			r.Header.Del("Range")
		} else {
			r.Header.Set("Range", asked)
		}
	}
	caught := &catcher{ResponseWriter: w}
	http.ServeContent(caught, r, "", time.Time{}, c)
	if caught.status != 0 {
		for _, name := range []string{"Content-Type", "Content-Disposition", "ETag", "X-Content-Type-Options", "Content-Length"} {
			header.Del(name)
		}
		Secure(header)
		if caught.status == http.StatusPreconditionFailed {
			return fault.New(fault.StaleRevision, "the ETag of the file is %s, and not in the header If-Match", FileTag(file.Attachment))
		}
		return fault.New(fault.RangeNotSatisfiable, "the file has %d bytes, and the range is not within them", file.Bytes)
	}
	return nil
}

// escaped returns a name as in filename* (RFC 8187). Browsers decode "%" in the plain filename,
// so an escaped character that names must not have would come through there.
func escaped(name string) string {
	var b strings.Builder
	for _, c := range []byte(name) {
		if '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || 'a' <= c && c <= 'z' || strings.IndexByte("-._~", c) >= 0 {
			b.WriteByte(c)
		} else {
			fmt.Fprintf(&b, "%%%02X", c)
		}
	}
	return b.String()
}

// mostParts is the largest number of parts in a range.
const mostParts = 16

// rangeWithin returns the parts of a range that are within a file (RFC 9110), for ServeContent,
// which refuses other units and large numbers, and answers parts of an empty file. A range
// outside of the file stays outside. A malformed one is "": it is ignored, and so are more than
// mostParts, each of which may be a request to the storage.
func rangeWithin(asked string, size int64) string {
	list, ok := strings.CutPrefix(asked, "bytes=")
	if !ok {
		return ""
	}
	var within []string
	if strings.Count(list, ",") >= mostParts {
		return ""
	}
	for part := range strings.SplitSeq(list, ",") {
		first, last, ok := strings.Cut(strings.Trim(part, " \t"), "-")
		if !ok || first+last == "" || strings.Trim(first+last, "0123456789") != "" {
			return ""
		}
		from, to := position(first), position(last)
		switch {
		case first == "":
			if to > 0 && size > 0 {
				within = append(within, fmt.Sprint("-", to))
			}
		case last != "" && to < from:
			return ""
		case from < size && last == "":
			within = append(within, fmt.Sprint(from, "-"))
		case from < size:
			within = append(within, fmt.Sprint(from, "-", min(to, size-1)))
		}
	}
	if len(within) == 0 {
		return fmt.Sprintf("bytes=%d-", size)
	}
	return "bytes=" + strings.Join(within, ",")
}

// position returns the number of digits, or the largest one.
func position(digits string) int64 {
	n, _ := strconv.ParseInt(digits, 10, 64) // a larger one is the largest
	return n
}

// catcher keeps the refusals of http.ServeContent, which are no problem details, from the client.
type catcher struct {
	http.ResponseWriter

	status int // of the refusal; 0: none
}

func (c *catcher) WriteHeader(status int) {
	if status >= 400 {
		c.status = status
		return
	}
	c.ResponseWriter.WriteHeader(status)
}

func (c *catcher) Write(p []byte) (int, error) {
	if c.status != 0 {
		return len(p), nil
	}
	return c.ResponseWriter.Write(p)
}

// fileContent is a file for http.ServeContent: it is opened where reading begins.
type fileContent struct {
	ctx  context.Context
	file File
	at   int64
	body io.ReadCloser
}

func (c *fileContent) open(at int64) (err error) {
	c.close()
	c.at = at
	c.body, err = c.file.Open(c.ctx, at)
	return err
}

func (c *fileContent) close() {
	if c.body != nil {
		_ = c.body.Close() // of a reader
		c.body = nil
	}
}

func (c *fileContent) Read(p []byte) (int, error) {
	if c.body == nil {
		if err := c.open(c.at); err != nil {
			return 0, err
		}
	}
	n, err := c.body.Read(p)
	c.at += int64(n)
	return n, err
}

func (c *fileContent) Seek(offset int64, whence int) (int64, error) {
	switch whence {
	case io.SeekCurrent:
		offset += c.at
	case io.SeekEnd:
		offset += c.file.Bytes
	}
	if whence != io.SeekEnd && offset != c.at { // the end is asked for the length alone
		c.close()
	}
	if whence == io.SeekEnd {
		return offset, nil
	}
	c.at = offset
	return offset, nil
}
