package httpapi

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/problemtracking/problems/adapters/httpapi/internal/etag"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/tracker"
)

// call is a request to an operation of the API, after the checks of serve.
type call struct {
	server *server
	w      http.ResponseWriter
	r      *http.Request
	frame  *httpframe.Frame // around the request
	op     *huma.Operation
	caller tracker.Caller
	media  string // the body's media type, without parameters
	body   []byte
	query  url.Values // the parameters of the query: known to the operation, and given once; nil for none
	dryRun bool
	writes bool // the operation can have changed something
	// decoded, for a large body, releases server.large. A body needs none while its
	// operation waits for searches or locks.
	decoded func()
	// encodes is true while the call has a place of server.encoding.
	encodes bool
	// inParts is true when the body of the answer comes in parts.
	inParts bool
	// ends are called when the request is over, the last one first.
	ends []func()
	// names, if not nil, returns the names of tokens: see tokenName.
	names func(ident.ID) string
	// pooled, if not nil, is the buffer of the pool for the body of the answer.
	pooled    *[]byte
	answering answering
	status    int  // of the answer, once Huma knows it
	sent      bool // the answer, with its body
}

// as returns the Reader of the caller.
func (c *call) as() tracker.Reader { return c.server.Service.As(c.caller) }

// Request is the call, for the input of an operation. The fields beside it only describe
// parameters.
type Request struct{ *call }

// Resolve implements huma.Resolver.
func (in *Request) Resolve(ctx huma.Context) []error {
	in.call = callOf(ctx.Context())
	return nil
}

type callKey struct{}

func callOf(ctx context.Context) *call { return ctx.Value(callKey{}).(*call) }

// serve is the middleware of all operations. It answers requests in the order of D18. The
// router has checked path and method. Next are the checks in the method check, line by
// line. The operation does the rest: other headers and the body, the identifiers of the
// path, the use case.
func (s *server) serve(ctx huma.Context, next func(huma.Context)) {
	r, w := humago.Unwrap(ctx)
	op := ctx.Operation()
	if hidden(op, r) {
		s.public(s.unmatched)(w, r)
		return
	}
	header := w.Header()
	header.Set("Cache-Control", "private, no-cache")
	header.Add("Vary", "Authorization") // CORS has values of its own
	c := &call{server: s, r: r, w: w, frame: httpframe.Of(r), op: op, writes: writes(op)}
	defer c.end()
	if err := c.check(); err != nil {
		s.fail(w, r, err)
		return
	}
	c.answering = answering{ctx, c}
	next(huma.WithValue(&c.answering, callKey{}, c))
	c.finish()
}

// after has a function called when the request is over.
func (c *call) after(end func()) { c.ends = append(c.ends, end) }

func (c *call) end() {
	c.leaveLarge()
	callAll(c.ends)
}

// callAll calls the functions, the last one first.
func callAll(ends []func()) {
	for _, end := range slices.Backward(ends) {
		end()
	}
}

