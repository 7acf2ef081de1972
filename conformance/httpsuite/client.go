package httpsuite

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"testing"
)

// client sends requests with one token.
type client struct {
	t     *testing.T
	wire  *http.Client
	base  string // what paths are appended to
	token string // empty: no Authorization header
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

// do sends a request and checks what is true of every answer. A body goes out as
// application/json unless an option says otherwise. It may be called from any
// goroutine: it never ends the test, and answers status 0 when the exchange
// failed.
func (c *client) do(method, path, body string, options ...option) *answer {
	c.t.Helper()
	a := &answer{t: c.t, request: method + " " + path, base: c.base}
	request, err := http.NewRequest(method, c.base+path, strings.NewReader(body))
	if err != nil {
		c.t.Errorf("%s: %v", a.request, err)
		return a
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
		c.t.Errorf("%s: %v", a.request, err)
		return a
	}
	defer response.Body.Close()
	a.status, a.header = response.StatusCode, response.Header
	if a.body, err = io.ReadAll(response.Body); err != nil {
		c.t.Errorf("%s: the body broke off: %v", a.request, err)
		return a
	}
	if strings.Contains(a.header.Get("Content-Type"), "json") && len(a.body) > 0 {
		decoder := json.NewDecoder(bytes.NewReader(a.body))
		decoder.UseNumber()
		if err := decoder.Decode(&a.value); err != nil {
			c.t.Errorf("%s: the answer is not JSON: %v\n%s", a.request, err, a.body)
		}
	}
	a.universal()
	return a
}
