package archive_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/webhook"
)

// Webhooks come out as they went in: with their cursors, and without a secret.
func TestWebhooks(t *testing.T) {
	t.Parallel()
	lines := withWebhooks()
	lines[22] = strings.Replace(lines[22], `\u0022`, `\"`, 1)
	text := whole(lines, 8)
	w, err := load(text)
	if err != nil {
		t.Fatal(err)
	}
	id := func(text string) ident.ID {
		id, err := ident.Parse("01900000-0000-7000-8000-000000000" + text)
		if err != nil {
			t.Fatal(err)
		}
		return id
	}
	at := func(text string) time.Time {
		at, err := time.Parse(time.RFC3339, "2026-01-02T03:"+text+"Z")
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	want := []webhook.Webhook{{
		Endpoint: webhook.Endpoint{
			ID: id("702"), Version: id("712"), Owner: id("051"), Created: at("04:05"), URL: "https://example.org/hook?a=b",
			Types: []event.Type{event.ProblemChanged, "user.created"}, Predicate: "title CONTAINS 'é'", OnFailure: webhook.Park, Active: true,
			Secret: webhook.SecretRef{Key: webhook.KeyID{7: 0xff}, Generation: 3, Rotated: at("04:04"), RotatedBefore: at("04:03")},
			Epoch:  3, From: event.Cursor{Number: 41, Index: 1, Batch: id("602")},
		},
		Progress: webhook.Progress{
			Epoch: 3, Cursor: event.Cursor{Number: 42, Index: 1, Batch: id("102")}, State: webhook.Stopped, Reason: "it had to", Failures: 2, Next: at("09:05"), Parked: 1,
		},
	}, {
		Endpoint: webhook.Endpoint{
			ID: id("701"), Version: id("711"), Owner: id("052"), Created: at("04:04"), URL: "http://10.0.0.1/", OnFailure: webhook.Wait,
			Secret: webhook.SecretRef{Key: webhook.KeyID{1, 2, 3, 4, 5, 6, 7, 8}, Generation: 1}, Epoch: 1,
		},
	}}
	if !reflect.DeepEqual(w.Archive.Webhooks, want) {
		t.Errorf("read\n%+v, want\n%+v", w.Archive.Webhooks, want)
	}
	if got := w.text(t); got != text {
		t.Errorf("written:\n%s\nwant:\n%s", got, text)
	}
}

// A webhook from before the rule of hosts comes out as it went in.
func TestWebhookWithoutDeliveries(t *testing.T) {
	t.Parallel()
	const url = "http://[fe80::1%25eth0]/"
	lines := withWebhooks()
	for i, line := range lines {
		lines[i] = strings.Replace(line, "http://10.0.0.1/", url, 1)
	}
	w, err := load(whole(lines, 8))
	if err != nil {
		t.Fatal(err)
	}
	if got := w.Archive.Webhooks[1].URL; got != url {
		t.Errorf("got the URL %q, want %q", got, url)
	}
}

func TestDamagedWebhooks(t *testing.T) {
	t.Parallel()
	good := whole(withWebhooks(), 8)
	for name, c := range map[string]struct{ old, new, field, reason string }{
		"of nobody":              {`"owner":"01900000-0000-7000-8000-000000000052","parked"`, `"owner":"01900000-0000-7000-8000-000000000059","parked"`, "/owner", "there is no user"},
		"a second identifier":    {`000000000701","kind":"webhook"`, `000000000702","kind":"webhook"`, "/identifier", "another webhook"},
		"without a URL":          {`"url":"http://10.0.0.1/"`, `"url":"hook"`, "/url", "must be a URL"},
		"a URL with a password":  {`"url":"http://10.0.0.1/"`, `"url":"http://a:b@10.0.0.1/"`, "/url", "no password"},
		"an unknown type":        {`"user.created"`, `"user.deleted"`, "/types", "must be some of"},
		"a type twice":           {`"user.created"`, `"problem.changed"`, "/types", "array of types"},
		"no type":                {`["problem.changed","user.created"]`, `[]`, "/types", "must be null"},
		"a wrong predicate":      {`"predicate":"title CONTAINS 'é'","progressEpoch"`, `"predicate":"titel = 1","progressEpoch"`, "/predicate", "is not valid"},
		"another end":            {`"onFailure":"park"`, `"onFailure":"drop"`, "/onFailure", "wait"},
		"a key":                  {`"secretKey":"00000000000000ff"`, `"secretKey":"whsec_ff"`, "/secretKey", "16 hexadecimal digits"},
		"no generation":          {`"secretGeneration":1`, `"secretGeneration":0`, "/secretGeneration", "at least 1"},
		"a rotation, some day":   {`"secretRotatedBefore":"2026-01-02T03:04:03.000Z"`, `"secretRotatedBefore":"soon"`, "/secretRotatedBefore", "time"},
		"no cursor":              {`"cursor":"4QAA"`, `"cursor":"now"`, "/cursor", "cursor of the feed"},
		"an epoch to come":       {`"progressEpoch":3`, `"progressEpoch":4`, "/progressEpoch", "from 0 to the epoch"},
		"an unknown state":       {`"state":"stopped"`, `"state":"broken"`, "/state", "must be null"},
		"less than no failures":  {`"failures":2`, `"failures":-1`, "/failures", "at least 0"},
		"a member is missing":    {`"parked":1,`, ``, "/parked", "is missing"},
		"a time between seconds": {`"nextAttempt":"2026-01-02T03:09:05.000Z"`, `"nextAttempt":"soon"`, "/nextAttempt", "time"},
	} {
		text := strings.Replace(good, c.old, c.new, 1)
		if text == good {
			t.Errorf("%s: the archive does not have %s", name, c.old)
			continue
		}
		if _, err := load(text); err == nil || !strings.Contains(err.Error(), c.field) || !strings.Contains(err.Error(), c.reason) {
			t.Errorf("%s: got %v, want %s and %q", name, err, c.field, c.reason)
		}
	}
}
