package httpapi

import (
	"bytes"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/problemtracking/problems/adapters/httpapi/internal/pages"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/domain/fault"
)

// fail answers with an error (RFC 9457, D18). Causes go to the log alone.
func (s *server) fail(w http.ResponseWriter, r *http.Request, err error) {
	f := httpframe.Of(r)
	f.Report(r.Context(), err)
	described, kind := httpframe.Describe(err)
	header := w.Header()
	switch kind.Kind {
	case fault.Unauthenticated:
		header.Set("WWW-Authenticate", `Bearer realm="problems"`)
	case fault.Unavailable: // never UnknownOutcome: an automatic retry would write twice
		header.Set("Retry-After", "1")
	case fault.RateLimited:
		if header.Get("Retry-After") == "" { // too many streams: nobody knows when one ends
			header.Set("Retry-After", "5")
		}
	}
	if isAboutPredicate(described) {
		header.Set("Link", "<"+s.BasePath+pages.LanguagePath+`>; rel="help"`)
	}
	if described.Revision > 0 {
		header.Set("Problem-Revision", strconv.FormatInt(described.Revision, 10))
	}
	if header.Get("Cache-Control") == "" {
		header.Set("Cache-Control", "no-store") // some statuses may be cached by default (RFC 9110, section 15.1)
	}
	e := wire.Encoder{Base: s.BasePath}
	e.Failure(described, kind, f.RequestID)
	header.Set("Content-Type", mediaProblem)
	sendLine(w, r, kind.Status, e.Buf)
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

// sendLine writes a body of JSON as a line, for readers at a terminal.
func sendLine(w http.ResponseWriter, r *http.Request, status int, json []byte) {
	httpframe.Send(w, r, status, append(json, '\n'))
}
