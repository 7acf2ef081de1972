package e2e

import (
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

// How long TestServers goes on, and how often it kills a server.
var (
	serversFor  = flag.Duration("servers.for", 8*time.Second, "how long two servers are written to while one after the other is killed")
	serversKill = flag.Duration("servers.kill", 1500*time.Millisecond, "how often one of the two servers is killed")
)

// TestServers lets sixteen clients write through two servers on one database,
// one of which is killed again and again, and compares in the end what is stored
// with what the clients know.
func TestServers(t *testing.T) {
	t.Parallel()
	const clients = 16
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	store, token := postgrestest.Schema(t), newToken(t)
	var servers [2]atomic.Pointer[server]
	start := func(i int) { servers[i].Store(serve(t, store, "PROBLEMS_BOOTSTRAP_TOKEN="+token)) }
	start(0)
	start(1)
	l := &ledger{writes: map[string]write{}}
	for i := range clients {
		l.attempt(servers[i%2].Load().as(token), write{mark: fmt.Sprintf("first-%d", i), kind: "create"})
	}
	common := inspect(t, servers[0].Load().as(token)).problems

	var group sync.WaitGroup
	over := make(chan struct{})
	for i := range clients {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		group.Go(func() {
			own := slices.Clone(common)
			for n := 0; ; n++ {
				select {
				case <-over:
					return
				default:
				}
				w := draw(random, own)
				w.mark = fmt.Sprintf("c%d-%05d-%s", i, n, w.kind)
				body, _ := l.attempt(servers[random.IntN(2)].Load().as(token), w)
				var made struct{ Identifier int64 }
				if w.kind == "create" && json.Unmarshal(body, &made) == nil && made.Identifier > 0 {
					own = append(own[:min(len(own), 40)], made.Identifier) // most writes meet others
				}
			}
		})
	}
	end := time.After(*serversFor)
	tick := time.NewTicker(*serversKill)
	defer tick.Stop()
	kills := 0
	for alive := true; alive; {
		select {
		case <-tick.C:
			servers[kills%2].Load().kill()
			start(kills % 2)
			kills++
		case <-end:
			alive = false
		}
	}
	close(over)
	group.Wait()
	if kills == 0 {
		t.Error("no server was killed")
	}
	found := inspect(t, servers[0].Load().as(token)).found
	v := l.judge(found)
	t.Logf("%d servers killed in %s; %s; %s", kills, *serversFor, l.split("", found), v)
	if !v.clean() {
		t.Error(v)
	}
}

// TestServersStartTogether starts servers at once on a database without tables:
// all of them run, and one has made the administrator.
func TestServersStartTogether(t *testing.T) {
	t.Parallel()
	store := postgrestest.Schema(t)
	servers := make([]*server, 5)
	var group sync.WaitGroup
	for i := range servers {
		group.Go(func() { servers[i] = serve(t, store) })
	}
	group.Wait()
	var tokens []string
	for _, s := range servers {
		if s == nil {
			t.Fatal("a server has not started")
		}
		if strings.HasPrefix(s.second, "pts_") {
			tokens = append(tokens, s.second)
		}
	}
	if len(tokens) != 1 {
		t.Fatalf("%d servers print a token, want 1", len(tokens))
	}
	for i, s := range servers {
		if code, body := s.as(tokens[0]).do(http.MethodPost, "/problems", `{"title":"Mine","state":{"name":"Open"},"priority":{"name":"High"}}`); code != http.StatusCreated {
			t.Errorf("server %d: %d %s", i, code, body)
		}
	}
}

// TestServersAgree shows that it does not matter which of two servers a request
// goes to.
func TestServersAgree(t *testing.T) {
	t.Parallel()
	store, token := postgrestest.Schema(t), newToken(t)
	a := serve(t, store, "PROBLEMS_BOOTSTRAP_TOKEN="+token)
	b := serve(t, store, "PROBLEMS_BOOTSTRAP_TOKEN="+token)
	both := []*client{a.as(token), b.as(token)}
	// at sends a request to both at once.
	at := func(method, path string, body func(i int) string, headers ...string) (codes [2]int, answers [2]string) {
		var group sync.WaitGroup
		for i, c := range both {
			group.Go(func() {
				code, answer := c.do(method, path, body(i), headers...)
				codes[i], answers[i] = code, string(answer)
			})
		}
		group.Wait()
		return codes, answers
	}
	same := func(text string) func(int) string { return func(int) string { return text } }

	t.Run("tokens", func(t *testing.T) {
		place := []string{"PROBLEMS_URL=" + a.url, "PROBLEMS_TOKEN=" + token}
		command(t, place, "user", "add", "--name", "Ann", "--email", "ann@example.org")
		ann := command(t, place, "token", "create", "--user", "ann@example.org", "--scope", "read")
		if code := status(b, ann); code != http.StatusOK {
			t.Errorf("a token that one server has made gets %d from the other", code)
		}
		command(t, place, "user", "deactivate", "ann@example.org")
		if code := status(a, ann); code != http.StatusUnauthorized {
			t.Errorf("after the revocation the server that made it answers with %d", code)
		}
		becomes(t, b, ann, http.StatusUnauthorized)
	})
	t.Run("metadata", func(t *testing.T) {
		code, body := both[0].do(http.MethodPost, "/users", `{"name":"Bo","email":"bo@example.org"}`)
		var bo struct{ Identifier string }
		if err := json.Unmarshal(body, &bo); err != nil || code != http.StatusCreated {
			t.Fatalf("%d %s", code, body)
		}
		if code, body := both[1].do(http.MethodPost, "/problems", `{"title":"For Bo","assignee":{"name":"Bo"}}`); code != http.StatusCreated {
			t.Errorf("a user that one server has made is not known to the other: %d %s", code, body)
		}
		if code, body := both[0].do(http.MethodPatch, "/users/"+bo.Identifier, `{"inactive":true}`); code != http.StatusOK {
			t.Fatalf("%d %s", code, body)
		}
		if code, _ := both[1].do(http.MethodPost, "/problems", `{"title":"For Bo","assignee":{"name":"Bo"}}`); code != http.StatusUnprocessableEntity {
			t.Errorf("an inactive user is assigned by the other server: %d", code)
		}
	})
	t.Run("redacted texts", func(t *testing.T) {
		const secret = "correct horse"
		var made struct{ Identifier int64 }
		code, body := both[0].do(http.MethodPost, "/problems", `{"title":"`+secret+`"}`)
		if err := json.Unmarshal(body, &made); err != nil || code != http.StatusCreated {
			t.Fatalf("%d %s", code, body)
		}
		b.openEvents(t, token) // so it keeps the end of the feed
		path := fmt.Sprintf("/problems/%d", made.Identifier)
		has := func(at string) bool {
			_, body := both[1].do(http.MethodGet, at, "")
			return strings.Contains(string(body), secret)
		}
		feed, texts := fmt.Sprintf("/events?problem=%d", made.Identifier), []string{path, path + "?asOf=1"}
		for _, at := range append(texts, feed) {
			if !has(at) {
				t.Fatalf("%s of the other server does not have the text before", at)
			}
		}
		if code, body := both[0].do(http.MethodPost, path+"/redactions", `{"text":"`+secret+`"}`); code != http.StatusOK {
			t.Fatalf("%d %s", code, body)
		}
		for _, at := range texts {
			if has(at) {
				t.Errorf("%s of the other server has the redacted text", at)
			}
		}
		for end := time.Now().Add(patience); has(feed); {
			if time.Now().After(end) {
				t.Fatal("the feed of the other server still has the redacted text")
			}
		}
	})
	var ids [2]int64
	for i, c := range both {
		var made struct{ Identifier int64 }
		code, body := c.do(http.MethodPost, "/problems", `{"title":"One of two"}`)
		if err := json.Unmarshal(body, &made); err != nil || code != http.StatusCreated {
			t.Fatalf("%d %s", code, body)
		}
		ids[i] = made.Identifier
	}
	one := fmt.Sprintf("/problems/%d", ids[0])
	t.Run("idempotency", func(t *testing.T) {
		for n := range 30 {
			codes, answers := at(http.MethodPost, "/problems", same(`{"title":"Once"}`), "Idempotency-Key", fmt.Sprintf("once-%d", n))
			if codes != [2]int{201, 201} || answers[0] != answers[1] {
				t.Fatalf("one request with one key to both servers: %v %q", codes, answers)
			}
		}
	})
	t.Run("conditions", func(t *testing.T) {
		for n := range 30 {
			var p struct{ Revision int }
			both[n%2].get(t, one, &p)
			codes, _ := at(http.MethodPatch, one, func(i int) string { return fmt.Sprintf(`{"title":"Round %d by %d"}`, n, i) },
				"If-Match", fmt.Sprintf("%q", fmt.Sprint(p.Revision)))
			if slices.Sort(codes[:]); codes != [2]int{200, 412} {
				t.Fatalf("two updates of one revision: %v, want one 200 and one 412", codes)
			}
		}
	})
	t.Run("cycles", func(t *testing.T) {
		for range 30 {
			codes, answers := at(http.MethodPut, one+"/relationships", func(i int) string {
				return fmt.Sprintf(`{"type":%q,"problemIdentifier":%d}`, []string{"ParentOf", "ChildOf"}[i], ids[1])
			})
			if slices.Sort(codes[:]); codes != [2]int{201, 409} {
				t.Fatalf("a parent that is a child: %v %q, want one 201 and one 409", codes, answers)
			}
			for _, kind := range []string{"ParentOf", "ChildOf"} {
				both[0].do(http.MethodDelete, one+"/relationships", fmt.Sprintf(`{"type":%q,"problemIdentifier":%d}`, kind, ids[1]))
			}
		}
	})
	t.Run("order", func(t *testing.T) {
		// D1: what was answered before another was sent has the smaller number.
		last := int64(0)
		for n := range 40 {
			var made struct{ Identifier int64 }
			code, body := both[n%2].do(http.MethodPost, "/problems", `{"title":"Next"}`)
			if err := json.Unmarshal(body, &made); err != nil || code != http.StatusCreated || made.Identifier <= last {
				t.Fatalf("after problem %d: %d %s", last, code, body)
			}
			last = made.Identifier
		}
	})
}
