package httpframe

import (
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"github.com/problemtracking/problems/domain/budget"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
)

// Options are the needs of a frame. RequestTime, Now, NewRequestID, Logger and Fail
// have to be given.
type Options struct {
	// RequestTime is how long one request may take. The reading of its body counts.
	RequestTime time.Duration
	// Methods are the methods of all paths together. An Exchange has "other" for the rest.
	Methods []string
	// Memory is the budget for bodies and large answers. nil: there is any amount.
	Memory *budget.Budget
	// Logger gets the causes of the statuses 500 and 503, because clients do not.
	Logger *slog.Logger
	// Quiet reports whether the log omits causes of 503. nil: it has all.
	Quiet func() bool
	// NewRequestID names a request without a usable X-Request-Id.
	NewRequestID func() string
	Now          func() time.Time
	// Observe, if not nil, is called after every request, by its goroutine.
	Observe func(Exchange)
	// Fail answers a request after a panic of its handler, if nothing was sent before.
	Fail func(http.ResponseWriter, *http.Request, error)
}

// Exchange is one request and its answer, for logs and metrics.
type Exchange struct {
	// Context is the one that the request came with: the handlers around the frame may
	// have put something into it. It is nil after Detach.
	Context context.Context
	// Method is "other" for a method of no path.
	Method string
	// Route is the pattern of the path, such as
	// "/api/20151105/problems/{identifier}". It is empty when nothing is there.
	Route string
	// Status is 0 when the client went away before the answer.
	Status    int
	Bytes     int64 // of the answer's body
	Duration  time.Duration
	RequestID string
	Token     ident.ID // None when the request had no valid token
	// Remote is the address and port of the other end of the connection, as net/http
	// has them: of a proxy, if there is one.
	Remote string
	// Replayed is true for the answer to an earlier request with the same
	// Idempotency-Key (D21).
	Replayed bool
}

// Frame surrounds one request: see Of. Handlers set the fields Token and Replayed.
type Frame struct {
	Exchange
	options    *Options
	began      time.Time
	connection context.Context
	recorder   recorder
	memory     *budget.Account
	arrived    bool // the body, to its end
	detached   bool // the exchange goes on after its handler
}

// Wrap returns a handler. It puts a Frame around every request, and has next serve it.
//
// A Frame names the request, bounds its time, and sets the common headers of answers
// (D34). It recovers panics and has the Exchange observed.
func Wrap(o Options, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		began := o.Now()
		f := &Frame{
			began:      began,
			Exchange:   Exchange{Context: r.Context(), Method: o.knownMethod(r.Method), RequestID: o.requestID(r), Remote: r.RemoteAddr},
			options:    &o,
			connection: r.Context(),
			recorder:   recorder{ResponseWriter: w, now: o.Now, deadline: limit(r, began)},
		}
		f.recorder.pieceSize, f.recorder.pieceTime = piece(r)
		body := &begun{ReadCloser: r.Body}
		refused := false
		defer func() {
			if refused { // the memory of the request is free already
				f.drop(w, body)
			}
		}()
		if o.Memory != nil {
			f.memory = o.Memory.Open(r.Context().Done())
			defer func() {
				if !f.detached {
					f.memory.Close()
				}
			}()
		}
		// A client may close its side of the connection and still wait for the answer,
		// though net/http takes it for gone. Searches ask for Connection.
		ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), o.RequestTime)
		defer cancel()
		ctx = context.WithValue(ctx, frameKey{}, f)
		if f.memory != nil {
			ctx = budget.With(ctx, f.memory)
		}
		r = r.WithContext(ctx)
		r.Body = body

		header := w.Header()
		header.Set("X-Request-Id", f.RequestID)
		Secure(header)
		if ambiguous(r) {
			header.Set("Connection", "close")
		}

		panicked := f.serve(next, r)

		if r.ContentLength != 0 && !f.arrived && !f.detached {
			if ctx.Err() != nil {
				endReading(w) // net/http sends the answer after the rest of the body
			}
			// A client that waits for leave to send its body sends none.
			asks := r.Header.Get("Expect") != "" && !body.read
			refused = f.recorder.status >= 400 && ctx.Err() == nil && r.ProtoMajor == 1 && !asks && !panicked
		}
		if o.Observe != nil && !f.detached {
			f.observe(r)
		}
		if panicked {
			panic(http.ErrAbortHandler) // the client must not take half an answer for a whole one
		}
	})
}

