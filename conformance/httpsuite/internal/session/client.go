package session

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// Client sends requests with one token.
type Client struct {
	T     *Trial
	wire  *http.Client
	Base  string            // the URL before each path
	Token string            // empty: no Authorization header
	name  string            // the user of the token, for failures
	made  func(path string) // notes the path of a new user or component
}

// Option changes a request before it is sent.
type Option func(*http.Request)

// With sets a header; an empty value removes it.
func With(name, value string) Option {
	return func(r *http.Request) {
		r.Header.Del(name)
		if value != "" {
			r.Header.Set(name, value)
		}
	}
}

// More adds another line of a header.
func More(name, value string) Option { return func(r *http.Request) { r.Header.Add(name, value) } }

// Typed sets the media type of the body; empty sends none.
func Typed(mediaType string) Option { return With("Content-Type", mediaType) }

// Plain marks the body as text.
func Plain() Option { return Typed("text/plain") }

// Unsized sends the body in chunks, without Content-Length.
func Unsized() Option { return func(r *http.Request) { r.ContentLength = -1 } }

// Get sends a GET without a body; see [Client.Do].
func (c *Client) Get(path string, options ...Option) *Answer {
	c.T.Helper()
	return c.Do(http.MethodGet, path, "", options...)
}

// Post sends a POST; see [Client.Do].
func (c *Client) Post(path, body string, options ...Option) *Answer {
	c.T.Helper()
	return c.Do(http.MethodPost, path, body, options...)
}

// Patch sends a PATCH; see [Client.Do].
func (c *Client) Patch(path, body string, options ...Option) *Answer {
	c.T.Helper()
	return c.Do(http.MethodPatch, path, body, options...)
}

// Put sends a PUT; see [Client.Do].
func (c *Client) Put(path, body string, options ...Option) *Answer {
	c.T.Helper()
	return c.Do(http.MethodPut, path, body, options...)
}

// Delete sends a DELETE; see [Client.Do].
func (c *Client) Delete(path, body string, options ...Option) *Answer {
	c.T.Helper()
	return c.Do(http.MethodDelete, path, body, options...)
}

// Do sends a request and checks the rules for every answer. A body goes out as
// application/json unless an option says otherwise. Any goroutine may call Do: it never
// ends the case. The answer has the status 0 when the exchange failed.
//
// After the 429 of a rate limiter, or a 503 with Retry-After, Do waits and sends the
// request again. It does the same when the port is closed. A 503 with the type
// outcome-unknown is final: the server may have done the request.
func (c *Client) Do(method, path, body string, options ...Option) *Answer {
	c.T.Helper()
	a := &Answer{T: c.T, Request: method + " " + path, base: c.Base}
	for {
		sent, err := c.exchange(c.T.Context(), a, method, path, body, options...)
		if err != nil && c.T.retryable(err) {
			continue
		}
		if err != nil {
			a.Status, a.Header, a.Body, a.Err = 0, nil, nil, err
			c.T.Logf("%s", c.line(sent, a, body))
			c.T.broken(a.Request, err)
			return a
		}
		if !c.T.again(a) {
			c.witness(a)
			c.T.Logf("%s", c.line(sent, a, body))
			break
		}
	}
	a.decode()
	a.universal()
	return a
}

// decode reads a body of JSON into a.Value. It fails the case when the body is not exactly
// one value.
func (a *Answer) decode() {
	if !a.isJSON() || len(a.Body) == 0 {
		return
	}
	decoder := json.NewDecoder(bytes.NewReader(a.Body))
	decoder.UseNumber()
	err := decoder.Decode(&a.Value)
	if err == nil {
		if _, end := decoder.Token(); !errors.Is(end, io.EOF) {
			err = errors.New("there is text after the value")
		}
	}
	if err != nil {
		a.T.Errorf("%v\nis not JSON: %v", a, err)
	}
}

