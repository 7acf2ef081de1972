package httpsuite

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// client sends requests with one token.
type client struct {
	t     *trial
	wire  *http.Client
	base  string            // the base of paths
	token string            // empty: no Authorization header
	name  string            // the user of the token, for failures
	made  func(path string) // notes what the case has to undo
}

// option changes a request before it is sent.
type option func(*http.Request)

// with sets a header; an empty value removes it.
func with(name, value string) option {
	return func(r *http.Request) {
		r.Header.Del(name)
		if value != "" {
			r.Header.Set(name, value)
		}
	}
}

// more adds another line of a header.
func more(name, value string) option { return func(r *http.Request) { r.Header.Add(name, value) } }

// typed sets the media type of the body; empty sends none.
func typed(mediaType string) option { return with("Content-Type", mediaType) }

// plain marks the body as text.
func plain() option { return typed("text/plain") }

// unsized sends the body in chunks, without Content-Length.
func unsized() option { return func(r *http.Request) { r.ContentLength = -1 } }

func (c *client) get(path string, options ...option) *answer {
	c.t.Helper()
	return c.do(http.MethodGet, path, "", options...)
}

func (c *client) post(path, body string, options ...option) *answer {
	c.t.Helper()
	return c.do(http.MethodPost, path, body, options...)
}

func (c *client) patch(path, body string, options ...option) *answer {
	c.t.Helper()
	return c.do(http.MethodPatch, path, body, options...)
}

func (c *client) put(path, body string, options ...option) *answer {
	c.t.Helper()
	return c.do(http.MethodPut, path, body, options...)
}

func (c *client) delete(path, body string, options ...option) *answer {
	c.t.Helper()
	return c.do(http.MethodDelete, path, body, options...)
}

// do sends a request and checks the rules for every answer. A body goes out as
// application/json unless an option says otherwise. Any goroutine may call it: it never
// ends the case, and answers status 0 when the exchange failed.
//
// A rate limiter's 429, and the 503 of a server with Retry-After, are no answers to the
// request: do waits as long, and sends the request again. The same holds for an unsent
// request to a closed port. A 503 with the type outcome-unknown is final: the request may
// have been done.
func (c *client) do(method, path, body string, options ...option) *answer {
	c.t.Helper()
	a := &answer{t: c.t, request: method + " " + path, base: c.base}
	for {
		sent, err := c.exchange(c.t.Context(), a, method, path, body, options...)
		if err != nil && c.t.refused(err) {
			continue
		}
		if err != nil {
			a.status, a.header, a.body, a.err = 0, nil, nil, err
			c.t.Logf("%s", c.line(sent, a, body))
			c.t.broken(a.request, err)
			return a
		}
		if !c.t.again(a) {
			c.witness(a)
			c.t.Logf("%s", c.line(sent, a, body))
			break
		}
	}
	if a.isJSON() && len(a.body) > 0 {
		decoder := json.NewDecoder(bytes.NewReader(a.body))
		decoder.UseNumber()
		if err := decoder.Decode(&a.value); err != nil {
			c.t.Errorf("%v\nis not JSON: %v", a, err)
		}
	}
	a.universal()
	return a
}

// exchange sends a request once and reads the answer into a.
func (c *client) exchange(ctx context.Context, a *answer, method, path, body string, options ...option) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, method, c.base+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	if body != "" {
		request.Header.Set("Content-Type", "application/json")
	}
	if c.token != "" {
		request.Header.Set("Authorization", c.token)
	}
	for _, o := range options {
		o(request)
	}
	response, err := c.wire.Do(request)
	if err != nil {
		return request, err
	}
	defer response.Body.Close()
	a.status, a.header = response.StatusCode, response.Header
	if a.body, err = io.ReadAll(io.LimitReader(response.Body, c.t.most+1)); err != nil {
		return request, fmt.Errorf("the body of the answer broke off: %w", err)
	}
	if int64(len(a.body)) > c.t.most {
		return request, endlessError{response.StatusCode, c.t.most}
	}
	return request, nil
}

// mostBody is the limit of an answer's body. No answer of the contract comes near it.
const mostBody = 64 << 20

// endlessError is the error of an answer beyond the limit.
type endlessError struct {
	status int
	most   int64
}

func (e endlessError) Error() string {
	return fmt.Sprintf("the answer %d has a body of more than %d MiB, which was not read to its end", e.status, e.most>>20)
}

// witness remembers the results of answers: secrets, hidden from everybody, and users and
// components, to be undone.
func (c *client) witness(a *answer) {
	if a.status != http.StatusCreated || a.header.Get("Dry-Run") != "" || c.made == nil {
		return
	}
	var made struct{ Identifier, Token string }
	switch path, _, _ := strings.Cut(strings.TrimPrefix(a.request, "POST "), "?"); path {
	case "/users", "/components":
		if json.Unmarshal(a.body, &made) == nil && made.Identifier != "" {
			c.made(path + "/" + url.PathEscape(made.Identifier))
		}
	case "/tokens":
		if json.Unmarshal(a.body, &made) == nil && made.Token != "" {
			c.t.confide(made.Token)
		}
	}
}

// retryAfter is how long a rate limiter asks to wait: the header Retry-After in
// seconds or as a date; a second when it does not say.
func (a *answer) retryAfter() time.Duration {
	value := a.header.Get("Retry-After")
	if seconds, err := strconv.Atoi(value); err == nil && seconds >= 0 {
		return time.Duration(seconds) * time.Second
	}
	at, err := http.ParseTime(value)
	if now, e := http.ParseTime(a.header.Get("Date")); err == nil && e == nil && at.After(now) {
		return at.Sub(now)
	}
	return time.Second
}

// line describes an exchange: the user, the request, and the answer.
func (c *client) line(request *http.Request, a *answer, body string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s: %s", c.name, short(a.request))
	if body != "" {
		b.WriteString(" " + short(body))
	}
	if request != nil {
		for _, name := range headers(request, c.token) {
			fmt.Fprintf(&b, " [%s: %s]", name, short(strings.Join(request.Header.Values(name), ", ")))
		}
	}
	if a.status == 0 {
		return b.String() + " → no answer"
	}
	fmt.Fprintf(&b, " → %d", a.status)
	if len(a.body) > 0 {
		b.WriteString(" " + short(string(a.body)))
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

// short cuts a text to the length of a line.
func short(text string) string {
	const limit = 300
	text = strings.TrimSpace(text)
	if len(text) <= limit {
		return strings.ToValidUTF8(text, "�")
	}
	return fmt.Sprintf("%s… (%d bytes)", strings.ToValidUTF8(text[:limit], ""), len(text))
}

// lookup is a path with the given parameters: a name and a value in turn.
func lookup(path string, parameters ...string) string {
	values := url.Values{}
	for i := 0; i+1 < len(parameters); i += 2 {
		values.Set(parameters[i], parameters[i+1])
	}
	return path + "?" + values.Encode()
}
