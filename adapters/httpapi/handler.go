// Package httpapi serves the HTTP API of the specification on the use cases of the tracker.
//
// Huma carries the API: each operation is registered with its input and output, Huma calls
// its handler and sends what that returns, and makes the OpenAPI document of it. One
// middleware runs the common checks. The fields of an input only describe: a handler reads a
// parameter by the methods of call, such as query, whole, flag, problem and conditional. The
// order of the checks (D18) and the strictness of the decoding (D9, D11, D18) are part of the
// contract. See serve and register.
package httpapi

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"net/http"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"github.com/rs/cors"

	"github.com/problemtracking/problems/adapters/httpapi/internal/streams"
	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/adapters/httpframe/peer"
	"github.com/problemtracking/problems/domain/budget"
	"github.com/problemtracking/problems/domain/tracker/usecases"
)

// Version is the one version of the API (spec section 9, D23).
const Version = "20151105"

// Options configure the handler. Service, Logger, NewRequestID and Now are required.
type Options struct {
	Service *usecases.All
	Limits  Limits
	// Memory is the budget for bodies and large answers. nil: no limit.
	Memory *budget.Budget
	// BasePath is the prefix of every path: the specification's {base_url}, such as
	// "/tracker". Every path in an answer begins with it. Requests may lack it, because a
	// proxy may strip it. Empty for none.
	BasePath string
	// CORSOrigins are the origins of pages with access to the API from a browser, such as
	// "https://example.com". Empty: CORS is off (D17).
	CORSOrigins []string
	// TrustedProxies may name the client of a request, by their header.
	// Requests from their own addresses do not count for AddressRatePerMinute.
	TrustedProxies peer.Proxies
	// Origin is the address of the service in the examples of the documentation, such as
	// "https://example.org". Empty: "http://127.0.0.1:8080".
	Origin string
	// Version is the version of the program, for the OpenAPI document.
	Version string
	// Logger gets the causes of the statuses 500 and 503. Answers do not contain them.
	Logger *slog.Logger
	// NewRequestID names a request without a usable X-Request-Id.
	NewRequestID func() string
	Now          func() time.Time
	// Quiet reports whether the log omits causes of 503. nil: it has all.
	Quiet func() bool
	// Observe, if not nil, is called after every request, by its goroutine.
	Observe func(httpframe.Exchange)
	// Opened returns why Service does not work yet, although its store may take writes. Until
	// it returns nil, the service is not ready. nil: Service always works.
	Opened func(context.Context) error
	// Streams bound the streams of events. nil: the default limits.
	Streams *Streams
	// Stopping, if not nil, ends when the server begins to stop. Streams end with it.
	Stopping context.Context

	slowest time.Duration // for one piece of a stream; 0: the usual limit
}

// Limits bound the requests of one client (D22).
type Limits struct {
	// BodyBytes is the greatest length of a request body.
	BodyBytes int64
	// JSONDepth is the deepest nesting of arrays and objects in a body.
	JSONDepth int
	// RequestTime is the longest time for one request, with the reading of its body.
	RequestTime time.Duration
	// RatePerMinute is the number of requests for a token. 0: any number.
	RatePerMinute int
	// AddressRatePerMinute is the number of requests from an address without a valid
	// token. A /64 of IPv6 is one address. Health checks and OPTIONS do not count. 0: any
	// number.
	AddressRatePerMinute int
}

// DefaultLimits returns the limits of D22.
func DefaultLimits() Limits {
	return Limits{BodyBytes: 1 << 20, JSONDepth: 32, RequestTime: 30 * time.Second}
}

// server is the common part of the handlers.
type server struct {
	Options
	rates    *httpframe.RateLimits
	encoding encoding
	large    httpframe.Semaphore // requests with a large body
	sender   *streams.Sender
	lists    httpframe.Semaphore // lists of saved queries, because they can be long
	mux      *http.ServeMux
	api      huma.API
	document *document
}

