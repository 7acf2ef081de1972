package simulate

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"strings"
	"time"
)

// client does its operations one after the other, and repeats requests as a good
// client does: with the same key or revision, after a while, and at another server.
type client struct {
	*world
	*actor
	number   int
	requests int
	// list and tag are the last full answer of the list of priorities.
	list, tag string
	listed    int      // how many fail-overs had lost something before
	made      []string // names of acknowledged priorities
}

func newClient(w *world, number int) *client {
	return &client{world: w, actor: newActor(clientSlot+number, w.plan.Seed, 2<<40|uint64(number)), number: number}
}

func (c *client) run() {
	for _, op := range c.plan.Ops {
		if op.Client != c.number {
			continue
		}
		c.sleep(op.At - time.Since(c.ledger.start))
		c.rng = newActor(0, c.plan.Seed, 3<<40|uint64(op.ID)).rng // start from a fixed state
		c.do(op)
	}
}

// request is the request to send.
type request struct {
	method, path, body string
	key, match, known  string // Idempotency-Key, If-Match, If-None-Match
	credential         string // empty: the administrator's
	server             int    // if the operation has several steps: added to its server
}

// response is the answer.
type response struct {
	fate   fate
	status int
	kind   string // of an error: the last part of its type URL
	header http.Header
	body   []byte
	left   *abandoned // if the client has left
}

// fate is the client's knowledge about a request.
type fate int

const (
	answered    fate = iota
	unavailable      // nothing was done
	broken           // nobody knows
)

// exchange sends a request, as the given attempt of an operation.
func (c *client) exchange(op Op, attempt int, r request) response {
	c.requests++
	c.mu.Lock()
	c.world.requests++
	c.mu.Unlock()
	a := newActor(requestSlot+c.number*requestsMost+c.requests%requestsMost, c.plan.Seed, 4<<40|uint64(op.ID)<<16|uint64(c.rng.Uint32()&0xffff))
	a.op = op
	leaves := time.Duration(0)
	if attempt == 0 && r.server == 0 && r.method != http.MethodGet {
		a.mishap, a.unsettled, leaves = op.Mishap, op.Unsettled, op.Leaves
	}
	a.travel()
	number := (op.Server + r.server + attempt) % c.plan.Servers
	c.trace.add(a, "client %d to server %d: %s %s %s%s", c.number, number, r.method, r.path, r.body, r.headers())
	s := c.server(number)
	if s == nil {
		c.trace.add(a, "  connection refused")
		return response{fate: unavailable}
	}
	if op.Kind.linksTwo() && r.method != http.MethodGet {
		s.enter(a)
	}
	if leaves > 0 {
		left := new(abandoned)
		c.goroutines.Go(func() {
			c.serve(s, a, r)
			s.leave(a)
			left.over.Store(true)
		})
		c.sleep(leaves)
		c.trace.add(c.actor, "  client %d gives up: %s %s", c.number, r.method, r.path)
		return response{fate: broken, left: left}
	}
	out := c.serve(s, a, r)
	s.leave(a)
	if out.fate == broken {
		c.trace.add(a, "  client %d: the connection broke: %s %s", c.number, r.method, r.path)
	} else {
		c.trace.add(a, "  client %d gets %d %s: %s %s", c.number, out.status, out.kind, r.method, r.path)
	}
	return out
}

func (r request) headers() string {
	text := ""
	if r.key != "" {
		text += " with key " + r.key
	}
	if r.match != "" {
		text += " if it matches " + r.match
	}
	if r.known != "" {
		text += " unless it is " + r.known
	}
	return text
}

