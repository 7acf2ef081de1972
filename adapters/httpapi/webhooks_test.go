package httpapi

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/text"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/webhook"
)

const hooks = api + "/webhooks"

// D40: the secret is in the answer to the creation, and nowhere else.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	f := setup(t)
	w := f.send(t, request("POST", hooks, `{"url":"https://hooks.example.org/","onFailure":"park"}`), 201, "")
	var made struct{ Identifier, URL, State, OnFailure, Secret, Cursor string }
	if err := json.Unmarshal(w.Body.Bytes(), &made); err != nil {
		t.Fatal(err)
	}
	if made.URL != "https://hooks.example.org/" || made.State != "active" || made.OnFailure != "park" || !strings.HasPrefix(made.Secret, "whsec_") {
		t.Errorf("made is %+v", made)
	}
	header(t, w, map[string]string{"Location": hooks + "/" + made.Identifier, "Cache-Control": "no-store"})
	put, ok := f.changes[0].Effects[1].(store.PutWebhook)
	if !ok || put.Endpoint.ID.String() != made.Identifier || put.Endpoint.From.String() != made.Cursor {
		t.Errorf("stored is %+v", f.changes[0].Effects)
	}
	secret := samples.WebhookSecret().Reveal()
	one := hooks + "/" + samples.Webhook().ID.String()
	for _, path := range []string{hooks, one, one + "/deliveries"} {
		body := f.send(t, request("GET", path, ""), 200, "").Body.String()
		if strings.Contains(body, "whsec_") || strings.Contains(body, secret[6:20]) {
			t.Errorf("GET %s shows a secret: %s", path, body)
		}
	}
	rotated := f.send(t, request("POST", one+"/secret", ""), 200, "")
	header(t, rotated, map[string]string{"Cache-Control": "no-store"})
	if body := rotated.Body.String(); !strings.Contains(body, `"secret":"whsec_`) || strings.Contains(body, secret) {
		t.Errorf("rotated: %s", body)
	}
	f.send(t, request("DELETE", one, ""), 204, "")
	if log := f.log.String(); strings.Contains(log, "whsec_") {
		t.Errorf("the log has a secret: %s", log)
	}
}

// A webhook that was stopped between two attempts has no next one.
func TestStoppedWebhookHasNoNextAttempt(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.webhooks = []webhook.Webhook{samples.Retrying()}
	one := hooks + "/" + samples.Retrying().ID.String()
	for _, c := range []struct {
		r    *http.Request
		none bool
	}{{request("GET", one, ""), false}, {request("PATCH", one, `{"active":false}`), true}} {
		if body := f.send(t, c.r, 200, "").Body.String(); strings.Contains(body, `"nextAttempt":null`) != c.none || !strings.Contains(body, `"failures":1`) {
			t.Errorf("%s: %s", c.r.Method, body)
		}
	}
}

// A server with another key than that of a webhook says so, and calls no attempt a failure.
func TestReasonOfALockedWebhook(t *testing.T) {
	t.Parallel()
	f := setup(t)
	of := samples.NewWebhook()
	of.Secret.Key = webhook.NewKey([32]byte{1}).ID()
	f.webhooks = []webhook.Webhook{of}
	one := hooks + "/" + of.ID.String()
	for _, r := range []*http.Request{request("GET", hooks, ""), request("GET", one, ""), request("PATCH", one, `{"active":true}`)} {
		body := f.send(t, r, 200, "").Body.String()
		if !strings.Contains(body, `"state":"active","reason":"this server has another key`) || !strings.Contains(body, `"failures":0`) {
			t.Errorf("%s %s: %s", r.Method, r.URL, body)
		}
	}
	if body := f.send(t, request("POST", one+"/test", ""), 200, "").Body.String(); !strings.Contains(body, `"error":"this server has another key`) || len(f.sent) > 0 {
		t.Errorf("a test is %s, and %d messages were sent", body, len(f.sent))
	}
	if body := f.send(t, request("POST", one+"/secret", ""), 200, "").Body.String(); !strings.Contains(body, `"reason":null`) {
		t.Errorf("with a new secret: %s", body)
	}
}

