package e2e

import (
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/domain/webhook"
)

// hookLedger is a receiver of webhooks with a list of what came. It checks each signature.
type hookLedger struct {
	*httptest.Server
	mu     sync.Mutex
	secret webhook.Secret
	came   []string // webhook-id, in the order of arrival
	faults []string
}

func newHookLedger(t *testing.T) *hookLedger {
	l := &hookLedger{}
	l.Server = httptest.NewServer(http.HandlerFunc(l.take))
	t.Cleanup(l.Close)
	return l
}

func (l *hookLedger) take(_ http.ResponseWriter, r *http.Request) {
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

// hookPath is the path of a ledger. For many receivers, the path is a credential.
const hookPath = "/hidden-path"

// hook makes a webhook that sends to the ledger.
func (l *hookLedger) hook(t *testing.T, c *client, members string) (id string) {
	t.Helper()
	l.mu.Lock() // no message is checked before the secret is known
	defer l.mu.Unlock()
	status, body := c.do("POST", "/webhooks", fmt.Sprintf(`{"url":%q%s}`, l.URL+hookPath, members))
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
	token, store, address := newToken(t), newFile(t), freeAddress(t)
	spans, collector := newCollector(t)
	s := serve(t, store, "PROBLEMS_BOOTSTRAP_TOKEN="+token, "PROBLEMS_WEBHOOK_ALLOW=127.0.0.1", "PROBLEMS_METRICS_LISTEN="+address, "PROBLEMS_TRACES_URL="+collector)
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

	texts := map[string]string{"the metrics": metrics(t, address)}
	for _, path := range []string{"/events?limit=1000", "/audit", "/webhooks", "/webhooks/" + id, "/webhooks/" + id + "/deliveries"} {
		_, body := c.do("GET", path, "")
		texts[path] = string(body)
	}
	_, body := c.do("PATCH", "/webhooks/"+id, fmt.Sprintf(`{"secret":%q,"cursor":%[1]q}`, l.secret.Reveal()))
	texts["an error"] = string(body)
	s.stop()
	texts["the log"], texts["the archive"], texts["the traces"] = s.stderr.String(), command(t, []string{"PROBLEMS_STORE=" + store}, "export"), fmt.Sprint(spans.all)
	if !strings.Contains(texts["the archive"], id) {
		t.Error("the archive lacks the webhook")
	}
	l.staysHidden(t, store, texts)
}

// staysHidden fails when a file of the store, or one of the texts, has the secret or the key
// behind it. Texts about the service lack the path of the receiver as well.
func (l *hookLedger) staysHidden(t *testing.T, store string, texts map[string]string) {
	t.Helper()
	path := strings.TrimPrefix(store, "sqlite://")
	text, err := os.ReadFile(path + ".webhook-key")
	if err != nil {
		t.Fatal(err)
	}
	key, err := webhook.ParseKey(string(text))
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(path + "*")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if !strings.HasSuffix(file, ".webhook-key") {
			content, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			texts[file] = string(content)
		}
	}
	staysHidden(t, key, []webhook.Secret{l.secret}, texts)
}

// staysHidden fails when one of the texts has a secret or the key, in any usual form.
func staysHidden(t *testing.T, key webhook.Key, secrets []webhook.Secret, texts map[string]string) {
	t.Helper()
	hidden := []string{"whsec_"}
	reveal := func(base64Text string) {
		bytes, err := base64.StdEncoding.DecodeString(base64Text)
		if err != nil {
			t.Fatal(err)
		}
		hidden = append(hidden, base64Text, base64Text[:16], hex.EncodeToString(bytes), string(bytes))
	}
	reveal(key.Reveal())
	for _, s := range secrets {
		reveal(strings.TrimPrefix(s.Reveal(), "whsec_"))
	}
	for where, text := range texts {
		if text == "" && !strings.HasSuffix(where, ".lock") {
			t.Errorf("%s: it is empty", where)
		}
		for _, secret := range hidden {
			if strings.Contains(text, secret) || strings.Contains(strings.ToLower(text), secret) {
				t.Errorf("%s: a secret is in it", where)
			}
		}
		switch where {
		case "the log", "the metrics", "the traces", "an error", "/audit", "/events?limit=1000":
			if strings.Contains(text, hookPath) {
				t.Errorf("%s: the path of the receiver is in it", where)
			}
		}
	}
}

