package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"net/http"
	"net/http/httptrace"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// Version is the version of the API: a segment of each path.
const Version = "20151105"

// Options describe a client. The zero value is that of most programs, with a token.
type Options struct {
	// Token authenticates each request.
	Token string
	// Transport sends the requests. nil: http.DefaultTransport.
	Transport http.RoundTripper
	// Attempts is how often a request is sent at most. 0: 4.
	Attempts int
	// Pause is about the time before the second attempt; each further one is twice as
	// long. 0: 250 ms.
	Pause time.Duration
}

const (
	usualAttempts = 4
	firstPause    = 250 * time.Millisecond
	// longestWait limits the wait for a server that says when to come again.
	longestWait = 30 * time.Second
	// attemptTime limits one attempt. Servers give up after 30 s by default.
	attemptTime = time.Minute
)

// Client is a user of a running server. Its methods may be called from many goroutines.
type Client struct {
	base *url.URL
	http *http.Client
	Options
}

// New returns a client of the server at an address such as "http://127.0.0.1:8080", base
// path included. It sends nothing.
func New(address string, o Options) (*Client, error) {
	base, err := url.Parse(address)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" || base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, errors.New("the address of a server looks like http://127.0.0.1:8080")
	}
	if o.Attempts == 0 {
		o.Attempts = usualAttempts
	}
	if o.Pause == 0 {
		o.Pause = firstPause
	}
	return &Client{base: base, Options: o, http: &http.Client{
		Transport: o.Transport,
		// The token is for this server alone, and a redirected write is
		// easily lost.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

// Close closes the idle connections to the server.
func (c *Client) Close() error {
	c.http.CloseIdleConnections()
	return nil
}

// Address returns the address of the server.
func (c *Client) Address() string { return c.base.String() }

// Request is a request for [Client.Do].
type Request struct {
	Method string
	// Path are the segments below the version of the API, not escaped.
	Path  []string
	Query url.Values
	// Body, unless nil, is sent as JSON.
	Body any
	// Header has further headers.
	Header http.Header
	// Key is an Idempotency-Key of the caller, for a POST that takes one, a claim, or a change of a problem. "": [Client.Do]
	// sends none. The methods that create something draw one.
	Key string

	file *File // is sent in place of Body
}

// Option changes a request.
type Option func(*Request)

// IfRevision lets a write succeed only at this revision of the problem. The client repeats
// such a write safely.
func IfRevision(revision int64) Option { return IfMatch(`"` + strconv.FormatInt(revision, 10) + `"`) }

// IfMatch does the same by an ETag.
func IfMatch(tag string) Option { return header("If-Match", tag) }

// Key is the Idempotency-Key of a creation, or of a change of a problem, in place of a drawn one. It
// lives for 24 hours: with the same key, another run of a program writes nothing twice.
func Key(key string) Option { return func(r *Request) { r.Key = key } }

// DryRun answers a write, and stores nothing.
func DryRun() Option { return Parameter("dryRun", "true") }

// AsOf loads a problem as it was at a revision, or at a time in RFC 3339 (D36).
func AsOf(moment string) Option { return Parameter("asOf", moment) }

// Only has a read of problems answer these members alone, such as "title" and "state.name".
// None stand for all.
func Only(fields ...string) Option {
	if len(fields) == 0 {
		return func(*Request) {}
	}
	return Parameter("fields", strings.Join(fields, ","))
}

// Parameter sets a parameter of the query.
func Parameter(name, value string) Option {
	return func(r *Request) {
		if r.Query == nil {
			r.Query = url.Values{}
		}
		r.Query.Set(name, value)
	}
}

func header(name, value string) Option {
	return func(r *Request) {
		if r.Header == nil {
			r.Header = http.Header{}
		}
		r.Header.Set(name, value)
	}
}

// ErrInvalidRequest is the error of a request that cannot be sent as it is.
var ErrInvalidRequest = errors.New("nothing was sent")

// check refuses a path that servers take for another one, and headers that are none.
func (r *Request) check() error {
	for _, segment := range r.Path {
		if segment == "" || segment == "." || segment == ".." {
			return fmt.Errorf("%w: no path has the segment %q", ErrInvalidRequest, segment)
		}
	}
	for name, values := range r.Header {
		for _, value := range values {
			if strings.ContainsFunc(value, unicode.IsControl) {
				return fmt.Errorf("%w: the header %s has a control character", ErrInvalidRequest, name)
			}
		}
	}
	if strings.ContainsFunc(r.Key, unicode.IsControl) {
		return fmt.Errorf("%w: the Idempotency-Key has a control character", ErrInvalidRequest)
	}
	return nil
}

// reads reports whether a request changes nothing.
func (r *Request) reads() bool {
	switch {
	case r.Method == http.MethodGet, r.Method == http.MethodHead, r.Query.Get("dryRun") == "true":
		return true
	}
	return r.Method == http.MethodPost && len(r.Path) > 0 && r.Path[len(r.Path)-1] == "search"
}

// takesKey reports whether the server heeds an Idempotency-Key (D21).
func (r *Request) takesKey() bool {
	switch r.Method {
	case http.MethodPost:
		return true
	case http.MethodPut:
		return len(r.Path) > 0 && r.Path[len(r.Path)-1] == "claim"
	case http.MethodPatch:
		return len(r.Path) == 2 && r.Path[0] == "problems"
	}
	return false
}

// repeatable reports whether the server tells a repeat from a second write.
func (r *Request) repeatable() bool {
	return r.reads() || r.Key != "" && r.takesKey() || r.Header.Get("If-Match") != ""
}

// Do sends a request, and decodes its answer into answer, unless that is nil. It returns
// the headers of the answer. The error is an [*Error], a [*ConnectionError] or a
// [*ForeignError], or wraps [ErrUnknown].
func (c *Client) Do(ctx context.Context, r Request, answer any, options ...Option) (http.Header, error) {
	for _, o := range options {
		o(&r)
	}
	var body []byte
	if r.Body != nil {
		var err error
		if body, err = json.Marshal(r.Body); err != nil {
			return nil, err
		}
	}
	var doubt error // of the first attempt that may have written
	for attempt := 1; ; attempt++ {
		header, sent, err := c.attempt(ctx, &r, body)
		if err == nil {
			return header, c.decode(sent, answer)
		}
		unclear := !r.reads() && isUnclear(err)
		if unclear && doubt == nil {
			doubt = err
		}
		switch {
		case doubt != nil && (!isTemporary(err) || !r.repeatable()):
			// Refused now, but the first attempt may be the reason: it made the
			// revision, or took the place.
			return header, fmt.Errorf("%w: %w", ErrUnknown, err)
		case !isTemporary(err), attempt >= c.Attempts, !c.wait(ctx, attempt, err):
			if doubt != nil {
				err = fmt.Errorf("%w: %w", ErrUnknown, err)
			}
			return header, err
		}
	}
}

// attempt sends a request once, and reads its answer.
func (c *Client) attempt(ctx context.Context, r *Request, body []byte) (http.Header, []byte, error) {
	limit := attemptTime
	if r.file != nil {
		limit = fileTime
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	response, err := c.send(ctx, r, body)
	if err != nil {
		return nil, nil, err
	}
	defer response.Body.Close()
	content, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, nil, &ConnectionError{Address: c.Address(), Began: true, Err: err}
	}
	return response.Header, content, nil
}

// send sends a request once. The answer has a status of 2xx, and the caller closes it.
func (c *Client) send(ctx context.Context, r *Request, body []byte) (*http.Response, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	segments := append([]string{"api", Version}, r.Path...)
	for i, segment := range segments {
		segments[i] = url.PathEscape(segment)
	}
	target := c.base.JoinPath(segments...)
	target.RawQuery = r.Query.Encode()
	unsent := c.traced()
	ctx = httptrace.WithClientTrace(ctx, &httptrace.ClientTrace{GotConn: func(httptrace.GotConnInfo) { unsent = false }})
	request, err := http.NewRequestWithContext(ctx, r.Method, target.String(), bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	if r.file != nil && r.file.Size > 0 { // of zero, net/http thinks that nobody knows the size
		if request.Body, err = r.file.Open(); err != nil {
			return nil, err
		}
		request.ContentLength, request.GetBody = r.file.Size, r.file.Open
	}
	maps.Copy(request.Header, r.Header)
	if r.Body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if r.Key != "" {
		request.Header.Set("Idempotency-Key", r.Key)
	}
	request.Header.Set("Authorization", c.Token)
	response, err := c.http.Do(request)
	if err != nil {
		if e, ok := errors.AsType[*url.Error](err); ok {
			err = e.Err
		}
		if errors.Is(ctx.Err(), context.Canceled) { // the transport returns its cause alone
			err = givenUp{err}
		}
		return nil, &ConnectionError{Address: c.Address(), Unsent: unsent, Err: err}
	}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		defer response.Body.Close()
		content, _ := io.ReadAll(io.LimitReader(response.Body, 1<<20)) // the status counts
		return nil, refusal(response.Status, response.StatusCode, response.Header, content)
	}
	return response, nil
}

// traced reports whether the transport tells when it has a connection.
func (c *Client) traced() bool {
	transport := c.Transport
	if transport == nil {
		transport = http.DefaultTransport
	}
	_, ok := transport.(*http.Transport)
	return ok
}

// decode reads an answer.
func (c *Client) decode(content []byte, into any) error {
	if into == nil || len(content) == 0 { // as with 204
		return nil
	}
	if err := json.Unmarshal(content, into); err != nil {
		return &ForeignError{c.Address(), err}
	}
	return nil
}

// isUnclear reports whether a write may be stored in spite of the error.
func isUnclear(err error) bool {
	if refused, ok := errors.AsType[*Error](err); ok {
		return refused.unclear()
	}
	lost, ok := errors.AsType[*ConnectionError](err)
	return ok && !lost.Unsent
}

// isTemporary reports whether the same request may succeed another time.
func isTemporary(err error) bool {
	if refused, ok := errors.AsType[*Error](err); ok {
		return refused.temporary()
	}
	_, ok := errors.AsType[*ConnectionError](err)
	return ok
}

// wait waits before another attempt. It returns false when there is no time for one.
func (c *Client) wait(ctx context.Context, attempt int, err error) bool {
	pause := shaken(c.Pause << min(attempt-1, 10))
	if refused, ok := errors.AsType[*Error](err); ok {
		if refused.RetryAfter > longestWait {
			return false
		}
		pause = max(pause, refused.RetryAfter)
	}
	select {
	case <-ctx.Done():
		return false
	case <-time.After(pause):
		return true
	}
}

// shaken returns a random time from half of a pause to all of it: all clients of a server
// lose it at the same moment.
func shaken(pause time.Duration) time.Duration { return pause/2 + rand.N(pause/2+1) }
