package httpapi

import (
	"bytes"
	"io"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/problemtracking/problems/adapters/httpapi/internal/pages"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/domain/fault"
)

// failure is an error as it is answered (RFC 9457, D18). It implements huma.StatusError,
// huma.HeadersError and huma.ContentTypeFilter.
type failure struct {
	status int
	header http.Header // beside the common ones
	text   []byte      // JSON
	cause  error
}

func (f *failure) Error() string             { return f.cause.Error() }
func (f *failure) GetStatus() int            { return f.status }
func (f *failure) GetHeaders() http.Header   { return f.header }
func (f *failure) ContentType(string) string { return mediaProblem }

// failure returns the answer to a request at fault. Causes go to the log alone. The header is
// that of the answer so far.
func (s *server) failure(header http.Header, r *http.Request, err error) *failure {
	f := httpframe.Of(r)
	f.Report(r.Context(), err)
	described, kind := httpframe.Describe(err)
	more := http.Header{}
	switch kind.Kind {
	case fault.Unauthenticated:
		more.Set("WWW-Authenticate", `Bearer realm="problems"`)
	case fault.Unavailable: // never UnknownOutcome: an automatic retry would write twice
		more.Set("Retry-After", "1")
	case fault.RateLimited:
		if header.Get("Retry-After") == "" { // too many streams: nobody knows when one ends
			more.Set("Retry-After", "5")
		}
	}
	if isAboutPredicate(described) {
		more.Set("Link", "<"+s.BasePath+pages.LanguagePath+`>; rel="help"`)
	}
	if described.Revision > 0 {
		more.Set("Problem-Revision", strconv.FormatInt(described.Revision, 10))
	}
	if header.Get("Cache-Control") == "" {
		more.Set("Cache-Control", "no-store") // some statuses may be cached by default (RFC 9110, section 15.1)
	}
	e := wire.Encoder{Base: s.BasePath, TokenNames: s.Service.TokenNames(r.Context())}
	e.Failure(described, kind, f.RequestID)
	return &failure{kind.Status, more, e.Buf, err}
}

// fail answers a request that no operation answers.
func (s *server) fail(w http.ResponseWriter, r *http.Request, err error) {
	f := s.failure(w.Header(), r, err)
	maps.Copy(w.Header(), f.header)
	w.Header().Set("Content-Type", mediaProblem)
	sendLine(w, r, f.status, f.text)
}

// isAboutPredicate reports whether the page about predicates helps with an error. The
// predicate of a saved query is a member of the body.
func isAboutPredicate(e *fault.Error) bool {
	return isOfSearch(e.Kind) || slices.ContainsFunc(e.Items, func(item fault.Item) bool {
		return item.Kind == fault.InvalidValue && item.At.Equal(fault.At(paramPredicate))
	})
}

// isOfSearch reports whether an error is about the predicate of a search.
func isOfSearch(kind fault.Kind) bool {
	return kind == fault.InvalidPredicate || kind == fault.QueryTooExpensive
}

// Crowded returns a whole HTTP/1.1 answer with the status 503. It is for a refused
// connection, when there are too many.
func Crowded(basePath, requestID string) []byte {
	e := wire.Encoder{Base: strings.TrimSuffix(basePath, "/")}
	e.Failure(fault.New(fault.Unavailable, "there are too many connections, from your address or from all: try again, or use one connection for several requests"),
		httpframe.FailureOf(fault.Unavailable), requestID)
	header := http.Header{
		"Cache-Control": {"no-store"},
		"Connection":    {"close"},
		"Content-Type":  {mediaProblem},
		"Retry-After":   {"5"},
		"X-Request-Id":  {requestID},
	}
	httpframe.Secure(header)
	answer := http.Response{
		StatusCode: http.StatusServiceUnavailable, ProtoMajor: 1, ProtoMinor: 1, Header: header,
		ContentLength: int64(len(e.Buf) + 1), Body: io.NopCloser(bytes.NewReader(append(e.Buf, '\n'))),
	}
	var b bytes.Buffer
	if err := answer.Write(&b); err != nil {
		panic(err) // a buffer takes everything
	}
	return b.Bytes()
}