// observe has the Exchange observed.
func (f *Frame) observe(r *http.Request) {
	f.note(r)
	f.Duration = f.options.Now().Sub(f.began)
	f.options.Observe(f.Exchange)
}

// note completes the Exchange, except for its duration.
func (f *Frame) note(r *http.Request) {
	_, route, _ := strings.Cut(r.Pattern, " ") // the catch-all pattern has no method
	f.Route = strings.TrimSuffix(strings.ReplaceAll(route, "...}", "}"), "{$}")
	f.Status, f.Bytes = f.recorder.status, f.recorder.bytes
}

// Detach lets the exchange go on after the handler, which has taken the connection over.
// The Frame then holds nothing of the request. The caller has to call finish once, at the
// end, with the number of further bytes: it has the Exchange observed, and returns the
// memory.
func (f *Frame) Detach(r *http.Request) (finish func(bytes int64)) {
	f.detached = true
	f.note(r)
	f.recorder.ResponseWriter, f.connection, f.Context = nil, nil, nil
	return func(bytes int64) {
		f.Bytes += bytes
		f.Duration = f.options.Now().Sub(f.began)
		if f.memory != nil {
			f.memory.Close()
		}
		if f.options.Observe != nil {
			f.options.Observe(f.Exchange)
		}
	}
}

// serve serves the request and turns a panic into an answer. It returns true when it is
// too late for one.
func (f *Frame) serve(next http.Handler, r *http.Request) (tooLate bool) {
	defer func() {
		switch v := recover(); v {
		case nil:
		case http.ErrAbortHandler:
			tooLate = true
		default:
			err := fmt.Errorf("panic: %v\n%s", v, debug.Stack())
			if tooLate = f.recorder.status != 0; tooLate {
				f.Report(r.Context(), err)
			} else {
				f.options.Fail(&f.recorder, r, err)
			}
		}
	}()
	next.ServeHTTP(&f.recorder, r)
	return false
}

// knownMethod returns the method if some path has it. Clients can make up any other one,
// down to a token in the wrong place.
func (o *Options) knownMethod(method string) string {
	if method == http.MethodOptions || slices.Contains(o.Methods, method) {
		return method
	}
	return "other"
}

// requestID takes the client's name for the request when it is safe to log.
func (o *Options) requestID(r *http.Request) string {
	id := r.Header.Get("X-Request-Id")
	if id == "" {
		return o.NewRequestID()
	}
	if _, err := ParseCredential(id); err == nil { // a token in the wrong place
		return o.NewRequestID()
	}
	if len(id) > 128 || strings.ContainsFunc(id, func(c rune) bool {
		return !('a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.ContainsRune("._-", c))
	}) {
		return o.NewRequestID()
	}
	return id
}

type frameKey struct{}

// Of returns the Frame around the request. It panics when there is none: see Wrap.
func Of(r *http.Request) *Frame { return r.Context().Value(frameKey{}).(*Frame) }

// Connection returns the context of the connection. It ends when the client closes its
// side, and when the request is over.
func (f *Frame) Connection() context.Context { return f.connection }

// Report logs an error of the service itself, with the name of the request. It ignores
// errors of the client.
func (f *Frame) Report(ctx context.Context, err error) {
	o := f.options
	switch kind := FailureOf(fault.KindOf(err)); {
	case kind.Kind == fault.Internal:
		o.Logger.ErrorContext(ctx, "internal error", "request", f.RequestID, "cause", err)
	case kind.Status == http.StatusServiceUnavailable && (o.Quiet == nil || !o.Quiet()):
		o.Logger.WarnContext(ctx, strings.ToLower(kind.Title), "request", f.RequestID, "cause", err)
	}
}