// New returns the handler of the whole service. It fails when an option makes no
// sense.
func New(o Options) (http.Handler, error) {
	o.BasePath = strings.TrimSuffix(o.BasePath, "/")
	if err := httpframe.CheckBasePath(o.BasePath); err != nil {
		return nil, fmt.Errorf("httpapi: BasePath has %w", err)
	}
	if o.Limits.BodyBytes <= 0 || o.Limits.JSONDepth <= 0 || o.Limits.RequestTime <= 0 || o.Limits.RatePerMinute < 0 || o.Limits.AddressRatePerMinute < 0 {
		return nil, fmt.Errorf("httpapi: limits have to be positive: %+v", o.Limits)
	}
	s := &server{
		Options:  o,
		rates:    httpframe.NewRateLimits("token", o.Limits.RatePerMinute, o.Limits.AddressRatePerMinute, o.TrustedProxies, o.Now),
		encoding: newEncoding(),
		large:    httpframe.NewSemaphore(),
		lists:    httpframe.NewSemaphore(),
		sender: streams.NewSender(streams.Options{
			Service: o.Service, Streams: cmp.Or(o.Streams, NewStreams(DefaultStreams, DefaultStreamsOfUser, nil)), Memory: o.Memory,
			RequestTime: o.Limits.RequestTime, Slowest: cmp.Or(o.slowest, streams.Slowest), Now: o.Now, Stopping: o.Stopping,
		}),
		mux: http.NewServeMux(),
	}
	s.registerAll()
	s.addDocs()
	s.addHealth()
	s.addUnmatched()

	handler := canonicalPaths(s)
	if len(o.CORSOrigins) > 0 {
		handler = crossOrigin(o.CORSOrigins).Handler(handler)
	}
	return s.wrap(handler), nil
}

// registerAll registers all operations of the API with Huma.
func (s *server) registerAll() {
	s.document = newDocument(s.Options)
	s.api = documented{humago.NewWithPrefix(s.mux, s.BasePath+prefix, huma.Config{
		OpenAPI: s.document.OpenAPI,
		Formats: map[string]huma.Format{mediaJSON: format, mediaProblem: format, mediaCSV: format},
	}), s.document}
	s.api.UseMiddleware(s.serve)
	s.registerProblems()
	s.registerBulk()
	s.registerUndo()
	s.registerComments()
	s.registerAttachments()
	s.registerRedactions()
	s.registerKeywords()
	s.registerRelationships()
	s.registerWatchers()
	s.registerClaims()
	s.registerReports()
	s.registerUsers()
	s.registerErasures()
	s.registerTokens()
	s.registerOwnTokens()
	s.registerMetadata()
	s.registerAudit()
	s.registerEvents()
	s.registerWebhooks()
	s.registerSearch()
	s.registerQueries()
}

// wrap returns the handler with a httpframe.Frame around every request.
func (s *server) wrap(next http.Handler) http.Handler {
	return httpframe.Wrap(httpframe.Options{
		RequestTime: s.Limits.RequestTime, Methods: methods, Memory: s.Memory,
		Logger: s.Logger, Quiet: s.Quiet,
		NewRequestID: s.NewRequestID, Now: s.Now, Observe: s.Observe,
		Fail: s.fail,
	}, next)
}

// public returns a handler for a path without authentication.
func (s *server) public(next http.HandlerFunc) http.HandlerFunc {
	known := func(r *http.Request) bool {
		_, err := s.Service.Recognize(r.Context(), httpframe.Credential(r))
		return err == nil
	}
	return s.rates.Public(next, known, s.fail)
}

// crossOrigin lets the pages of some origins call the API and see its
// answers. Tokens are sent by the page itself, so no credentials of the browser
// are involved.
func crossOrigin(origins []string) *cors.Cors {
	return cors.New(cors.Options{
		AllowedOrigins: origins,
		AllowedMethods: methods,
		AllowedHeaders: []string{"Authorization", "Claim", "Content-Disposition", "Content-Type", "Idempotency-Key", "If-Match", "If-None-Match", "If-Range", "Last-Event-ID", "Range", "X-Request-Id"},
		ExposedHeaders: []string{"Accept-Ranges", "Allow", "Content-Disposition", "Content-Range", "Dry-Run", "ETag", "Idempotency-Replayed", "Ignored-Members", "Link", "Location", "Problem-Revision", "RateLimit", "RateLimit-Policy", "Retry-After", "X-Request-Id"},
		MaxAge:         600, // seconds
		// The router answers OPTIONS, with Allow, also to browsers.
		OptionsPassthrough: true,
	})
}
