package e2e

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/webhook"
)

// hookLedger is a receiver of webhooks with a list of what came. It checks each signature.
type hookLedger struct {
	*httptest.Server
	mu      sync.Mutex
	secret  webhook.Secret
	came    []string // webhook-id, in the order of arrival
	faults  []string
	refused int // messages still to refuse
}

func newHookLedger(t *testing.T) *hookLedger {
	l := &hookLedger{}
	l.Server = httptest.NewServer(http.HandlerFunc(l.take))
	t.Cleanup(l.Close)
	return l
}

func (l *hookLedger) take(w http.ResponseWriter, r *http.Request) {
	body, err := io.ReadAll(r.Body)
	l.mu.Lock()
	defer l.mu.Unlock()
	fault := func(format string, args ...any) { l.faults = append(l.faults, fmt.Sprintf(format, args...)) }
	id := r.Header.Get("Webhook-Id")
	if err != nil {
		return // the sender has died
	}
	seconds, err := strconv.ParseInt(r.Header.Get("Webhook-Timestamp"), 10, 64)
	if err != nil {
		fault("the time is %q", r.Header.Get("Webhook-Timestamp"))
	}
	if want := l.secret.Sign(id, time.Unix(seconds, 0), body); !slices.Contains(strings.Fields(r.Header.Get("Webhook-Signature")), want) {
		fault("message %s has the signatures %q", id, r.Header.Get("Webhook-Signature"))
	}
	if l.refused > 0 {
		l.refused--
		w.WriteHeader(http.StatusServiceUnavailable)
		return
	}
	l.came = append(l.came, id)
}

// ids returns the identifiers of the messages, in the order of their first arrival.
func (l *hookLedger) ids(t *testing.T) (ids []string) {
	t.Helper()
	l.mu.Lock()
	defer l.mu.Unlock()
	for _, f := range l.faults {
		t.Error(f)
	}
	seen := map[string]bool{}
	for _, id := range l.came {
		if !seen[id] {
			seen[id] = true
			ids = append(ids, id)
		}
	}
	return ids
}

// hook makes a webhook that sends to the ledger.
func (l *hookLedger) hook(t *testing.T, c *client, members string) (id string) {
	t.Helper()
	l.mu.Lock() // no message is checked before the secret is known
	defer l.mu.Unlock()
	status, body := c.do("POST", "/webhooks", fmt.Sprintf(`{"url":%q%s}`, l.URL, members))
	var made struct{ Identifier, Secret string }
	if err := json.Unmarshal(body, &made); err != nil || status != http.StatusCreated {
		t.Fatalf("POST /webhooks: %d %s", status, body)
	}
	var err error
	if l.secret, err = webhook.ParseSecret(made.Secret); err != nil {
		t.Fatal(err)
	}
	return made.Identifier
}

// problemEvents returns the identifiers of the events of problems behind a cursor.
func problemEvents(t *testing.T, c *client, after string) (ids []string) {
	t.Helper()
	for {
		var page []struct{ Identifier, Type string }
		path := "/events?limit=1000"
		if after != "" {
			path += "&after=" + after
		}
		c.get(t, path, &page)
		for _, e := range page {
			if after = e.Identifier; strings.HasPrefix(e.Type, "problem.") {
				ids = append(ids, e.Identifier)
			}
		}
		if len(page) == 0 {
			return ids
		}
	}
}

const onProblems = `,"types":["problem.created","problem.changed"]`