// exchange sends a request once and reads the answer into a.
func (c *Client) exchange(ctx context.Context, a *Answer, method, path, body string, options ...Option) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.Base+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.Token != "" {
		request.Header.Set("Authorization", c.Token)
	}
	for _, o := range options {
		o(request)
	}
	response, err := c.wire.Do(request)
	if err != nil {
		return request, err
	}
	defer response.Body.Close()
	a.Status, a.Header = response.StatusCode, response.Header
	if a.Body, err = io.ReadAll(io.LimitReader(response.Body, c.T.Most+1)); err != nil {
		return request, fmt.Errorf("the body of the answer broke off: %w", err)
	}
	if int64(len(a.Body)) > c.T.Most {
		return request, EndlessError{response.StatusCode, c.T.Most}
	}
	return request, nil
}

// mostBody is the limit of an answer's body, in bytes. No answer of the contract comes near it.
const mostBody = 64 << 20

// EndlessError is the error of an answer beyond the limit.
type EndlessError struct {
	status int
	most   int64
}

// Error tells the status and the limit.
func (e EndlessError) Error() string {
	return fmt.Sprintf("the answer %d has a body of more than %d MiB, which was not read to its end", e.status, e.most>>20)
}

// witness notes new secrets, so that complaints mask them. It also notes new users and
// components, so that the case can close them.
func (c *Client) witness(a *Answer) {
	if a.Status != http.StatusCreated || a.Header.Get("Dry-Run") != "" || c.made == nil {
		return
	}
	var made struct{ Identifier, Token string }
	switch path, _, _ := strings.Cut(strings.TrimPrefix(a.Request, "POST "), "?"); path {
	case "/users", "/components":
		if json.Unmarshal(a.Body, &made) == nil && made.Identifier != "" {
			c.made(path + "/" + url.PathEscape(made.Identifier))
		}
	case "/tokens":
		if json.Unmarshal(a.Body, &made) == nil && made.Token != "" {
			c.T.confide(made.Token)
		}
	}
}

// retryAfter returns the wait in the header Retry-After: a number of seconds, or the time from
// Date to a later date. It is a second when the header is missing or has another form.
func (a *Answer) retryAfter() time.Duration {
	value := a.Header.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil && seconds >= 0 {
		return time.Duration(seconds) * time.Second
	}
	at, err := http.ParseTime(value)
	if now, e := http.ParseTime(a.Header.Get("Date")); err == nil && e == nil && at.After(now) {
		return at.Sub(now)
	}
	return time.Second
}

// line describes an exchange: the user, the request, and the answer.
func (c *Client) line(request *http.Request, a *Answer, body string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", c.name, Short(a.Request))
	if body != "" {
		b.WriteString(" " + Short(body))
	}
	if request != nil {
		for _, name := range headers(request, c.Token) {
			fmt.Fprintf(&b, " [%s: %s]", name, Short(strings.Join(request.Header.Values(name), ", ")))
		}
	}
	if a.Status == 0 {
		return b.String() + " → no answer"
	}
	fmt.Fprintf(&b, " → %d", a.Status)
	if len(a.Body) > 0 {
		b.WriteString(" " + Short(string(a.Body)))
	}
	return b.String()
}

// headers are the notable headers of a request.
func headers(r *http.Request, token string) []string {
	var names []string
	for name, values := range r.Header {
		usual := name == "Authorization" && slices.Equal(values, []string{token}) ||
			name == "Content-Type" && slices.Equal(values, []string{"application/json"})
		if !usual {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// Short cuts a text to 300 bytes, and adds the length of a longer one.
func Short(text string) string {
	const limit = 300
	text = strings.TrimSpace(text)
	if len(text) <= limit {
		return strings.ToValidUTF8(text, "�")
	}
	return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(text[:limit], ""), len(text))
}

// Lookup returns the path with a query. The parameters are names and values in turn.
func Lookup(path string, parameters ...string) string {
	values := url.Values{}
	for i := 0; i+1 < len(parameters); i += 2 {
		values.Set(parameters[i], parameters[i+1])
	}
	return path + "?" + values.Encode()
}
