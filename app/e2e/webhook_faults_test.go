package e2e

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

var (
	hookDeaths = flag.Int("hooks.deaths", 2, "how many servers are killed, one after the other, while webhooks are delivered")
	hookEvery  = flag.Duration("hooks.every", 5*time.Second, "the time between two of these kills")
	hookFile   = flag.String("hooks.ledger", "", "file for the raw ledger of the receivers, as lines of JSON")
)

// The receivers of a run, by path.
const (
	keptHook    = "/kept"
	deletedHook = "/deleted" // its webhook is deleted amid the run
	hangingHook = "/hangs"   // it never answers
	closingHook = "/closes"  // it closes the connection in the middle of its answer
)

// arrival is a message at a receiver.
type arrival struct {
	Path   string    `json:"path"`
	ID     string    `json:"id"`
	Body   string    `json:"body"`   // the start of its hash
	Opened time.Time `json:"opened"` // its connection: a connection is that of one server
	Came   time.Time `json:"came"`
	Ended  time.Time `json:"ended"`
}

// hookArrivals are receivers with a raw ledger.
type hookArrivals struct {
	*httptest.Server
	mu  sync.Mutex
	all []*arrival
}

// opened is the key of the time of a connection in the context of its requests.
type opened struct{}

func newHookArrivals(t *testing.T) *hookArrivals {
	h := &hookArrivals{}
	h.Server = httptest.NewUnstartedServer(http.HandlerFunc(h.take))
	h.Config.ConnContext = func(ctx context.Context, _ net.Conn) context.Context {
		return context.WithValue(ctx, opened{}, time.Now())
	}
	h.Config.ErrorLog = log.New(io.Discard, "", 0)
	h.Start()
	t.Cleanup(func() { h.CloseClientConnections(); h.Close() })
	return h
}

func (h *hookArrivals) take(w http.ResponseWriter, r *http.Request) {
	a := &arrival{Path: r.URL.Path, ID: r.Header.Get("Webhook-Id"), Came: time.Now()}
	a.Opened, _ = r.Context().Value(opened{}).(time.Time)
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return // the sender has died before the end of the message
	}
	hash := sha256.Sum256(body)
	a.Body = hex.EncodeToString(hash[:8])
	h.mu.Lock()
	h.all = append(h.all, a)
	h.mu.Unlock()
	defer func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		a.Ended = time.Now()
	}()
	switch r.URL.Path {
	case hangingHook:
		<-r.Context().Done()
	case closingHook:
		w.Header().Set("Content-Length", "1000")
		_, _ = io.WriteString(w, "a part")
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// at returns the messages at a path in the order of their arrival.
func (h *hookArrivals) at(path string) (found []arrival) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, a := range h.all {
		if a.Path == path {
			found = append(found, *a)
		}
	}
	slices.SortStableFunc(found, func(a, b arrival) int { return a.Came.Compare(b.Came) })
	return found
}

// write writes the ledger to a file.
func (h *hookArrivals) write(t *testing.T, file string) {
	t.Helper()
	f, err := os.Create(file)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	h.mu.Lock()
	defer h.mu.Unlock()
	for _, a := range h.all {
		if err := json.NewEncoder(f).Encode(a); err != nil {
			t.Fatal(err)
		}
	}
}

// firsts returns the identifiers of messages in the order of their first arrival.
func firsts(all []arrival) (ids []string) {
	seen := map[string]bool{}
	for _, a := range all {
		if !seen[a.ID] {
			seen[a.ID] = true
			ids = append(ids, a.ID)
		}
	}
	return ids
}

// judge fails unless the messages at a path are the first events of the feed, each at least
// once and first in their order, with one under way at a time and one body for each event.
func (h *hookArrivals) judge(t *testing.T, path string, feed []string) {
	t.Helper()
	all := h.at(path)
	ids := firsts(all)
	if len(ids) > len(feed) || !slices.Equal(ids, feed[:len(ids)]) {
		t.Errorf("%s: %d events have arrived first in another order than that of the feed", path, len(ids))
	}
	bodies := map[string]string{}
	for i, a := range all {
		if known, ok := bodies[a.ID]; ok && known != a.Body {
			t.Errorf("%s: event %s has come with two bodies", path, a.ID)
		}
		bodies[a.ID] = a.Body
		if i > 0 && (all[i-1].Ended.IsZero() || a.Came.Before(all[i-1].Ended)) {
			t.Errorf("%s: message %d came at %v, before message %d had ended at %v", path, i, a.Came, i-1, all[i-1].Ended)
		}
	}
	t.Logf("%s: %d messages about %d events; %d came again", path, len(all), len(ids), len(all)-len(ids))
}

// death is the end of a server by SIGKILL.
type death struct {
	at, replaced time.Time // replaced is when the next server listened
}

