package web

import (
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/httpframe/xsstest"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/webhooks"
	"github.com/problemtracking/problems/domain/webhook"
)

const (
	hooksPath = "/administration/webhooks"
	hookURL   = "https://hooks.example.org/problems"
)

var hookSecret = regexp.MustCompile(`whsec_[0-9A-Za-z+/=]{44}`)

// hook makes a webhook and returns the path of its page.
func (s *site) hook(t *testing.T) string {
	t.Helper()
	made, err := s.service.Webhooks.Create(t.Context(), s.admin, webhooks.Create{Patch: webhooks.Patch{URL: patch.Set(hookURL)}})
	if err != nil {
		t.Fatal(err)
	}
	return hooksPath + "/" + made.Value.ID.String()
}

// progress sets how far the delivery to the webhook with this page has come.
func (s *site) progress(t *testing.T, at string, p webhook.Progress) {
	t.Helper()
	id, err := ident.Parse(strings.TrimPrefix(at, hooksPath+"/"))
	if err != nil {
		t.Fatal(err)
	}
	sequence := ident.NewSequence(time.Now(), [10]byte{1})
	if _, err := s.store.Commit(t.Context(), store.Change{Batch: sequence.Next(), At: time.Now(), Effects: []store.Effect{store.PutProgress{Webhook: id, Progress: p}}}); err != nil {
		t.Fatal(err)
	}
}

// shownSecret returns the only secret on a page.
func (p *shownPage) shownSecret() string {
	p.t.Helper()
	found := hookSecret.FindAllString(strings.ReplaceAll(p.text(), "&#43;", "+"), -1)
	if len(found) != 1 {
		p.t.Fatalf("%s has the secrets %q, want one:\n%s", p.path, found, p.text())
	}
	return found[0]
}

// An administrator makes a webhook, changes it and deletes it. Its secret is shown once.
func TestWebhookPages(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	b.get("/administration/states").has("Webhooks")
	form := b.get(hooksPath).is(200).has("There is none yet.")
	made := form.submit(hooksPath, "url", hookURL, "types", "problem.changed", "predicate", "priority.name = 'High'", "onFailure", "park").is(200).
		has("not shown again", hookURL, "active", "Administrator")
	made.shownSecret()
	if got := made.header.Get("Cache-Control"); got != "private, no-store" {
		t.Errorf("Cache-Control is %q", got)
	}
	list := b.get(hooksPath).is(200).lacks("whsec_", "There is none yet.")
	page := b.get(attribute(anchor(list, "Change "+hookURL), "href")).is(200).has("hooks.example.org", "No message was sent yet.").lacks("whsec_")
	values := page.form(page.path)
	for name, want := range map[string]string{"url": hookURL, "types": "problem.changed", "predicate": "priority.name = 'High'", "onFailure": "park"} {
		if got := values[name]; len(got) != 1 || got[0] != want {
			t.Errorf("the form has %s %q, want %q", name, got, want)
		}
	}
	changed := page.submit(page.path, "url", "https://other.example.org/", "predicate", "").is(200).at(page.path).has("other.example.org")
	if got := changed.form(page.path); got.Get("predicate") != "" || got.Get("types") != "problem.changed" || got.Get("onFailure") != "park" {
		t.Errorf("the form has %v", got)
	}
	page.submit(page.path, "url", "https://third.example.org/").is(412).has("Somebody changed this", "is kept")
	b.get("/administration/audit").has("other.example.org").lacks("/problems")
	question := changed.follow("Delete this webhook").is(200).at(page.path+"/delete").has("Delete this webhook?", "https://other.example.org/", "its secret is lost")
	question.submit(page.path + "/delete").is(200).at(hooksPath).has("There is none yet.")
	b.get(page.path).is(404)
	b.get(page.path + "/delete").is(404)
	b.post(page.path + "/delete").is(404).lacks("is kept")
}