// On PostgreSQL as well, no secret is in a table, in an answer, in the metrics, or in a log: neither in
// that of a server with a receiver that fails, nor in that of a server with a wrong key. Beside the
// latter, a server with the right key delivers.
func TestWebhookSecretsStayHidden(t *testing.T) {
	t.Parallel()
	token, database := newToken(t), postgrestest.New(t)
	texts := map[string]string{}
	note := func(c *client, where string, paths ...string) {
		for _, path := range paths {
			_, body := c.do("GET", path, "")
			texts[path+where] = string(body)
		}
	}
	settings := []string{"PROBLEMS_BOOTSTRAP_TOKEN=" + token, "PROBLEMS_WEBHOOK_ALLOW=127.0.0.1"}
	address := freeAddress(t)
	s := serve(t, database.URL(), append(settings, "PROBLEMS_METRICS_LISTEN="+address)...)
	takesRequests(t, s, token)
	c := s.as(token)
	good, bad := newHookLedger(t), newHookLedger(t)
	ids := []string{good.hook(t, c, onProblems), bad.hook(t, c, onProblems)}
	bad.CloseClientConnections()
	bad.Close() // so it refuses connections
	c.do("POST", "/problems", `{"title":"An event"}`)
	attempts := func(c *client, id string, ends string) {
		t.Helper()
		eventually(t, "the attempts are "+ends, func() bool {
			_, body := c.do("GET", "/webhooks/"+id+"/deliveries", "")
			return strings.Contains(string(body), ends)
		})
	}
	attempts(c, ids[0], `"delivered"`)
	attempts(c, ids[1], `"failed"`)
	for _, id := range ids {
		_, body := c.do("POST", "/webhooks/"+id+"/test", "")
		texts["test of "+id] = string(body)
		note(c, "", "/webhooks/"+id, "/webhooks/"+id+"/deliveries")
	}
	note(c, "", "/webhooks", "/audit", "/events?limit=1000")
	texts["the metrics"] = metrics(t, address)
	s.stop()
	texts["the log"] = s.stderr.String()

	wrong := filepath.Join(t.TempDir(), "key")
	other := webhook.NewKey([32]byte{31: 2})
	if err := os.WriteFile(wrong, []byte(other.Reveal()), 0o600); err != nil {
		t.Fatal(err)
	}
	s = serve(t, database.URL(), append(settings, "PROBLEMS_WEBHOOK_KEY_FILE="+wrong, "PROBLEMS_METRICS_LISTEN="+address)...)
	takesRequests(t, s, token)
	c = s.as(token)
	c.do("POST", "/problems", `{"title":"Another event"}`)
	eventually(t, "the metrics count locked webhooks", func() bool { return strings.Contains(metrics(t, address), "problems_webhooks_locked 2") })
	_, body := c.do("POST", "/webhooks/"+ids[0]+"/test", "")
	texts["a test with a wrong key"] = string(body)
	note(c, " with a wrong key", "/webhooks", "/webhooks/"+ids[0]+"/deliveries", "/audit")
	texts["the list with a wrong key"] = command(t, []string{"PROBLEMS_TOKEN=" + token}, "webhook", "list", "--url="+s.url)
	if came := good.ids(t); len(came) != 2 {
		t.Fatalf("before a server with the right key, the messages %q came, want the first event and the test", came)
	}
	right := serve(t, database.URL(), settings...)
	eventually(t, "a server with the right key delivers the other event", func() bool { return len(good.ids(t)) == 3 })
	right.stop()
	s.stop()
	texts["the log with a wrong key"] = s.stderr.String()
	for _, where := range []string{"a test with a wrong key", "/webhooks with a wrong key", "the list with a wrong key", "the log with a wrong key"} {
		if !strings.Contains(texts[where], "another key") {
			t.Errorf("%s lacks the reason: %s", where, texts[where])
		}
	}
	if where := "/webhooks/" + ids[0] + "/deliveries with a wrong key"; strings.Contains(texts[where], `"failed"`) {
		t.Errorf("%s has a failed attempt: %s", where, texts[where])
	}
	texts["the archive"] = command(t, []string{"PROBLEMS_STORE=" + database.URL()}, "export")
	texts["the tables"] = database.Ask(`WITH form AS MATERIALIZED (SELECT set_config('xmlbinary', 'hex', true) AS binary_form)
		SELECT database_to_xml(true, false, '')::text || left(binary_form, 0) FROM form`)
	for _, where := range []string{"the tables", "the archive"} {
		if !strings.Contains(texts[where], ids[0]) {
			t.Errorf("%s: the webhook is not in it", where)
		}
	}
	secrets := []webhook.Secret{good.secret, bad.secret}
	staysHidden(t, webhook.NewKey([32]byte{1}), secrets, texts) // see webhookKeyFile
	staysHidden(t, other, secrets, texts)
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
