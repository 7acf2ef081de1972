package web

import (
	"cmp"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"

	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/adapters/web/internal/forms"
	"github.com/problemtracking/problems/adapters/web/internal/texts"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/user"
)

// request is a request for a page, or one with a form.
type request struct {
	*Handler
	w        http.ResponseWriter
	r        *http.Request
	frame    *httpframe.Frame
	language *texts.Language
	chosen   bool           // whether somebody has chosen the language
	several  bool           // whether the browser sends several sessions
	caller   tracker.Caller // zero without a session
	// preferred are the caller's preferences.
	preferred user.Choices
	form      url.Values // of a POST
}

func (h *Handler) newRequest(w http.ResponseWriter, r *http.Request) *request {
	language, chosen := h.languageOf(r)
	return &request{Handler: h, w: w, r: r, frame: httpframe.Of(r), language: language, chosen: chosen}
}

// as returns the Reader of the caller.
func (q *request) as() tracker.Reader { return q.Service.As(q.caller) }

// answer is a page, or the way to another one.
type answer struct {
	status int
	name   string // of the template; empty: the answer is a redirection
	view   any
	to     string // the address of a redirection
	// stream, if not nil, sends the answer by itself.
	stream func()
}

// page returns a page with the status 200.
func page(name string, view any) answer { return answer{status: http.StatusOK, name: name, view: view} }

// redirect returns the way to another page, by its path below the base path. Browsers ask
// for it with GET.
func (q *request) redirect(to string) answer { return answer{to: q.base + to} }

// send sends an answer. A page is complete before anything is sent.
func (q *request) send(a answer) {
	if a.stream != nil {
		a.stream()
		return
	}
	if a.name == "" {
		q.w.Header().Set("Location", a.to)
		q.w.WriteHeader(http.StatusSeeOther)
		return
	}
	body, err := q.views.Render(q.language, q.zone(), a.name, a.view, q.room)
	if err != nil {
		q.fail(err)
		return
	}
	header := q.w.Header()
	header.Set("Content-Type", "text/html; charset=utf-8")
	header.Set("Content-Language", q.language.Tag)
	header.Set("Vary", "Accept-Encoding, Accept-Language, Cookie")
	if !httpframe.AcceptsGzip(q.r.Header) {
		httpframe.Send(q.w, q.r, a.status, body)
		return
	}
	header.Set("Content-Encoding", "gzip")
	q.w.WriteHeader(a.status)
	if q.r.Method == http.MethodHead {
		return
	}
	z := zippers.Get().(*gzip.Writer)
	z.Reset(q.w)
	_, _ = z.Write(body) // whoever is gone needs no page
	_ = z.Close()
	z.Reset(io.Discard) // the connection is not held
	zippers.Put(z)
}

// zippers are writers for the next pages: a new one takes more memory than a page.
var zippers = sync.Pool{New: func() any {
	z, _ := gzip.NewWriterLevel(io.Discard, gzip.BestSpeed) // fails only for another level
	return z
}}

// room waits for memory for the page. It fails with fault.Unavailable when there is none, when the
// time of the request is over, or when the client has gone. The answer to a form never fails: it
// tells of a write, or has what was typed.
func (q *request) room(bytes int64) error {
	if q.r.Method == http.MethodPost {
		q.frame.Charge(bytes)
		return nil
	}
	if err := cmp.Or(q.context().Err(), q.frame.Connection().Err()); err != nil {
		return fault.Wrap(fault.Unavailable, err, "the request ended before its page was complete")
	}
	return q.frame.Reserve(q.context(), bytes)
}

// perFormByte is how many bytes a browser sends for a byte of text: "%C3%A9" for "é".
const perFormByte = 3

// readForm reads the form of a POST. A form with too much text is read all the same, so
// that its page keeps the text.
func (q *request) readForm() error {
	media, _, _ := strings.Cut(q.r.Header.Get("Content-Type"), ";")
	if media != "application/x-www-form-urlencoded" {
		return fault.New(fault.UnsupportedMediaType, "a form is application/x-www-form-urlencoded; the API has other addresses, which %s/docs describes", q.base)
	}
	body, err := q.frame.ReadBody(q.w, q.r, perFormByte*q.Limits.FormBytes)
	if err != nil {
		return err
	}
	if q.form, err = url.ParseQuery(string(body)); err != nil {
		return fault.New(fault.MalformedRequest, "the form is not a list of name=value")
	}
	// Browsers send the end of a line as CR LF.
	length := 0
	for name, values := range q.form {
		for i := range values {
			values[i] = strings.ReplaceAll(values[i], "\r\n", "\n")
			length += len(name) + len(values[i])
		}
	}
	if int64(length) > q.Limits.FormBytes {
		return fault.New(fault.TooLarge, "a form has at most %d bytes of text, and this one has %d: make it shorter", q.Limits.FormBytes, length)
	}
	return nil
}

// fingerprint tells a form from another one.
func (q *request) fingerprint() [sha256.Size]byte {
	return sha256.Sum256([]byte(q.r.URL.Path + "?" + q.form.Encode()))
}

// once returns the key of a form: pressed twice, it is done once. nil for a form without
// one. The content is in the key. So a form with another text, after "back" in the browser,
// is another form. part tells apart the writes of one form.
func once[T any](q *request, part string, render func(tracker.Answer[T]) []byte) *tracker.Idempotency[T] {
	key := q.form.Get("once")
	if key == "" || len(key) > 100 || strings.ContainsFunc(key, func(c rune) bool { return c <= ' ' || c > '~' }) {
		return nil
	}
	content := q.fingerprint()
	return &tracker.Idempotency[T]{Key: fmt.Sprintf("%s-%x-%s", key, content, part), Fingerprint: content, Render: render}
}

// problemID returns the problem in the path.
func (q *request) problemID() (problem.ID, error) {
	id, ok := problem.ParseID(q.r.PathValue("problem"))
	if !ok {
		return 0, fault.New(fault.ProblemNotFound, "there is no problem with this number")
	}
	return id, nil
}

// objectID returns the object in the path.
func (q *request) objectID() (ident.ID, error) {
	id, err := ident.Parse(q.r.PathValue("id"))
	if err != nil {
		return id, fault.New(fault.NotFound, "there is nothing at this address")
	}
	return id, nil
}

// say returns a text in the language of the reader.
func (q *request) say(key string, args ...any) string { return q.language.Say(key, args...) }

// ownFirst has choices of users offer the caller first.
func (q *request) ownFirst(choices []forms.Choice) {
	forms.OwnFirst(choices, q.caller.User, q.say("filter.me"))
}

// formatID returns the number of a problem as text.
func formatID(id problem.ID) string { return strconv.FormatInt(int64(id), 10) }

// catalogue returns the metadata and the users of now.
func (q *request) catalogue() (*metadata.Catalogue, error) {
	states, err := q.Service.States().List(q.context())
	return states.Catalogue, err
}