// Nothing brings a deleted webhook back, so a page asks first. It needs no script, and
// nothing is deleted before the answer.
func TestWebhookIsDeletedAfterAQuestion(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	at := s.hook(t)
	for language, c := range map[string]struct{ delete, question, button, keep string }{
		"en": {"Delete this webhook", "Delete this webhook?", "Delete", "Keep"},
		"de": {"Diesen Webhook löschen", "Diesen Webhook löschen?", "Löschen", "Behalten"},
	} {
		t.Run(language, func(t *testing.T) {
			b := s.signedIn(t)
			b.post("/language", "language", language, "to", "/problems").is(200)
			page := b.get(at)
			for n := range page.root.Descendants() {
				if n.Data == "form" && attribute(n, "action") == at+"/delete" {
					t.Error("the page of the webhook deletes it without a question")
				}
			}
			question := page.follow(c.delete).is(200).at(at+"/delete").has(c.question, hookURL, c.button, c.keep)
			question.follow(c.keep).is(200).at(at)
			if got := s.hookAt(t, at); got.URL != hookURL || !got.Active {
				t.Errorf("the webhook is %+v", got)
			}
		})
	}
}

// follow opens the page behind a link with this text.
func (p *shownPage) follow(text string) *shownPage {
	p.t.Helper()
	return p.b.get(link(p, text))
}

// A webhook without chosen types gets all events.
func TestWebhookOfAllEvents(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	form := b.get(hooksPath).form(hooksPath)
	if form.Has("types") {
		t.Errorf("a new form has the types %v", form["types"])
	}
	b.get(hooksPath).submit(hooksPath, "url", hookURL).is(200)
	all, err := s.service.Webhooks.List(t.Context())
	if err != nil || len(all.Value) != 1 || len(all.Value[0].Types) != 0 || all.Value[0].OnFailure != webhook.Wait || all.Value[0].Owner != s.admin.User {
		t.Errorf("the webhooks are %+v (%v)", all.Value, err)
	}
}

// Each fault is named at its field, and what was typed is kept.
func TestWebhookRefused(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	at := s.hook(t)
	for _, to := range []string{hooksPath, at} {
		for name, c := range map[string]struct {
			form []string
			has  []string
		}{
			"url":       {[]string{"url", "ftp://hooks.example.org/"}, []string{"Address of the receiver (URL): must", "https or http"}},
			"user":      {[]string{"url", "https://ann:secret@hooks.example.org/"}, []string{"Address of the receiver (URL): must have no user"}},
			"predicate": {[]string{"url", hookURL, "predicate", "titel = 'x'"}, []string{"Query: is not valid", "line 1, column 1"}},
			"type":      {[]string{"url", hookURL, "types", "problem.odd"}, []string{"types[0] must be a type of events"}},
			"onFailure": {[]string{"url", hookURL, "onFailure", "odd"}, []string{"onFailure must be"}},
			"all":       {[]string{"url", "", "predicate", "titel = 'x'", "onFailure", "odd"}, []string{"Address of the receiver (URL): must", "Query: is not valid", "onFailure must be"}},
		} {
			t.Run(name, func(t *testing.T) {
				p := b.post(to, c.form...)
				p.t = t
				p.is(422).has(append(c.has, "is kept", "Back")...).lacks("whsec_")
				if got, want := p.form(to).Get("url"), formOf(c.form).Get("url"); got != want {
					t.Errorf("the form has the URL %q, want %q", got, want)
				}
			})
		}
	}
	b.post(at+"/replay", "cursor", "yesterday").is(422).has("Go on behind this event: must be the identifier of an event", "is kept")
	if all, err := s.service.Webhooks.List(t.Context()); err != nil || len(all.Value) != 1 || all.Value[0].URL != hookURL {
		t.Errorf("the webhooks are %+v (%v)", all.Value, err)
	}
}

func formOf(pairs []string) url.Values {
	form := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		form.Set(pairs[i], pairs[i+1])
	}
	return form
}

