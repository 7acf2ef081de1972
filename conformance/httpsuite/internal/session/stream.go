package session

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"time"
)

// ServerEvent is one server-sent event.
type ServerEvent struct {
	ID   string
	Data any // the decoded JSON
}

// Block is one part of a stream of server-sent events, up to an empty line.
type Block struct {
	ServerEvent        // Data is nil without an event
	HasID       bool   // the block names a position
	Comment     bool   // a line begins with a colon
	Retry       string // the pause before a new connection, in milliseconds
	At          time.Time

	err error // the data are no JSON
}

// mostWait is the longest time for which a case waits for an event of a stream.
const mostWait = 30 * time.Second

// EventStream is an open stream of server-sent events.
type EventStream struct {
	Header http.Header
	trial  *Trial
	path   string
	blocks chan Block // closed at the end of the stream
	end    context.CancelFunc
}

// OpenStream opens a stream of events. It ends the case when the server opens none. The
// caller closes the stream.
func (c *Client) OpenStream(path string, options ...Option) *EventStream {
	c.T.Helper()
	c.T.Logf("GET %s with Accept: text/event-stream", path)
	ctx, cancel := context.WithCancel(c.T.Context())
	response, err := c.stream(ctx, path, options...)
	if err != nil {
		cancel()
		c.T.Fatalf("the stream %s cannot be opened: %v", path, err)
	}
	kind := response.Header.Get("Content-Type")
	if response.StatusCode != http.StatusOK || !strings.HasPrefix(kind, "text/event-stream") {
		_ = response.Body.Close()
		cancel()
		c.T.Fatalf("the stream %s has the status %d and the type %q, want 200 and text/event-stream", path, response.StatusCode, kind)
	}
	e := &EventStream{Header: response.Header, trial: c.T, path: path, blocks: make(chan Block), end: cancel}
	go e.read(ctx, response.Body)
	return e
}

// stream sends a request for a stream. A stream has no end, so only ctx limits its time.
func (c *Client) stream(ctx context.Context, path string, options ...Option) (*http.Response, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.Base+path, nil)
	if err != nil {
		return nil, err
	}
	request.Header.Set("Authorization", c.Token)
	request.Header.Set("Accept", "text/event-stream")
	for _, o := range options {
		o(request)
	}
	unlimited := *c.wire
	unlimited.Timeout = 0
	return unlimited.Do(request)
}

// Close ends the stream from the side of the client.
func (e *EventStream) Close() { e.end() }

// read takes the stream apart, until its end or ctx ends.
func (e *EventStream) read(ctx context.Context, body io.ReadCloser) {
	defer func() { _ = body.Close() }()
	defer close(e.blocks)
	lines := bufio.NewScanner(body)
	lines.Buffer(nil, mostBody)
	var b Block
	for lines.Scan() {
		line := lines.Text()
		if line != "" {
			b.take(line)
			continue
		}
		b.At = time.Now()
		select {
		case e.blocks <- b:
		case <-ctx.Done():
			return
		}
		b = Block{}
	}
}

// take reads a line of the block.
func (b *Block) take(line string) {
	name, value, _ := strings.Cut(line, ":")
	value = strings.TrimPrefix(value, " ")
	switch name {
	case "":
		b.Comment = true
	case "id":
		b.ID, b.HasID = value, true
	case "retry":
		b.Retry = value
	case "data":
		decoder := json.NewDecoder(strings.NewReader(value))
		decoder.UseNumber()
		if err := decoder.Decode(&b.Data); err != nil {
			b.err = fmt.Errorf("the data of the event %q are not JSON: %w", b.ID, err)
		}
	}
}

// Next returns the next block. It reports false at the end of the stream, and when nothing
// comes within the time: Ended tells them apart.
func (e *EventStream) Next(within time.Duration) (Block, bool) {
	e.trial.Helper()
	timer := time.NewTimer(within)
	defer timer.Stop()
	select {
	case b, more := <-e.blocks:
		if b.err != nil {
			e.trial.Fatalf("the stream %s: %v", e.path, b.err)
		}
		return b, more
	case <-timer.C:
		return Block{}, false
	}
}

// Ended reads to the end of the stream, and reports whether it came within the time.
func (e *EventStream) Ended(within time.Duration) bool {
	timer := time.NewTimer(within)
	defer timer.Stop()
	for {
		select {
		case _, more := <-e.blocks:
			if !more {
				return true
			}
		case <-timer.C:
			return false
		}
	}
}

// Events returns the next n events. It ends the case when they do not come.
func (e *EventStream) Events(n int) (events []ServerEvent) {
	e.trial.Helper()
	end := time.Now().Add(mostWait)
	for len(events) < n {
		b, more := e.Next(time.Until(end))
		if !more {
			what := fmt.Sprintf("sent nothing for %v", mostWait)
			if e.Ended(time.Second) {
				what = "ended"
			}
			e.trial.Fatalf("the stream %s %s after %d events, want %d", e.path, what, len(events), n)
		}
		if b.Data != nil {
			e.trial.Logf("event %s", b.ID)
			events = append(events, b.ServerEvent)
			end = time.Now().Add(mostWait)
		}
	}
	return events
}

// Stream opens a stream of events, calls then, and returns the first n events. It ends the
// case when the server opens no stream, or when the events do not come.
func (c *Client) Stream(path string, n int, then func(), options ...Option) []ServerEvent {
	c.T.Helper()
	stream := c.OpenStream(path, options...)
	defer stream.Close()
	then()
	return stream.Events(n)
}

// OpenStreams opens streams until the server refuses one, or until there are most of them.
// It returns their number, the refusal if there was one, and a function that closes them.
func (c *Client) OpenStreams(path string, most int) (n int, refusal *Answer, closeAll func()) {
	c.T.Helper()
	c.T.Logf("GET %s with Accept: text/event-stream, up to %d times", path, most)
	ctx, cancel := context.WithCancel(c.T.Context())
	for n = range most {
		response, err := c.stream(ctx, path)
		if err != nil {
			cancel()
			c.T.Fatalf("stream %d cannot be opened: %v", n+1, err)
		}
		if response.StatusCode == http.StatusOK {
			context.AfterFunc(ctx, func() { _ = response.Body.Close() })
			continue
		}
		return n, c.refused(path, response), cancel
	}
	return most, nil, cancel
}

// refused reads the answer to a stream that did not begin. It checks the rules for every
// answer.
func (c *Client) refused(path string, response *http.Response) *Answer {
	defer func() { _ = response.Body.Close() }()
	a := &Answer{T: c.T, Request: "GET " + path, base: c.Base, Status: response.StatusCode, Header: response.Header}
	if a.Body, a.Err = io.ReadAll(io.LimitReader(response.Body, c.T.Most)); a.Err != nil {
		c.T.broken(a.Request, a.Err)
		return a
	}
	a.decode()
	a.universal()
	return a
}
