package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"syscall"
	"time"
)

// api is the base of all requests.
const api = "/api/20151105"

// The types of bodies.
const (
	asJSON = "application/json"
	asText = "text/plain"
)

// client is somebody with a token.
type client struct {
	url, token string
	http       *http.Client
}

// newClient returns a client with connections of its own, at most so many; 0: any
// number.
func newClient(url, token string, connections int) *client {
	return &client{url: url, token: token, http: &http.Client{Transport: &http.Transport{
		MaxConnsPerHost:     connections,
		MaxIdleConnsPerHost: 100,
		DisableCompression:  true,
		// The certificate was made for this run.
		TLSClientConfig: &tls.Config{InsecureSkipVerify: true},
	}}}
}

func (c *client) close() { c.http.CloseIdleConnections() }

// request is a request of an attack.
type request struct {
	method, path string // below the API
	contentType  string
	body         []byte
	header       [2]string // one more, unless it is empty
	page         bool      // the path is below the root
}

func get(format string, args ...any) request {
	return request{method: http.MethodGet, path: fmt.Sprintf(format, args...)}
}

func send(method, path, contentType string, body []byte) request {
	return request{method: method, path: path, contentType: contentType, body: body}
}

// sendJSON is a request with a value as its body.
func sendJSON(method, path string, value any) request {
	body, err := json.Marshal(value)
	if err != nil {
		panic(err) // all values are made here, of strings, numbers and booleans
	}
	return send(method, path, asJSON, body)
}

// open sends a request and returns its answer. The caller closes the body.
func (c *client) open(ctx context.Context, r request) (*http.Response, error) {
	var body io.Reader
	if r.body != nil {
		body = bytes.NewReader(r.body)
	}
	base := c.url + api
	if r.page {
		base = c.url
	}
	asked, err := http.NewRequestWithContext(ctx, r.method, base+r.path, body)
	if err != nil {
		return nil, err
	}
	asked.Header.Set("Authorization", c.token)
	if r.contentType != "" {
		asked.Header.Set("Content-Type", r.contentType)
	}
	if r.header[0] != "" {
		asked.Header.Set(r.header[0], r.header[1])
	}
	return c.http.Do(asked)
}

// ask sends a request and returns the status and the body of the answer.
func (c *client) ask(ctx context.Context, r request) (status int, body []byte, err error) {
	answer, err := c.open(ctx, r)
	if err != nil {
		return 0, nil, err
	}
	defer func() { _ = answer.Body.Close() }() // it was read
	body, err = io.ReadAll(answer.Body)
	return answer.StatusCode, body, err
}

// drain sends a request, and reads and drops its answer. It fails unless the answer looks
// like a whole JSON value or page.
func (c *client) drain(ctx context.Context, r request) (status int, err error) {
	answer, err := c.open(ctx, r)
	if err != nil {
		return 0, err
	}
	defer func() { _ = answer.Body.Close() }() // it was read
	ends := new(ends)
	_, err = io.Copy(ends, answer.Body)
	if err == nil && answer.StatusCode == http.StatusOK && !ends.match() {
		err = errNotWhole
	}
	return answer.StatusCode, err
}

var errNotWhole = errors.New("the answer is no whole JSON value")

// ends remembers how a text begins and ends.
type ends struct{ first, last byte }

func (e *ends) Write(p []byte) (int, error) {
	trimmed := bytes.TrimSpace(p)
	if len(trimmed) > 0 {
		if e.first == 0 {
			e.first = trimmed[0]
		}
		e.last = trimmed[len(trimmed)-1]
	}
	return len(p), nil
}

func (e *ends) match() bool {
	return e.first == '{' && e.last == '}' || e.first == '[' && e.last == ']' || e.first == '<' && e.last == '>'
}

// The outcomes of requests without a status.
const (
	atEnd   = "unanswered at the end"
	refused = "refused"
	late    = "timeout"
	cut     = "cut"
	broken  = "broken"
)

// outcome describes the outcome of a request for tables: its status, or the reason for
// none.
func outcome(ctx context.Context, status int, err error) string {
	var network net.Error
	switch {
	case err == nil:
		return fmt.Sprint(status)
	case errors.Is(err, errNotWhole):
		return broken
	case ctx.Err() != nil:
		return atEnd
	case errors.Is(err, syscall.ECONNREFUSED):
		return refused
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return late
	default:
		return cut
	}
}

// wait returns after a while, or when ctx ends.
func wait(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
	case <-timer.C:
	}
}