func TestWebhooksInDryRuns(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.feed = feedOfHook()
	one := hooks + "/" + samples.Webhook().ID.String()
	for _, r := range []*http.Request{
		request("POST", hooks+"?dryRun=true", `{"url":"https://hooks.example.org/"}`),
		request("POST", one+"/secret?dryRun=true", ""),
		request("PATCH", one+"?dryRun=true", `{"active":true}`),
		request("DELETE", one+"?dryRun=true", ""),
	} {
		w := f.do(r)
		if w.Code > 299 || w.Header().Get("Dry-Run") != "true" || strings.Contains(w.Body.String(), "whsec_") || w.Header().Get("Location") != "" {
			t.Errorf("%s %s: %d %v %s", r.Method, r.URL, w.Code, w.Header(), w.Body)
		}
	}
	f.send(t, request("POST", one+"/test?dryRun=true", ""), 400, fault.MalformedRequest)
	if len(f.changes)+len(f.sent) > 0 {
		t.Errorf("dry runs have made %d changes and sent %q", len(f.changes), f.sent)
	}
}

func TestTestOfAWebhook(t *testing.T) {
	t.Parallel()
	f := setup(t)
	one := hooks + "/" + samples.Webhook().ID.String()
	w := f.send(t, request("POST", one+"/test", ""), 200, "")
	var got struct {
		Status  int
		Outcome string
		Error   *string
	}
	if err := json.Unmarshal(w.Body.Bytes(), &got); err != nil || got.Status != 204 || got.Outcome != "delivered" || got.Error != nil {
		t.Errorf("the answer is %s (%v)", w.Body, err)
	}
	f.send(t, request("POST", one+"/test", "", "Idempotency-Key", "7"), 400, fault.MalformedRequest) // it would be sent twice
	if len(f.sent) != 1 || !strings.HasPrefix(f.sent[0], "https://hooks.example.org/problems {") || !strings.Contains(f.sent[0], `"type":"webhook.test"`) {
		t.Errorf("sent is %q", f.sent)
	}
}

// The message has the event as /events has it.
func TestEncodeEvent(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.feed = sampleFeed()
	var listed []json.RawMessage
	if err := json.Unmarshal(f.send(t, request("GET", api+"/events", ""), 200, "").Body.Bytes(), &listed); err != nil || len(listed) != 1 {
		t.Fatalf("%d events, %v", len(listed), err)
	}
	e := samples.Events()[0]
	e.Cursor = event.Cursor{Number: 1, Index: 1, Batch: e.Batch}
	data := EncodeEvent(samples.Catalogue(), e)
	if string(data) != string(listed[0]) {
		t.Errorf("encoded is\n%s\nlisted is\n%s", data, listed[0])
	}
	m := webhook.NewMessage(e.Cursor, e.Type, e.At, data)
	var body struct {
		Type, Timestamp string
		Data            struct{ Identifier, Type, Timestamp string }
	}
	if err := json.Unmarshal(m.Body, &body); err != nil || body.Data.Identifier != m.ID || body.Type != body.Data.Type || body.Timestamp != body.Data.Timestamp {
		t.Errorf("the message is %s with the identifier %s (%v)", m.Body, m.ID, err)
	}
}

// D40: this is the largest message by the default limits. Each character of the values becomes
// three in NFC, and the author has the longest name.
func TestLargestMessage(t *testing.T) {
	t.Parallel()
	f := setup(t)
	limits := tracker.DefaultLimits()
	content := samples.Catalogue().Content()
	content.Users[0].Name = strings.Repeat("\U0001F642", text.Name.Max)
	f.catalogue = metadata.NewCatalogue(samples.Version, content)
	one := int(DefaultLimits().BodyBytes-50) / limits.Keywords
	keywords := make([]string, limits.Keywords)
	for i := range keywords {
		begin := fmt.Sprintf(`{"name":"%03d","value":"`, i)
		keywords[i] = begin + strings.Repeat("\U0001D160", (one-len(begin+`"},`))/4) + `"}`
	}
	f.send(t, request("POST", api+"/problems", `{"title":"Large","keywords":[`+strings.Join(keywords, ",")+`]}`), 201, "")
	for _, effect := range f.changes[0].Effects {
		if e, ok := effect.(store.Publish); ok {
			v := tracker.PublishedEvent{Event: e.Event, Batch: f.changes[0].Batch, At: samples.Time, Author: samples.Ann.ID}
			m := webhook.NewMessage(v.Cursor, v.Type, v.At, EncodeEvent(f.catalogue, v))
			if size := len(m.Body); size < 4<<20 || size > webhook.MostBody {
				t.Errorf("the message has %d bytes, want 4 MiB up to %d", size, webhook.MostBody)
			}
			return
		}
	}
	t.Error("there is no event")
}