// The way of a webhook: from the command line to the receiver and back.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	token, store := newToken(t), newFile(t)
	s := serve(t, store, "PROBLEMS_BOOTSTRAP_TOKEN="+token, "PROBLEMS_WEBHOOK_ALLOW=127.0.0.1", "PROBLEMS_METRICS_LISTEN=127.0.0.1:0")
	c := s.as(token)
	l := newHookLedger(t)
	id := l.hook(t, c, onProblems)
	for i := range 20 {
		if status, body := c.do("POST", "/problems", fmt.Sprintf(`{"title":"Number %d"}`, i)); status != http.StatusCreated {
			t.Fatalf("%d %s", status, body)
		}
	}
	want := problemEvents(t, c, "")
	eventually(t, "all events have arrived", func() bool { return len(l.ids(t)) >= len(want) })
	if got := l.ids(t); !slices.Equal(got, want) {
		t.Errorf("arrived are %q, want %q", got, want)
	}
	variables := []string{"PROBLEMS_TOKEN=" + token}
	at := []string{"--url=" + s.url}
	if listed := command(t, variables, append([]string{"webhook", "list"}, at...)...); !strings.Contains(listed, id) || !strings.Contains(listed, "active") {
		t.Errorf("listed is\n%s", listed)
	}
	if tested := command(t, variables, append([]string{"webhook", "test", id}, at...)...); !strings.Contains(tested, "status 200") {
		t.Errorf("tested is %q", tested)
	}
	command(t, variables, append([]string{"webhook", "replay", "--after=" + want[17], id}, at...)...)
	eventually(t, "the last two events have come again", func() bool {
		l.mu.Lock()
		defer l.mu.Unlock()
		return len(l.came) >= 23 && slices.Equal(l.came[len(l.came)-2:], want[18:])
	})
	var deliveries []struct{ Event, Outcome string }
	eventually(t, "the last delivery is listed", func() bool {
		c.get(t, "/webhooks/"+id+"/deliveries", &deliveries)
		return len(deliveries) > 0 && deliveries[len(deliveries)-1].Event == want[19]
	})

	// No secret is anywhere but at the receiver, and the key is in its own file alone.
	secret := strings.TrimPrefix(l.secret.Reveal(), "whsec_")
	key, err := os.ReadFile(strings.TrimPrefix(store, "sqlite://") + ".webhook-key")
	if err != nil {
		t.Fatal(err)
	}
	s.stop()
	archive := command(t, []string{"PROBLEMS_STORE=" + store}, "export")
	files, err := filepath.Glob(strings.TrimPrefix(store, "sqlite://") + "*")
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{"the log": s.stderr.String(), "the archive": archive}
	for _, file := range files {
		if !strings.HasSuffix(file, ".webhook-key") {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			texts[file] = string(content)
		}
	}
	for where, text := range texts {
		for _, hidden := range []string{secret, secret[:16], strings.TrimSpace(string(key)), "whsec_"} {
			if strings.Contains(text, hidden) {
				t.Errorf("%s has a secret", where)
			}
		}
	}
	if !strings.Contains(archive, id) {
		t.Error("the archive lacks the webhook")
	}
}

// Without the setting, nothing is sent inside, and the list of attempts names the setting.
func TestWebhooksStayOutside(t *testing.T) {
	t.Parallel()
	token := newToken(t)
	c := serve(t, newFile(t), "PROBLEMS_BOOTSTRAP_TOKEN="+token).as(token)
	l := newHookLedger(t)
	id := l.hook(t, c, onProblems)
	c.do("POST", "/problems", `{"title":"Inside"}`)
	var deliveries []struct{ Error string }
	eventually(t, "an attempt has failed", func() bool {
		c.get(t, "/webhooks/"+id+"/deliveries", &deliveries)
		return len(deliveries) > 0
	})
	if !strings.Contains(deliveries[0].Error, "PROBLEMS_WEBHOOK_ALLOW") {
		t.Errorf("the error is %q", deliveries[0].Error)
	}
	if got := l.ids(t); len(got) > 0 {
		t.Errorf("the receiver got %q", got)
	}
}

// Two servers on one database, and the delivering one dies again and again: every event
// arrives at least once, and in order.
func TestWebhooksOutliveServers(t *testing.T) {
	t.Parallel()
	token, store := newToken(t), postgrestest.Schema(t)
	settings := []string{"PROBLEMS_BOOTSTRAP_TOKEN=" + token, "PROBLEMS_WEBHOOK_ALLOW=127.0.0.0/8"}
	servers := []*server{serve(t, store, settings...), serve(t, store, settings...)}
	l := newHookLedger(t)
	l.refused = 1 // also a failed attempt is not forgotten
	l.hook(t, servers[0].as(token), onProblems)
	kills := 12
	if testing.Short() {
		kills = 2
	}
	delivering := func() int {
		return slices.IndexFunc(servers, func(s *server) bool {
			log := s.stderr.String()
			return strings.LastIndex(log, "delivers webhooks\"") > strings.LastIndex(log, "delivers webhooks no longer")
		})
	}
	created := 0
	for range kills {
		holder := -1
		eventually(t, "a server delivers", func() bool { holder = delivering(); return holder >= 0 })
		for end := time.Now().Add(2 * time.Second); time.Now().Before(end); {
			if status, _ := servers[1-holder].as(token).do("POST", "/problems", fmt.Sprintf(`{"title":"Number %d"}`, created)); status == http.StatusCreated {
				created++
			}
		}
		servers[holder].kill()
		died, before := time.Now(), len(l.ids(t))
		c := servers[1-holder].as(token)
		c.do("POST", "/problems", `{"title":"After the death"}`)
		created++
		eventually(t, "the other server delivers", func() bool { return len(l.ids(t)) > before })
		if took := time.Since(died); took > 15*time.Second { // ten seconds, on a busy machine
			t.Errorf("the work has moved after %s", took)
		}
		servers[holder] = serve(t, store, settings...)
	}
	want := problemEvents(t, servers[0].as(token), "")
	if len(want) < created {
		t.Fatalf("the feed has %d events of %d problems", len(want), created)
	}
	eventually(t, "all events have arrived", func() bool { return len(l.ids(t)) >= len(want) })
	if got := l.ids(t); !slices.Equal(got, want) {
		t.Errorf("%d events have arrived, in another order than the %d of the feed", len(got), len(want))
	}
}