// The page says how far the delivery has come, and starts and stops it.
func TestWebhookState(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	at := s.hook(t)
	path := s.problem(t, "The door is open")
	b.get(at).has("active").lacks("Try at once")
	feed, err := s.service.As(s.admin).Follow(t.Context(), tracker.Follow{Limit: 100})
	if err != nil {
		t.Fatal(err)
	}
	defer feed.Close()
	events, err := feed.Next(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	first, second := events.Events[0].Cursor, events.Events[1].Cursor

	now := time.Now().Truncate(time.Millisecond)
	p := webhook.Progress{Epoch: 1, Cursor: first, State: webhook.Active, Failures: 1, Next: now.Add(time.Hour), Parked: 3, Deliveries: []webhook.Delivery{
		{Event: first, Type: event.ProblemCreated, Attempt: 1, At: now, Duration: 15 * time.Millisecond, Status: 204, Outcome: webhook.Delivered},
		{Event: second, Type: event.ProblemChanged, Attempt: 1, At: now, Duration: time.Second, Status: 503, Error: "the receiver answered with status 503", Outcome: webhook.Failed, Next: now.Add(time.Hour)},
	}}
	s.progress(t, at, p)
	shown := b.get(at).is(200).has("active", "1 failed attempt", "Given up 3", first.String(), second.String(), "problem.created", "problem.changed", "204", "503", "15 ms", "1,000 ms",
		"delivered", "failed", "The receiver answered with status 503.", "Try at once", "Stop")
	if text := shown.text(); strings.LastIndex(text, first.String()) < strings.LastIndex(text, second.String()) {
		t.Error("an older attempt comes first")
	}
	b.get(hooksPath).has("1 failed attempt")

	p.State, p.Next, p.Reason = webhook.Waiting, time.Time{}, "10 attempts to deliver one event have failed"
	s.progress(t, at, p)
	b.get(hooksPath).has("waiting")
	b.get(at).has("waiting", "10 attempts to deliver one event have failed.").submit(at+"/resume").is(200).at(at).has("active").lacks("waiting", "Try at once")
	b.get(at).submit(at+"/stop").is(200).at(at).has("stopped", "An administrator has stopped it.").lacks("Stop ")
	b.get(at).submit(at + "/resume").is(200).at(at).has("active").lacks("stopped")

	b.get(at).submit(at+"/replay", "cursor", second.String()).is(200).at(at)
	if got := s.hookAt(t, at); got.From != second {
		t.Errorf("the webhook goes on behind %v, want %v", got.From, second)
	}
	b.get(at).submit(at+"/replay", "cursor", "oldest").is(200)
	if got := s.hookAt(t, at); got.From != event.Start {
		t.Errorf("the webhook goes on behind %v, want the start", got.From)
	}
	b.get(path).is(200)
}

func (s *site) hookAt(t *testing.T, at string) webhook.Webhook {
	t.Helper()
	id, err := ident.Parse(strings.TrimPrefix(at, hooksPath+"/"))
	if err != nil {
		t.Fatal(err)
	}
	found, err := s.service.Webhooks.Load(t.Context(), id)
	if err != nil {
		t.Fatal(err)
	}
	return found.Value.Webhook
}

// A test is sent at once, and its outcome is shown.
func TestWebhookTest(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	at := s.hook(t)
	b.get(at).submit(at+"/test").is(200).has("The receiver took the test.", "204", "15 ms").lacks("whsec_")
	s.receiver.answer.Store(&webhook.Attempt{Status: http.StatusInternalServerError})
	b.get(at).submit(at+"/test").is(200).has("The test failed.", "The receiver answered with status 500.")
	s.receiver.answer.Store(&webhook.Attempt{Err: "no route to <b>host</b>"})
	b.get(at).submit(at+"/test").is(200).has("The test failed.", "No route to <b>host</b>.")
	b.get(at + "/test").is(200).at(at).lacks("The test failed.")
	b.post(hooksPath + "/01234567-89ab-7cde-8f01-23456789abcd/test").is(404)
}

// A new secret is shown once, too.
func TestWebhookSecret(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	made := b.get(hooksPath).submit(hooksPath, "url", hookURL).is(200)
	first := made.shownSecret()
	at := attribute(anchor(made, "Change "+hookURL), "href")
	rotated := b.get(at).submit(at+"/secret").is(200).has("not shown again", "24 hours")
	if second := rotated.shownSecret(); second == first {
		t.Error("the secret is the same")
	}
	b.get(at).submit(at + "/secret").is(200)
	b.get(at).submit(at + "/secret").is(409).has("3 secrets that sign").lacks("whsec_")
	b.get(at).submit(at+"/secret", "endEarlier", "yes").is(200).has("not shown again")
	b.get(at).submit(at + "/secret").is(200)
	b.get(at + "/secret").is(200).at(at).lacks("whsec_")
	for _, path := range []string{at, hooksPath, "/administration/audit"} {
		if page := b.get(path); strings.Contains(page.body, "whsec_") {
			t.Errorf("%s has a secret", path)
		}
	}
}

// Whoever made a webhook may be inactive now: it is stopped, and cannot go on.
func TestWebhookOfAnInactiveUser(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ann := s.as(t, "Ann", access.Admin)
	at := attribute(anchor(ann.get(hooksPath).submit(hooksPath, "url", hookURL).is(200), "Change "+hookURL), "href")
	users := ann.get("/administration/users")
	b := s.signedIn(t)
	b.post(attribute(anchor(users, "Change Ann"), "href"), "name", "Ann", "email", "ann@example.org", "inactive", "yes").is(200)
	b.get(at).has("stopped", "The user who made it is inactive").submit(at + "/resume").is(422).has("active the user who made it is inactive")
}

// All of it is for administrators.
func TestWebhooksNeedAdmin(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	at := s.hook(t)
	writer := s.as(t, "Willi", access.Write)
	writer.get("/administration/states").lacks("Webhooks")
	writer.get(at + "/delete").is(403).lacks("hooks.example.org")
	for _, path := range []string{hooksPath, at} {
		writer.get(path).is(403).lacks("hooks.example.org")
		writer.post(path, "url", "https://evil.example.org/").is(403)
	}
	for _, action := range []string{"/test", "/secret", "/resume", "/stop", "/replay", "/delete"} {
		writer.post(at+action, "cursor", "oldest").is(403).lacks("whsec_", "hooks.example.org")
	}
	if got := s.hookAt(t, at); got.URL != hookURL || !got.Active || got.Secret.Generation != 1 {
		t.Errorf("the webhook is %+v", got)
	}
	b := s.signedIn(t)
	r, err := http.NewRequest("POST", s.URL+at+"/delete", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.Header.Set("Sec-Fetch-Site", "cross-site")
	b.do(r).is(403)
	b.get(at).is(200)
	b.get(hooksPath + "/nonsense").is(404)
}

// What receivers and administrators write is text on each page.
func TestAttemptsOnWebhooks(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	at := s.hook(t)
	for i, attempt := range xsstest.Attempts() {
		b.post(hooksPath, "url", attempt, "types", attempt, "predicate", attempt, "onFailure", attempt).harmless(attempt)
		b.post(at, "url", hookURL+"/?"+url.QueryEscape(attempt), "predicate", "title = "+predicate.Quote(strings.ReplaceAll(attempt, "\n", " ")), "onFailure", "wait").harmless(attempt)
		b.post(at+"/replay", "cursor", attempt).harmless(attempt)
		s.receiver.answer.Store(&webhook.Attempt{Err: attempt})
		b.post(at + "/test").is(200).harmless(attempt)
		if i%5 == 0 {
			s.progress(t, at, webhook.Progress{Epoch: s.hookAt(t, at).Epoch, State: webhook.Waiting, Reason: attempt, Deliveries: []webhook.Delivery{
				{Type: event.Type(attempt), Attempt: 1, At: time.Now(), Error: attempt, Outcome: webhook.Failed},
			}})
			b.get(at).is(200).harmless(attempt)
			b.get(hooksPath).is(200).harmless(attempt)
			b.get(at + "/delete").is(200).harmless(attempt)
		}
	}
}
