package e2e

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// heard is an event of the feed as a reader got it.
type heard struct {
	raw        string // the JSON of the event
	Identifier string
	Problem    *struct{ Identifier, Revision int64 }
	Logs       []struct {
		Identifier, Type string
		Field            *string
		To               json.RawMessage
	}
}

// feedReader follows the feed of two servers. After each failure it goes on at the other
// server, behind its last event.
type feedReader struct {
	name    string
	servers *[2]atomic.Pointer[server]
	token   string
	first   int  // the server that it asks first
	streams bool // otherwise it polls with a wait
	// each, if not nil, is called for each event, in their order.
	each func(ctx context.Context, e heard)

	connected, failures int // requests; of one goroutine

	mu     sync.Mutex
	events []heard           // each identifier once
	known  map[string]string // the JSON by identifier
	again  int               // events that came twice
	wrong  []string          // impossible answers
}

// retryPause is the pause of a reader after a failure.
const retryPause = 20 * time.Millisecond

// run follows the feed from its start until ctx ends.
func (r *feedReader) run(ctx context.Context) {
	r.known = make(map[string]string)
	position := ""
	for i := r.first; ctx.Err() == nil; i++ {
		s := r.servers[i%2].Load()
		before := r.connected
		if r.streams {
			position = r.stream(ctx, s, position)
		} else {
			position = r.poll(ctx, s, position)
		}
		if r.connected == before && ctx.Err() == nil {
			r.failures++
			time.Sleep(retryPause)
		}
	}
}

// ask sends a request for events. It returns nil for a lost connection, and for a server
// in trouble.
func (r *feedReader) ask(ctx context.Context, s *server, path string, headers ...string) *http.Response {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.as(r.token).url+path, http.NoBody)
	if err != nil {
		r.report("%v", err)
		return nil
	}
	request.Header.Set("Authorization", r.token)
	for i := 0; i < len(headers); i += 2 {
		request.Header.Set(headers[i], headers[i+1])
	}
	client := http.Client{Transport: s.transport}
	response, err := client.Do(request)
	if err != nil {
		return nil
	}
	if response.StatusCode == http.StatusOK {
		r.connected++
		return response
	}
	if response.StatusCode != http.StatusServiceUnavailable {
		var body bytes.Buffer
		_, _ = body.ReadFrom(response.Body)
		r.report("GET %s %q: %d %s", path, headers, response.StatusCode, &body)
	}
	_ = response.Body.Close()
	return nil
}

// poll reads pages until one fails, and returns the position behind the last one.
func (r *feedReader) poll(ctx context.Context, s *server, position string) string {
	for ctx.Err() == nil {
		path := "/events?wait=2&limit=50"
		if position != "" {
			path += "&after=" + url.QueryEscape(position)
		}
		response := r.ask(ctx, s, path)
		if response == nil {
			return position
		}
		var page []json.RawMessage
		err := json.NewDecoder(response.Body).Decode(&page)
		_ = response.Body.Close()
		if err != nil {
			return position // the page was cut
		}
		for _, raw := range page {
			r.hear(ctx, raw)
		}
		target, _, found := strings.Cut(strings.TrimPrefix(response.Header.Get("Link"), "<"), `>; rel="next"`)
		next, err := url.Parse(target)
		if !found || err != nil || next.Query().Get("after") == "" {
			r.report("the header Link is %q", response.Header.Get("Link"))
			return position
		}
		position = next.Query().Get("after")
	}
	return position
}

// stream reads one stream to its end, and returns its last id.
func (r *feedReader) stream(ctx context.Context, s *server, position string) string {
	headers := []string{"Accept", "text/event-stream"}
	if position != "" {
		headers = append(headers, "Last-Event-ID", position)
	}
	response := r.ask(ctx, s, "/events", headers...)
	if response == nil {
		return position
	}
	defer func() { _ = response.Body.Close() }()
	id, data := "", ""
	for lines := bufio.NewReader(response.Body); ; {
		line, err := lines.ReadString('\n')
		if err != nil {
			return position // an event without its blank line did not arrive
		}
		field, value, _ := strings.Cut(strings.TrimSuffix(line, "\n"), ": ")
		switch field {
		case "id":
			id = value
		case "data":
			data = value
		case "":
			if data != "" {
				r.hear(ctx, []byte(data))
			}
			if id != "" {
				position = id
			}
			id, data = "", ""
		}
	}
}

// hear takes an event.
func (r *feedReader) hear(ctx context.Context, raw []byte) {
	e := heard{raw: string(raw)}
	if err := json.Unmarshal(raw, &e); err != nil {
		r.report("%v: %s", err, raw)
		return
	}
	r.mu.Lock()
	before, again := r.known[e.Identifier]
	switch {
	case !again:
		r.known[e.Identifier] = e.raw
		r.events = append(r.events, e)
	case before != e.raw:
		r.wrong = append(r.wrong, fmt.Sprintf("an event became another one:\n%s\n%s", before, raw))
	default:
		r.again++
	}
	r.mu.Unlock()
	if !again && r.each != nil {
		r.each(ctx, e)
	}
}

func (r *feedReader) report(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.wrong = append(r.wrong, fmt.Sprintf(format, args...))
}

// count returns the number of events, and the identifier of the last one.
func (r *feedReader) count() (n int, last string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if n = len(r.events); n > 0 {
		last = r.events[n-1].Identifier
	}
	return n, last
}

func (r *feedReader) String() string {
	return fmt.Sprintf("%s: %d events, %d again, %d requests, %d failures", r.name, len(r.events), r.again, r.connected, r.failures)
}

// problemCopy is a copy of all problems by nothing but the feed and GET /problems/{id}.
type problemCopy struct {
	feedReader
	problems map[int64][]byte // the JSON of each problem
	revision map[int64]int64
	loads    int
}

// newProblemCopy returns a copy that is empty yet.
func newProblemCopy(servers *[2]atomic.Pointer[server], token string) *problemCopy {
	c := &problemCopy{problems: make(map[int64][]byte), revision: make(map[int64]int64)}
	c.feedReader = feedReader{name: "copy", servers: servers, token: token, streams: true, each: c.load}
	return c
}

// load loads the problem of an event, unless the copy is as new as the event.
func (c *problemCopy) load(ctx context.Context, e heard) {
	if e.Problem == nil || c.revision[e.Problem.Identifier] >= e.Problem.Revision {
		return
	}
	id := e.Problem.Identifier
	for i := 0; ctx.Err() == nil; i++ {
		status, body := c.servers[i%2].Load().as(c.token).do(http.MethodGet, fmt.Sprintf("/problems/%d", id), "")
		var p struct{ Revision int64 }
		switch {
		case status == http.StatusOK && json.Unmarshal(body, &p) == nil && p.Revision >= e.Problem.Revision:
			c.problems[id], c.revision[id] = body, p.Revision
			c.loads++
			return
		case status != 0 && status != http.StatusServiceUnavailable:
			c.report("problem %d at revision %d: %d %s", id, e.Problem.Revision, status, body)
			return
		}
		time.Sleep(retryPause)
	}
}
