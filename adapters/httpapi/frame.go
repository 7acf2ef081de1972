package httpapi

import (
	"context"
	"fmt"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/problemtracking/problems/domain/budget"
)

// frame is around every request: it names it, bounds its time, sets the headers
// that every answer has (D34), recovers panics, and has it observed.
func (s *server) frame(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := s.Now()
		// net/http takes a client that closes its side of the connection for
		// gone, but it may well wait for the answer. Searches ask for
		// connectionOf.
		f := &frame{
			Exchange:   Exchange{Method: knownMethod(r.Method), RequestID: s.requestID(r), Remote: r.RemoteAddr},
			deadline:   deadline{parent: context.WithoutCancel(r.Context()), now: s.Now, until: start.Add(s.Limits.RequestTime)},
			connection: r.Context(),
			recorder:   recorder{ResponseWriter: w},
		}
		if s.Memory != nil {
			f.memory = s.Memory.Open(r.Context().Done())
			defer f.memory.Close()
		}
		defer f.end()
		r = r.WithContext(f)

		header := w.Header()
		f.room.set(header, "X-Request-Id", f.RequestID)
		Secure(header)
		if ambiguous(r) {
			header["Connection"] = closing
		}

		panicked := s.recovered(next, &f.recorder, r)

		if s.Observe != nil {
			_, route, _ := strings.Cut(r.Pattern, " ") // the catch-all pattern has no method
			f.Route = strings.TrimSuffix(strings.ReplaceAll(route, "...}", "}"), "{$}")
			f.Status, f.Bytes = f.recorder.status, f.recorder.bytes
			f.Duration = s.Now().Sub(start)
			s.Observe(f.Exchange)
		}
		if panicked {
			panic(http.ErrAbortHandler) // the client must not take half an answer for a whole one
		}
	})
}

// What headers have that are the same in all answers is shared by these: a header is
// set anew, never changed in place.
var (
	noSniff      = []string{"nosniff"}
	noSources    = []string{"default-src 'none'; frame-ancestors 'none'"}
	privateCache = []string{"private, no-cache"}
	ofCaller     = []string{"Authorization"}
	ofJSON       = []string{mediaJSON}
	ofProblem    = []string{mediaProblem}
	closing      = []string{"close"}
)

// ambiguous reports whether a proxy may see another end of the request than this
// server does, so that the connection has to be closed after it (RFC 9112, section
// 6.1): it has Transfer-Encoding, and may have had Content-Length as well, which
// net/http removes; or it is one of HTTP/1.0, where net/http ignores Transfer-Encoding.
func ambiguous(r *http.Request) bool {
	return r.ProtoMajor == 1 && (len(r.TransferEncoding) > 0 || r.ProtoMinor == 0)
}

// Secure sets the headers by which browsers take no answer for more than it is (D34).
func Secure(header http.Header) {
	header["X-Content-Type-Options"] = noSniff
	header["Content-Security-Policy"] = noSources
}

// recovered serves the request and turns a panic into an answer. It returns true
// when it is too late for one.
func (s *server) recovered(next http.Handler, rec *recorder, r *http.Request) (tooLate bool) {
	defer func() {
		switch v := recover(); v {
		case nil:
		case http.ErrAbortHandler:
			tooLate = true
		default:
			err := fmt.Errorf("panic: %v\n%s", v, debug.Stack())
			if tooLate = rec.status != 0; tooLate {
				s.report(r, err)
			} else {
				s.fail(rec, r, err)
			}
		}
	}()
	next.ServeHTTP(rec, r)
	return false
}

// knownMethod returns the method if some path of the service has it. Others can be
// whatever a client makes up, down to a token in the wrong place.
func knownMethod(method string) string {
	if method == http.MethodOptions || slices.Contains(methods, method) {
		return method
	}
	return "other"
}

// requestID takes the client's name for the request when it is safe to log.
func (s *server) requestID(r *http.Request) string {
	id := r.Header.Get("X-Request-Id")
	if id == "" {
		return s.NewRequestID()
	}
	if _, err := parseCredential(id); err == nil { // a token in the wrong place
		return s.NewRequestID()
	}
	if len(id) > 128 || strings.ContainsFunc(id, func(c rune) bool {
		return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune("._-", c))
	}) {
		return s.NewRequestID()
	}
	return id
}

// frame is what there is for each request, in one piece. It is the request's context.
type frame struct {
	Exchange
	deadline
	connection context.Context
	recorder   recorder
	room       headerRoom
	call       call
	memory     *budget.Account
}

type frameKey struct{}

// Value implements context.Context.
func (f *frame) Value(key any) any {
	switch key {
	case any(frameKey{}):
		return f
	case budget.Key:
		return f.memory
	}
	return f.deadline.Value(key)
}

// frameOf returns the frame around the request.
func frameOf(r *http.Request) *frame { return r.Context().Value(frameKey{}).(*frame) }

// connectionOf returns a context that ends when the client closes its side of the
// connection, and when the request is over.
func connectionOf(r *http.Request) context.Context { return frameOf(r).connection }

// headerRoom has room for the values of the headers that most answers have and that differ
// from one to the next.
type headerRoom struct {
	values [4]string // X-Request-Id, Problem-Revision, Etag, Content-Length
	used   int
}

// set sets a header, whose name has to be in its canonical form.
func (r *headerRoom) set(header http.Header, name, value string) {
	if r.used == len(r.values) {
		header[name] = []string{value}
		return
	}
	r.values[r.used] = value
	r.used++
	header[name] = r.values[r.used-1 : r.used : r.used]
}

// recorder notes what is answered.
type recorder struct {
	http.ResponseWriter
	status int // 0: nothing sent yet
	bytes  int64
}

func (r *recorder) WriteHeader(status int) {
	if r.status == 0 && status >= 200 {
		r.status = status
	}
	r.ResponseWriter.WriteHeader(status)
}

func (r *recorder) Write(b []byte) (int, error) {
	if r.status == 0 {
		r.status = http.StatusOK
	}
	n, err := r.ResponseWriter.Write(b)
	r.bytes += int64(n)
	return n, err
}

// Unwrap gives http.ResponseController the way to the connection.
func (r *recorder) Unwrap() http.ResponseWriter { return r.ResponseWriter }