// check runs the checks common to all operations.
func (c *call) check() (err error) {
	s, a := c.server, detailsOf(c.op)
	if c.caller, err = c.authenticate(); err != nil {
		return err
	}
	if !c.caller.Scope.Covers(a.scope) {
		return fault.New(fault.Forbidden, "this needs a token of scope %s, not %s", a.scope, c.caller.Scope)
	}
	if err = s.rates.TakeCaller(c.caller.Token, c.w.Header()); err != nil {
		return err
	}
	if err = c.frame.Admit(c.caller.User); err != nil {
		return err
	}
	if c.media, err = mediaType(a.bodies, c.r.Header); err != nil {
		return err
	}
	if a.file && encoded(c.r.Header) {
		return fault.New(fault.UnsupportedMediaType, "this operation takes a file as it is, without content coding")
	}
	if len(a.bodies) > 0 {
		if c.body, err = c.frame.ReadBody(c.w, c.r, s.Limits.BodyBytes); err != nil {
			return err
		}
	} else if c.writes && !a.file && c.r.Method == http.MethodPost {
		if n, _ := c.r.Body.Read(make([]byte, 1)); n > 0 { // such as {"dryRun":true}
			return fault.New(fault.MalformedRequest, "this operation takes no body: leave it out, and write dryRun=true into the address")
		}
	}
	if c.r.URL.RawQuery != "" {
		if c.query, err = parseQuery(c.r.URL.RawQuery, queryNames(c.op)); err != nil {
			return err
		}
	}
	if c.dryRun, err = c.flag(paramDryRun); err != nil {
		return err
	}
	if len(c.body) > httpframe.LargeBody {
		release, err := s.large.Acquire(c.r)
		if err != nil {
			return err
		}
		c.decoded = sync.OnceFunc(release)
	}
	if c.writes && !ofProblem(c.op) && len(c.r.Header["If-Match"]) > 0 {
		return fault.New(fault.MalformedRequest, "If-Match means nothing here: it is for changes of one problem that exists")
	}
	if c.writes && !ofProblem(c.op) && len(c.r.Header["Claim"]) > 0 {
		return fault.New(fault.MalformedRequest, "the header Claim means nothing here: it is for changes of one problem that exists")
	}
	if err := checkKey(c.op, c.r.Header); err != nil {
		return err
	}
	if c.dryRun {
		c.w.Header().Set("Dry-Run", "true")
	}
	return nil
}

// queryNames returns the names of the operation's parameters in the query.
func queryNames(op *huma.Operation) (names []string) {
	for _, p := range op.Parameters {
		if p.In == "query" {
			names = append(names, p.Name)
		}
	}
	return names
}

// authenticate returns the caller (D17). It looks at the token first: a valid token is
// never refused because of other requests from its address. It asks the store about an
// unknown token, unless the address floods the service with them.
func (c *call) authenticate() (tracker.Caller, error) {
	ctx, secret := c.r.Context(), httpframe.Credential(c.r)
	caller, err := c.server.Service.Recognize(ctx, secret)
	if fault.Is(err, fault.Unauthenticated) && !c.server.rates.Spent(c.r) {
		caller, err = c.server.Service.Authenticate(ctx, secret)
	}
	switch {
	case err == nil:
		c.frame.Token = caller.Token
	case fault.Is(err, fault.Unauthenticated):
		if limited := c.server.rates.TakeAddress(c.r, c.w.Header()); limited != nil {
			return caller, limited
		}
		return caller, httpframe.Unauthenticated()
	}
	return caller, err
}

// decode reads the body as an object with the given members: see wire.Decode.
func (c *call) decode(faults *fault.List, members ...wire.Member) error {
	defer c.leaveLarge()
	return wire.Decode(c.body, c.server.Limits.JSONDepth, faults, members...)
}

// decodeValue reads the body as any JSON value.
func (c *call) decodeValue() (any, error) {
	defer c.leaveLarge()
	return wire.DecodeValue(c.body, c.server.Limits.JSONDepth)
}

// leaveLarge leaves the place of a large body, once it is decoded.
func (c *call) leaveLarge() {
	if c.decoded != nil {
		c.decoded()
	}
}

// parseQuery reads the query of an operation with parameters of these names.
func parseQuery(raw string, names []string) (url.Values, error) {
	query, err := url.ParseQuery(raw)
	if err != nil {
		return nil, fault.New(fault.MalformedRequest, "the query is not a list of name=value%s", unencoded(raw, err))
	}
	for name, values := range query {
		switch {
		case len(names) == 0:
			return nil, fault.New(fault.MalformedRequest, "this operation has no query parameters")
		case slices.Contains(names, name) && len(values) > 1:
			return nil, fault.New(fault.MalformedRequest, "%s has to be given once", name)
		case slices.Contains(names, name):
		case name == "predicate" && slices.Contains(names, "sort"):
			return nil, fault.New(fault.MalformedRequest, "a list takes no predicate: append /search to the path. The query parameters of this operation are: %s", strings.Join(names, ", "))
		case len(names) == 1:
			return nil, fault.New(fault.MalformedRequest, "the one query parameter of this operation is %s", names[0])
		default:
			return nil, fault.New(fault.MalformedRequest, "the query parameters of this operation are: %s", strings.Join(names, ", "))
		}
	}
	return query, nil
}

