package session

import (
	"bufio"
	"context"
	"encoding/json"
	"net/http"
	"strings"
)

// ServerEvent is one server-sent event.
type ServerEvent struct {
	ID   string
	Data any // the decoded JSON
}

// Stream opens a stream of events, calls then, and returns the first n events. It ends the
// case when the server opens no stream, and at the end of the case's time.
func (c *Client) Stream(path string, n int, then func(), options ...Option) (events []ServerEvent) {
	c.T.Helper()
	ctx, cancel := context.WithCancel(c.T.Context())
	defer cancel()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.Base+path, nil)
	if err != nil {
		c.T.Fatalf("%s: %v", path, err)
	}
	request.Header.Set("Authorization", c.Token)
	request.Header.Set("Accept", "text/event-stream")
	for _, o := range options {
		o(request)
	}
	c.T.Logf("GET %s with Accept: text/event-stream", path)
	response, err := c.wire.Do(request)
	if err != nil {
		c.T.Fatalf("the stream %s cannot be opened: %v", path, err)
	}
	defer response.Body.Close()
	if kind := response.Header.Get("Content-Type"); response.StatusCode != http.StatusOK || !strings.HasPrefix(kind, "text/event-stream") {
		c.T.Fatalf("the stream %s has the status %d and the type %q, want 200 and text/event-stream", path, response.StatusCode, kind)
	}
	then()
	lines := bufio.NewScanner(response.Body)
	lines.Buffer(nil, mostBody)
	var e ServerEvent
	for len(events) < n && lines.Scan() {
		name, value, _ := strings.Cut(lines.Text(), ":")
		value = strings.TrimPrefix(value, " ")
		switch name {
		case "id":
			e.ID = value
		case "data":
			decoder := json.NewDecoder(strings.NewReader(value))
			decoder.UseNumber()
			if err := decoder.Decode(&e.Data); err != nil {
				c.T.Fatalf("the data of the event %q are not JSON: %v", e.ID, err)
			}
		case "":
			if e.Data != nil {
				c.T.Logf("event %s", e.ID)
				events = append(events, e)
			}
			e = ServerEvent{}
		}
	}
	if len(events) < n {
		c.T.Fatalf("the stream %s ended after %d events, want %d: %v", path, len(events), n, lines.Err())
	}
	return events
}