// moved logs when the work moved after each death of a delivering server, and fails when it
// took too long. It was delivering if messages still came on its connections just before, and
// none came on any connection of that time afterwards.
func (h *hookArrivals) moved(t *testing.T, deaths []death, away, back time.Time) {
	t.Helper()
	all := h.at(keptHook)
	for i, d := range deaths {
		next := slices.IndexFunc(all, func(a arrival) bool { return a.Came.After(d.at) })
		if next <= 0 {
			continue // the run ended before
		}
		first := all[next]
		if !first.Opened.After(d.at) {
			t.Logf("death %d: another server was delivering", i+1)
			continue
		}
		// The next server watches the lease from its start on, and may be killed itself.
		since := d.at
		for _, later := range deaths[i:] {
			if later.at.Before(first.Came) {
				since = later.replaced
			}
		}
		if d.at.Before(back) && first.Came.After(away) {
			since = back
		}
		t.Logf("death %d: the first message of the next server came after %s, %s after the latest start", i+1, first.Came.Sub(d.at).Round(time.Millisecond), first.Came.Sub(since).Round(time.Millisecond))
		if took := first.Came.Sub(since); took > 15*time.Second { // ten seconds, on a busy machine
			t.Errorf("death %d: the work has moved after %s", i+1, took)
		}
	}
}

// TestWebhooksThroughDeaths kills one of two servers after the other, and takes the database
// away in the middle. The ledger of the receivers shows what came, when, and on which
// connection.
func TestWebhooksThroughDeaths(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t)
	r := startFeedRun(t, database.URL(), "PROBLEMS_WEBHOOK_ALLOW=127.0.0.0/8")
	for i := range r.servers {
		takesRequests(t, r.servers[i].Load(), r.token)
	}
	h := newHookArrivals(t)
	ids := map[string]string{}
	for _, path := range []string{keptHook, deletedHook, hangingHook, closingHook} {
		status, body := r.servers[0].Load().as(r.token).do("POST", "/webhooks", fmt.Sprintf(`{"url":%q%s}`, h.URL+path, onProblems))
		var made struct{ Identifier string }
		if err := json.Unmarshal(body, &made); err != nil || status != http.StatusCreated {
			t.Fatalf("POST /webhooks: %d %s", status, body)
		}
		ids[path] = made.Identifier
	}
	r.write(2)
	eventually(t, "a server delivers", func() bool { return len(h.at(keptHook)) > 10 })
	var deaths []death
	var deleted, away, back time.Time
	for i := range *hookDeaths {
		pause := time.After(*hookEvery)
		d := death{at: time.Now()}
		r.kill(i % 2)
		takesRequests(t, r.servers[i%2].Load(), r.token)
		d.replaced = time.Now()
		deaths = append(deaths, d)
		if i == *hookDeaths/2 {
			deleted = r.endInTheMiddle(h, ids[deletedHook])
			away = time.Now()
			database.Kill()
			r.notices()
			<-time.After(*hookEvery / 2) // a while without the database
			database.Start()
			for i := range r.servers {
				takesRequests(t, r.servers[i].Load(), r.token)
			}
			back = time.Now()
		}
		<-pause
	}
	r.goesOn(20)
	r.settle()
	feed := problemEvents(t, r.servers[0].Load().as(r.token), "")
	for _, path := range []string{keptHook, closingHook} {
		eventually(t, path+" has all events", func() bool { return len(firsts(h.at(path))) >= len(feed) })
	}
	if *hookFile != "" {
		h.write(t, *hookFile)
	}
	for _, path := range []string{keptHook, closingHook, deletedHook, hangingHook} {
		h.judge(t, path, feed)
	}
	if n := len(firsts(h.at(hangingHook))); n != 1 {
		t.Errorf("the receiver that hangs got messages about %d events, want the first one alone", n)
	}
	h.moved(t, deaths, away, back)
	last := slices.MaxFunc(h.at(deletedHook), func(a, b arrival) int { return cmp.Compare(a.Came.UnixNano(), b.Came.UnixNano()) })
	if late := last.Came.Sub(deleted); late > 5*time.Second { // two seconds, on a busy machine
		t.Errorf("a message came %s after the webhook was deleted", late)
	}
	t.Logf("the last message to the deleted webhook came %s after the answer to DELETE", last.Came.Sub(deleted).Round(time.Millisecond))
}

// takesRequests returns when the server has its store, and knows the token.
func takesRequests(t *testing.T, s *server, token string) {
	t.Helper()
	eventually(t, "the server takes requests", func() bool {
		status, _ := s.as(token).do("GET", "/me", "")
		return status == http.StatusOK
	})
}

// endInTheMiddle deletes a webhook amid its deliveries, and returns when that was answered.
func (r *feedRun) endInTheMiddle(h *hookArrivals, id string) time.Time {
	r.t.Helper()
	before := len(h.at(deletedHook))
	eventually(r.t, "a server delivers to the webhook that is deleted", func() bool { return len(h.at(deletedHook)) > before })
	if status, body := r.servers[0].Load().as(r.token).do("DELETE", "/webhooks/"+id, ""); status != http.StatusNoContent {
		r.t.Fatalf("DELETE: %d %s", status, body)
	}
	return time.Now()
}