// The receivers of the page take what is signed, print it once, and refuse all else.
func TestWebhookReceivers(t *testing.T) {
	t.Parallel()
	need(t, "python3")
	need(t, "openssl")
	program := filepath.Join(t.TempDir(), "receiver")
	if output, err := exec.Command("go", "build", "-o", program, "../docs/receivers/receiver.go").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, output)
	}
	secret := webhook.NewKey([32]byte{7}).Secret(ident.ID{1}, 1)
	body := []byte(`{"type":"problem.created","timestamp":"2026-03-14T09:30:00.000Z","data":{"title":"é\\n"}}`)
	message := func(id string, at time.Time) http.Header {
		h := http.Header{}
		h.Set("webhook-id", id)
		h.Set("webhook-timestamp", webhook.Timestamp(at))
		h.Set("webhook-signature", "v1,AAAA "+secret.Sign(id, at, body))
		return h
	}
	now := time.Now()
	changed := message("changed", now)
	changed.Set("webhook-id", "other")
	cases := []struct {
		name   string
		header http.Header
		ok     bool
	}{{"signed", message("one", now), true}, {"signed, again", message("one", now), true}, {"changed", changed, false}, {"old", message("old", now.Add(-time.Hour)), false}, {"without headers", http.Header{}, false}}

	for name, args := range map[string][]string{"Go": {program}, "Python": {"python3", "../docs/receivers/receiver.py"}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			listener, err := net.Listen("tcp", "127.0.0.1:0")
			if err != nil {
				t.Fatal(err)
			}
			address := listener.Addr().String()
			listener.Close()
			out := new(lockedBuffer)
			receiver := exec.Command(args[0], args[1:]...)
			receiver.Env = append(os.Environ(), "SECRET="+secret.Reveal(), "ADDRESS="+address)
			receiver.Stdout, receiver.Stderr = out, t.Output()
			if err := receiver.Start(); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = receiver.Process.Kill(); _ = receiver.Wait() })
			for _, c := range cases {
				var answer *http.Response
				eventually(t, "the receiver answers", func() bool {
					r, err := http.NewRequest("POST", "http://"+address+"/", bytes.NewReader(body))
					if err != nil {
						t.Fatal(err)
					}
					r.Header = c.header.Clone()
					answer, err = http.DefaultClient.Do(r)
					return err == nil
				})
				answer.Body.Close()
				if ok := answer.StatusCode == http.StatusNoContent; ok != c.ok || !ok && answer.StatusCode != http.StatusUnauthorized {
					t.Errorf("%s: status %d", c.name, answer.StatusCode)
				}
			}
			if got, want := out.String(), string(body)+"\n"; got != want {
				t.Errorf("printed is %q, want %q once", got, want)
			}
		})
	}
	t.Run("shell", func(t *testing.T) {
		t.Parallel()
		for _, c := range cases {
			check := exec.Command("sh", "../docs/receivers/check.sh")
			check.Env = append(os.Environ(), "SECRET="+secret.Reveal(), "ID="+c.header.Get("webhook-id"),
				"TIMESTAMP="+cmp.Or(c.header.Get("webhook-timestamp"), "0"), "SIGNATURE="+c.header.Get("webhook-signature"))
			check.Stdin = bytes.NewReader(body)
			printed, err := check.Output()
			if (err == nil) != c.ok || c.ok && !bytes.Equal(printed, body) {
				t.Errorf("%s: %v, printed is %q", c.name, err, printed)
			}
		}
	})
}