// serve lets a server answer a request.
func (c *client) serve(s *server, a *actor, r request) (out response) {
	credential := r.credential
	if credential == "" {
		credential = base().admin
	}
	ctx, cancel := context.WithCancel(withActor(context.Background(), a))
	defer cancel()
	message, err := http.NewRequestWithContext(ctx, r.method, "http://server/api/20151105"+r.path, bytes.NewReader([]byte(r.body)))
	if err != nil {
		panic(err)
	}
	message.RequestURI = message.URL.RequestURI()
	message.Header.Set("Authorization", "Bearer "+credential)
	message.Header.Set("X-Request-Id", "r")
	if r.body != "" {
		message.Header.Set("Content-Type", "application/json")
	}
	for name, value := range map[string]string{"Idempotency-Key": r.key, "If-Match": r.match, "If-None-Match": r.known} {
		if value != "" {
			message.Header.Set(name, value)
		}
	}
	w := &writer{actor: a, header: http.Header{}}
	if !w.serve(s.shell.handler, message) {
		return response{fate: broken}
	}
	a.travel()
	if s.link.dead.Load() {
		return response{fate: broken}
	}
	out = response{status: w.status, header: w.header, body: w.body.Bytes()}
	if w.status >= 400 {
		var problem struct {
			Type string `json:"type"`
		}
		if json.Unmarshal(out.body, &problem) != nil {
			c.ledger.breaks(Defect, "an error is not JSON: %q", out.body)
		}
		out.kind = problem.Type[strings.LastIndex(problem.Type, "/")+1:]
	}
	switch {
	case w.status == http.StatusServiceUnavailable && out.kind == "outcome-unknown":
		out.fate = broken
	case w.status == http.StatusServiceUnavailable:
		out.fate = unavailable
	case w.status >= 500 || w.status == 0:
		c.ledger.breaks(Defect, "%s %s is answered with %d: %s", r.method, r.path, w.status, out.body)
	case w.status == http.StatusUnauthorized && r.credential == "":
		c.ledger.breaks(TokenRefused, "the administrator is refused: %s %s", r.method, r.path)
	}
	return out
}

// writer takes the answer of a server.
type writer struct {
	*actor
	header http.Header
	status int
	body   bytes.Buffer
}

// serve returns false when the handler has broken off.
func (w *writer) serve(handler http.Handler, r *http.Request) (whole bool) {
	defer func() {
		if v := recover(); v != nil {
			if v != http.ErrAbortHandler {
				panic(v)
			}
			whole = false
		}
	}()
	handler.ServeHTTP(w, r)
	return true
}

// Header implements http.ResponseWriter. It yields to others: after waiting for the same
// tokens, several requests go on at once, and here they separate.
func (w *writer) Header() http.Header {
	if w.status == 0 {
		w.sleep(0)
	}
	return w.header
}

// WriteHeader implements http.ResponseWriter.
func (w *writer) WriteHeader(status int) { w.status = status }

// Write implements http.ResponseWriter.
func (w *writer) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.body.Write(b)
}

var _ io.Writer = (*writer)(nil)

// tries is how often a request is sent at most.
const tries = 4

// persist sends a request until it is answered. It reports whether it was answered at
// all, and the number of requests of unknown outcome. The response also has the abandoned
// request.
func (c *client) persist(op Op, r request) (out response, unknowns int, done bool) {
	var left *abandoned
	for attempt := range tries {
		out = c.exchange(op, attempt, r)
		if out.left != nil {
			left = out.left
		}
		out.left = left
		switch out.fate {
		case answered:
			return out, unknowns, true
		case broken:
			unknowns++
			c.sleep(c.between(time.Millisecond, 500*time.Millisecond))
		case unavailable: // Retry-After
			c.sleep(time.Second + c.between(0, 100*time.Millisecond))
		}
	}
	return out, unknowns, false
}

func (r response) ok() bool { return r.status >= 200 && r.status < 300 }

// decode reads an answer.
func decode[T any](c *client, r response) (value T) {
	if err := json.Unmarshal(r.body, &value); err != nil {
		c.ledger.breaks(Defect, "an answer of status %d cannot be read: %v: %s", r.status, err, r.body)
	}
	return value
}