// unencoded names the character of a malformed query in need of percent-encoding.
func unencoded(raw string, err error) string {
	if _, ok := errors.AsType[url.EscapeError](err); ok {
		return ": a percent sign that means itself is sent as %25"
	}
	if strings.Contains(raw, ";") {
		return ": a semicolon is sent as %3B"
	}
	return ""
}

// flag returns a parameter of the query: true or false. Left out, it is false.
func (c *call) flag(name string) (bool, error) {
	if !c.query.Has(name) {
		return false, nil
	}
	switch c.query.Get(name) {
	case "true":
		return true, nil
	case "false":
		return false, nil
	}
	return false, fault.New(fault.MalformedRequest, "%s has to be true or false", name)
}

// whole returns a parameter of the query that is a whole number within bounds.
func (c *call) whole(name string, usual, least, most int) (int, error) {
	if !c.query.Has(name) {
		return usual, nil
	}
	text := c.query.Get(name)
	n, err := strconv.Atoi(text)
	if err != nil || strconv.Itoa(n) != text || n < least || n > most {
		return 0, fault.New(fault.MalformedRequest, "%s has to be a whole number from %d to %d, without sign or leading zeros", name, least, most)
	}
	return n, nil
}

// write returns the parts of a write beside its body.
func (c *call) write() tracker.Write { return tracker.Write{DryRun: c.dryRun} }

// conditional returns the parts of a write to a problem beside its body.
func (c *call) conditional() (tracker.Write, error) {
	write := c.write()
	var err error
	if write.Claim, err = c.claimHeader(); err != nil {
		return write, err
	}
	lines := c.r.Header.Values("If-Match")
	if len(lines) == 0 {
		return write, nil
	}
	list, err := etag.Parse(lines)
	if err != nil {
		return write, fault.New(fault.MalformedRequest, "the header If-Match is %v", err)
	}
	write.IfMatch = list.Match()
	return write, nil
}

// knows reports whether the client has the representation of the tag already (D20). A
// malformed If-None-Match is as good as none.
func (c *call) knows(tag string) bool {
	known, err := etag.Parse(c.r.Header["If-None-Match"])
	return err == nil && known.Has(tag)
}

// problem returns the problem in the path.
func (c *call) problem() (problem.ID, error) {
	id, ok := problem.ParseID(c.r.PathValue("identifier"))
	if !ok {
		return 0, fault.New(fault.ProblemNotFound, "there is no problem with this identifier: identifiers are whole numbers from 1, without sign or leading zeros")
	}
	return id, nil
}

// object returns the identifier of another object in the path.
func (c *call) object() (ident.ID, error) {
	id, err := ident.Parse(c.r.PathValue("identifier"))
	if err != nil {
		return id, fault.New(fault.NotFound, "there is nothing with this identifier: identifiers look like 01234567-89ab-7cde-8f01-23456789abcd")
	}
	return id, nil
}

// getBuf returns an empty buffer for the body of the answer. It must not be used after the
// body is sent.
func (c *call) getBuf() []byte {
	c.pooled = httpframe.GetBuf()
	return *c.pooled
}

// putBuf returns the answer's buffer to the pool, if there is one.
func (c *call) putBuf(body []byte) {
	if c.pooled != nil {
		*c.pooled = body
		httpframe.PutBuf(c.pooled)
		c.pooled = nil
	}
}

// tokenName returns the name of a token. The call asks for all of them once.
func (c *call) tokenName(id ident.ID) string {
	if c.names == nil {
		c.names = c.server.Service.TokenNames(c.untilGone())
	}
	return c.names(id)
}
