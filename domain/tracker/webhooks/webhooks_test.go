package webhooks

import (
	"context"
	"crypto/rand"
	"errors"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
	"github.com/problemtracking/problems/domain/tracker/internal/stage"
	"github.com/problemtracking/problems/domain/webhook"
)

// service is the Service of a Stage.
type service struct {
	*Service
	stage.Stage
}

func newService(t testing.TB) service {
	s := stage.New(t, rand.Reader)
	return service{New(s.Tracker, nil), s}
}

// otherKey is not the key of a Stage.
func otherKey() (webhook.Key, error) { return webhook.NewKey([32]byte{31: 8}), nil }

const hookURL = "https://hooks.example.org/secret-path"

func (s service) hook(t *testing.T, p Patch) Issued {
	t.Helper()
	p.URL = patch.Set(hookURL)
	a, err := s.Create(t.Context(), s.Admin, Create{Patch: p})
	kit.NoError(t, err)
	return a.Value
}

// fields returns the changed members in the audit log about an object, in their order.
func (s service) fields(t *testing.T, id ident.ID) (fields []string) {
	t.Helper()
	a, err := s.Administration.Audit(t.Context(), 0, tracker.MostOnPage)
	kit.NoError(t, err)
	for _, e := range a.Value.Entries {
		if e.Object == id {
			fields = append(fields, string(e.Type)+" "+e.Field)
		}
		if text := e.Name + string(e.From) + string(e.To); strings.Contains(text, "secret-path") {
			t.Errorf("the audit log has the path of a URL: %s", text)
		}
	}
	return fields
}

// D40: a webhook begins behind the newest event, and its secret is shown once.
func TestCreateWebhook(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.Problem(t, "before")
	newest, err := s.core.Newest(t.Context())
	kit.NoError(t, err)
	issued := s.hook(t, Patch{
		Types: patch.Set([]string{"problem.changed", "problem.created", "problem.changed"}), Predicate: patch.Set(" watching = YES"), OnFailure: patch.Set("park"),
	})
	if issued.Owner != s.Admin.User || issued.URL != hookURL || !issued.Active || issued.OnFailure != webhook.Park || issued.From != newest || issued.Epoch != 1 ||
		!slices.Equal(issued.Types, []event.Type{event.ProblemChanged, event.ProblemCreated}) {
		t.Errorf("the webhook is %+v", issued.Webhook)
	}
	if issued.Secret.Reveal() != kit.Key.Secret(issued.ID, 1).Reveal() {
		t.Error("the secret is not the one derived from the key")
	}
	a, err := s.Load(t.Context(), issued.ID)
	kit.NoError(t, err)
	kit.Equal(t, "the stored webhook", a.Value, Webhook{Webhook: issued.Webhook})
	all, err := s.List(t.Context())
	kit.NoError(t, err)
	kit.Equal(t, "all webhooks", all.Value, []Webhook{{Webhook: issued.Webhook}})
	if got := s.fields(t, issued.ID); !slices.Equal(got, []string{"Created "}) {
		t.Errorf("the audit log has %q", got)
	}
}

func TestCreateWebhookRefuses(t *testing.T) {
	t.Parallel()
	s := newService(t)
	for name, c := range map[string]struct {
		p     Patch
		kind  fault.Kind
		items []string
	}{
		"no URL":            {Patch{}, fault.RequiredField, []string{"required-field url"}},
		"a wrong URL":       {Patch{URL: patch.Set("ftp://example.org")}, fault.InvalidValue, []string{"invalid-value url"}},
		"null":              {Patch{URL: patch.Null[string]()}, fault.InvalidValue, []string{"invalid-value url"}},
		"an unknown type":   {Patch{URL: patch.Set(hookURL), Types: patch.Set([]string{"user.created", "x"})}, fault.InvalidValue, []string{"invalid-value types[1]"}},
		"no types":          {Patch{URL: patch.Set(hookURL), Types: patch.Set([]string{})}, fault.InvalidValue, []string{"invalid-value types"}},
		"no such predicate": {Patch{URL: patch.Set(hookURL), Predicate: patch.Set("titel = 1")}, fault.InvalidValue, []string{"invalid-value predicate"}},
		"another end":       {Patch{URL: patch.Set(hookURL), OnFailure: patch.Set("drop")}, fault.InvalidValue, []string{"invalid-value onFailure"}},
		"everything": {Patch{Predicate: patch.Set("a"), OnFailure: patch.Null[string]()}, fault.ValidationFailed,
			[]string{"required-field url", "invalid-value predicate", "invalid-value onFailure"}},
	} {
		_, err := s.Create(t.Context(), s.Admin, Create{Patch: c.p})
		var items []string
		if f, ok := errors.AsType[*fault.Error](err); ok {
			for _, item := range f.Items {
				items = append(items, string(item.Kind)+" "+item.At.String())
			}
		}
		if !fault.Is(err, c.kind) || !slices.Equal(items, c.items) {
			t.Errorf("%s: %v with %q, want %s with %q", name, err, items, c.kind, c.items)
		}
	}
	all, err := s.List(t.Context())
	kit.NoError(t, err)
	if len(all.Value) != 0 {
		t.Errorf("refused webhooks are stored: %+v", all.Value)
	}
}

// The requests of a server never make more than the limit together.
func TestWebhookLimit(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := newService(t)
		m, err := s.core.Moment(t.Context())
		kit.NoError(t, err)
		almostFull := store.Change{Batch: m.IDs.Next(), At: m.At}
		for range webhook.Most - 1 {
			almostFull.Effects = append(almostFull.Effects, store.PutWebhook{Endpoint: webhook.Endpoint{ID: m.IDs.Next(), Owner: s.Admin.User, URL: hookURL}})
		}
		_, err = s.Memory.Commit(t.Context(), almostFull)
		kit.NoError(t, err)
		reached, proceed := make(chan bool), make(chan bool)
		server := New(s.Server(&kit.Hooked{Store: s.Memory, OnCommit: kit.Once(func() { close(reached); <-proceed })}, stage.Key), nil)
		results := make(chan error, 2)
		create := func() {
			results <- second(server.Create(t.Context(), s.Admin, Create{Patch: Patch{URL: patch.Set(hookURL)}}))
		}
		go create()
		<-reached
		go create()
		synctest.Wait()
		close(proceed)
		kit.NoError(t, <-results)
		kit.WantFault(t, <-results, fault.InvalidValue, "invalid-value ")
	})
}

func TestWebhookDryRuns(t *testing.T) {
	t.Parallel()
	s := newService(t)
	dry := tracker.Write{DryRun: true}
	a, err := s.Create(t.Context(), s.Admin, Create{Write: dry, Patch: Patch{URL: patch.Set(hookURL)}})
	kit.NoError(t, err)
	if !a.Value.ID.IsNone() || a.Value.Secret.Reveal() != "" {
		t.Errorf("a dry run has made %v with a secret", a.Value.ID)
	}
	real := s.hook(t, Patch{})
	r, err := s.Rotate(t.Context(), s.Admin, real.ID, Rotate{Write: dry})
	kit.NoError(t, err)
	if r.Value.Secret.Reveal() != "" {
		t.Error("a dry run shows a secret")
	}
	_, err = s.Delete(t.Context(), s.Admin, real.ID, dry)
	kit.NoError(t, err)
	_, err = s.Update(t.Context(), s.Admin, real.ID, Update{Write: dry, Active: patch.Set(false)})
	kit.NoError(t, err)
	now, err := s.Load(t.Context(), real.ID)
	kit.NoError(t, err)
	kit.Equal(t, "the webhook after dry runs", now.Value, Webhook{Webhook: real.Webhook})
}

func TestWithoutAKey(t *testing.T) {
	t.Parallel()
	s := newService(t)
	_, err := New(s.Server(s.Memory, nil), nil).Create(t.Context(), s.Admin, Create{Patch: Patch{URL: patch.Set(hookURL)}})
	if !fault.Is(err, fault.Unavailable) {
		t.Errorf("without a key: %v", err)
	}
}

// D40: what changes is logged, and only a change writes anything.
func TestChangeWebhook(t *testing.T) {
	t.Parallel()
	s := newService(t)
	hook := s.hook(t, Patch{Types: patch.Set([]string{"problem.created"})})
	s.Problem(t, "an event")
	first := func() event.Cursor {
		p, err := s.Memory.Feed(t.Context(), 1, 1, 1<<20)
		kit.NoError(t, err)
		return p[0].Cursor(0)
	}()
	newest, err := s.core.Newest(t.Context())
	kit.NoError(t, err)
	change := func(cmd Update) Webhook {
		t.Helper()
		a, err := s.Update(t.Context(), s.Admin, hook.ID, cmd)
		kit.NoError(t, err)
		stored, err := s.Load(t.Context(), hook.ID)
		kit.NoError(t, err)
		kit.Equal(t, "the answer", a.Value, stored.Value)
		return stored.Value
	}
	set := func(p Patch) Update { return Update{Patch: p} }
	for _, c := range []struct {
		rule  string
		cmd   Update
		log   []string
		check func(webhook.Webhook) bool
	}{
		{"nothing", Update{}, nil, func(w webhook.Webhook) bool { return w.Version == hook.Version }},
		{"the same", set(Patch{URL: patch.Set(hookURL), OnFailure: patch.Set("wait")}), nil, func(w webhook.Webhook) bool { return w.Version == hook.Version }},
		{"types", set(Patch{Types: patch.Null[[]string]()}), []string{"Changed types"}, func(w webhook.Webhook) bool { return w.Types == nil && w.Epoch == 1 }},
		{"predicate", set(Patch{Predicate: patch.Set("read = NO")}), []string{"Changed predicate"}, func(w webhook.Webhook) bool { return w.Predicate == "read = NO" && w.Epoch == 1 }},
		{"no predicate", set(Patch{Predicate: patch.Null[string]()}), []string{"Changed predicate"}, func(w webhook.Webhook) bool { return w.Predicate == "" }},
		{"onFailure", set(Patch{OnFailure: patch.Set("park")}), []string{"Changed onFailure"}, func(w webhook.Webhook) bool { return w.OnFailure == webhook.Park }},
		{"stop", Update{Active: patch.Set(false)}, []string{"Changed active"}, func(w webhook.Webhook) bool { return !w.Active && w.Epoch == 1 }},
		{"resume", Update{Active: patch.Set(true)}, []string{"Changed active"}, func(w webhook.Webhook) bool { return w.Active && w.Epoch == 2 && w.From == hook.From }},
		{"another URL is a start", set(Patch{URL: patch.Set("https://example.org/")}), []string{"Changed url"}, func(w webhook.Webhook) bool { return w.Epoch == 3 && w.From == hook.From }},
		{"another path is a start", set(Patch{URL: patch.Set("https://example.org/secret-path")}), []string{"Changed url"}, func(w webhook.Webhook) bool { return w.Epoch == 4 }},
		{"a second path, too", set(Patch{URL: patch.Set("https://example.org/another-secret-path")}), []string{"Changed url"}, func(w webhook.Webhook) bool { return w.Epoch == 5 }},
		{"a cursor", Update{Cursor: patch.Set(first.String())}, []string{"Changed cursor"}, func(w webhook.Webhook) bool { return w.Epoch == 6 && w.From == first }},
		{"the oldest", Update{Cursor: patch.Set("oldest")}, []string{"Changed cursor"}, func(w webhook.Webhook) bool { return w.Epoch == 7 && w.From == event.Start }},
		{"now", Update{Cursor: patch.Set("now")}, []string{"Changed cursor"}, func(w webhook.Webhook) bool { return w.Epoch == 8 && w.From.Number > newest.Number }},
		{"a cursor of a stopped one", Update{Active: patch.Set(false), Cursor: patch.Set(first.String())}, []string{"Changed active", "Changed cursor"},
			func(w webhook.Webhook) bool { return w.Epoch == 9 && w.From == first && !w.Active }},
	} {
		before := len(s.fields(t, hook.ID))
		if w := change(c.cmd); !c.check(w.Webhook) {
			t.Errorf("%s: the webhook is %+v", c.rule, w)
		}
		if got := s.fields(t, hook.ID)[before:]; !slices.Equal(got, c.log) {
			t.Errorf("%s: logged is %q, want %q", c.rule, got, c.log)
		}
	}
}

func TestChangeWebhookRefuses(t *testing.T) {
	t.Parallel()
	s := newService(t)
	hook := s.hook(t, Patch{})
	elsewhere := event.Cursor{Number: 1, Index: 1, Batch: ident.ID{1}}
	for name, c := range map[string]struct {
		id   ident.ID
		cmd  Update
		kind fault.Kind
	}{
		"an unknown webhook":        {ident.ID{5}, Update{Active: patch.Set(true)}, fault.NotFound},
		"no cursor":                 {hook.ID, Update{Cursor: patch.Set("yesterday")}, fault.InvalidValue},
		"null for a cursor":         {hook.ID, Update{Cursor: patch.Null[string]()}, fault.InvalidValue},
		"null for active":           {hook.ID, Update{Active: patch.Null[bool]()}, fault.InvalidValue},
		"a cursor of other history": {hook.ID, Update{Cursor: patch.Set(elsewhere.String())}, fault.CursorGone},
	} {
		if _, err := s.Update(t.Context(), s.Admin, c.id, c.cmd); !fault.Is(err, c.kind) {
			t.Errorf("%s: %v, want %s", name, err, c.kind)
		}
	}
}

// A webhook whose position the feed has forgotten is resumed with another cursor only.
func TestResumeWebhookBehindAForgottenEvent(t *testing.T) {
	t.Parallel()
	s := newService(t)
	hook := s.hook(t, Patch{})
	s.Problem(t, "an event")
	_, newest, err := s.Memory.FeedEnds(t.Context())
	kit.NoError(t, err)
	_, err = s.Memory.Commit(t.Context(), store.Change{Batch: ident.ID{1}, At: s.Clock.Now(), Effects: []store.Effect{store.ForgetFeed{Through: newest.Number - 1}}})
	kit.NoError(t, err)
	change := func(cmd Update) error {
		_, err := s.Update(t.Context(), s.Admin, hook.ID, cmd)
		return err
	}
	kit.NoError(t, change(Update{Active: patch.Set(false)}))
	err = change(Update{Active: patch.Set(true)})
	if _, ends := errors.AsType[*tracker.GoneError](err); !fault.Is(err, fault.CursorGone) || !ends {
		t.Errorf("resumed: %v, want cursor-gone with the ends of the feed", err)
	}
	kit.NoError(t, change(Update{Active: patch.Set(true), Cursor: patch.Set("oldest")}))
}

// D40: with the end of its owner a webhook cannot be resumed.
func TestWebhookOfAnInactiveUser(t *testing.T) {
	t.Parallel()
	s := newService(t)
	a, err := s.Administration.Users().Create(t.Context(), s.Admin, admin.CreateObject[admin.UserPatch]{Patch: admin.UserPatch{Name: patch.Set("Bo"), Email: patch.Set("bo@example.org")}})
	kit.NoError(t, err)
	made, err := s.Create(t.Context(), tracker.Caller{User: a.Value.ID, Scope: access.Admin}, Create{Patch: Patch{URL: patch.Set(hookURL)}})
	kit.NoError(t, err)
	_, err = s.Administration.Users().Update(t.Context(), s.Admin, a.Value.ID, admin.UpdateObject[admin.UserPatch]{Patch: admin.UserPatch{Inactive: patch.Set(true)}})
	kit.NoError(t, err)
	if _, err := s.Update(t.Context(), s.Admin, made.Value.ID, Update{Active: patch.Set(true)}); !fault.Is(err, fault.InvalidValue) {
		t.Errorf("resumed: %v", err)
	}
}

func TestRotateWebhook(t *testing.T) {
	t.Parallel()
	s := newService(t)
	hook := s.hook(t, Patch{})
	a, err := s.Rotate(t.Context(), s.Admin, hook.ID, Rotate{})
	kit.NoError(t, err)
	if a.Value.Secret.Reveal() == hook.Secret.Reveal() || a.Value.Epoch != 1 {
		t.Errorf("after a rotation: %+v", a.Value.Endpoint)
	}
	both, err := a.Value.Sign(kit.Key, "id", s.Clock.Now(), nil)
	kit.NoError(t, err)
	if want := a.Value.Secret.Sign("id", s.Clock.Now(), nil) + " " + hook.Secret.Sign("id", s.Clock.Now(), nil); both != want {
		t.Errorf("the signatures are %s, want %s", both, want)
	}
	if got := s.fields(t, hook.ID); !slices.Equal(got, []string{"Created ", "Changed secret"}) {
		t.Errorf("logged is %q", got)
	}
	third, err := s.Rotate(t.Context(), s.Admin, hook.ID, Rotate{EndEarlier: patch.Set(false)})
	kit.NoError(t, err)
	all, err := third.Value.Sign(kit.Key, "id", s.Clock.Now(), nil)
	kit.NoError(t, err)
	if want := third.Value.Secret.Sign("id", s.Clock.Now(), nil) + " " + a.Value.Secret.Sign("id", s.Clock.Now(), nil) + " " + hook.Secret.Sign("id", s.Clock.Now(), nil); all != want {
		t.Errorf("after a second rotation the signatures are %s, want %s", all, want)
	}
	if _, err := s.Rotate(t.Context(), s.Admin, hook.ID, Rotate{}); !fault.Is(err, fault.InUse) {
		t.Errorf("a third rotation: %v", err)
	}
	if _, err := s.Rotate(t.Context(), s.Admin, hook.ID, Rotate{EndEarlier: patch.Null[bool]()}); !fault.Is(err, fault.InvalidValue) {
		t.Errorf("null for endEarlier: %v", err)
	}
	last, err := s.Rotate(t.Context(), s.Admin, hook.ID, Rotate{EndEarlier: patch.Set(true)})
	kit.NoError(t, err)
	one, err := last.Value.Sign(kit.Key, "id", s.Clock.Now(), nil)
	kit.NoError(t, err)
	if want := last.Value.Secret.Sign("id", s.Clock.Now(), nil); one != want {
		t.Errorf("once the earlier secrets have ended, the signatures are %s, want %s", one, want)
	}
}

// D40: of two clients at once, each gets a secret of its own, and only one deletes.
func TestWebhookOfTwoClients(t *testing.T) {
	t.Parallel()
	s := newService(t)
	hook := s.hook(t, Patch{})
	other := New(s.Server(s.Memory, stage.Key), nil)
	atOnce := func(do func(*Service) error) (errs [2]error) {
		var both sync.WaitGroup
		for i, server := range []*Service{s.Service, other} {
			both.Go(func() { errs[i] = do(server) })
		}
		both.Wait()
		return errs
	}
	var mu sync.Mutex
	secrets := map[string]bool{hook.Secret.Reveal(): true}
	for range 10 {
		for _, err := range atOnce(func(server *Service) error {
			a, err := server.Rotate(t.Context(), s.Admin, hook.ID, Rotate{EndEarlier: patch.Set(true)})
			mu.Lock()
			defer mu.Unlock()
			secrets[a.Value.Secret.Reveal()] = true
			return err
		}) {
			kit.NoError(t, err)
		}
	}
	if len(secrets) != 21 {
		t.Errorf("20 rotations have made %d secrets", len(secrets)-1)
	}
	errs := atOnce(func(server *Service) error {
		_, err := server.Delete(t.Context(), s.Admin, hook.ID, tracker.Write{})
		return err
	})
	if (errs[0] == nil) == (errs[1] == nil) || !fault.Is(errors.Join(errs[:]...), fault.NotFound) {
		t.Errorf("two deletions end with %v", errs)
	}
	if got := s.fields(t, hook.ID); len(got) != 22 || got[21] != "Changed deleted" || strings.Count(strings.Join(got, ","), "deleted") != 1 {
		t.Errorf("logged is %q", got)
	}
}

func second[T any](_ T, err error) error { return err }

// sender notes messages, and answers with a status.
type sender struct {
	status int
	sent   []webhook.Message
}

func (s *sender) Send(_ context.Context, _ string, m webhook.Message) webhook.Attempt {
	s.sent = append(s.sent, m)
	return webhook.Attempt{Status: s.status}
}

func TestTestWebhook(t *testing.T) {
	t.Parallel()
	s := newService(t)
	hook := s.hook(t, Patch{})
	out := &sender{status: 202}
	s.sender = out
	a, err := s.Test(t.Context(), hook.ID)
	kit.NoError(t, err)
	if !a.Succeeded() || a.Status != 202 || len(out.sent) != 1 {
		t.Fatalf("%+v, %d messages", a, len(out.sent))
	}
	m := out.sent[0]
	if !strings.HasPrefix(m.ID, "test_") || !strings.Contains(string(m.Body), `"type":"webhook.test"`) || m.Signature != hook.Secret.Sign(m.ID, m.Time, m.Body) {
		t.Errorf("the message is %+v with %s", m, m.Body)
	}
}

// D40: a server with another key, or without one, says so with each active webhook, and sends no
// test. A new secret makes the webhook one of its own.
func TestWebhookOfAnotherKey(t *testing.T) {
	t.Parallel()
	s := newService(t)
	hook := s.hook(t, Patch{})
	out := &sender{status: 200}
	lacks := func(key func() (webhook.Key, error)) *Service {
		return New(s.Server(s.Memory, key), out)
	}
	other := lacks(otherKey)
	for reason, of := range map[string]*Service{"another key": other, "has no key": lacks(func() (webhook.Key, error) { return webhook.Key{}, errors.New("no file") })} {
		all, err := of.List(t.Context())
		kit.NoError(t, err)
		one, err := of.Load(t.Context(), hook.ID)
		kit.NoError(t, err)
		replayed, err := of.Update(t.Context(), s.Admin, hook.ID, Update{Active: patch.Set(true), Cursor: patch.Set(CursorOldest)})
		kit.NoError(t, err)
		for _, w := range append(all.Value, one.Value, replayed.Value) {
			if state, why := w.StateFor(true); state != webhook.Active || !strings.Contains(why, reason) || !strings.Contains(why, "PROBLEMS_WEBHOOK_KEY_FILE") {
				t.Errorf("%s: %s, %q", reason, state, why)
			}
		}
		if a, err := of.Test(t.Context(), hook.ID); err != nil || !strings.Contains(a.Err, reason) || len(out.sent) > 0 {
			t.Errorf("%s: a test is %+v, %v, and %d messages", reason, a, err, len(out.sent))
		}
		if _, err := of.Send(t.Context(), hook.Endpoint, webhook.Message{}); !fault.Is(err, fault.Unavailable) {
			t.Errorf("%s: a message is sent, %v", reason, err)
		}
	}
	issued, err := other.Rotate(t.Context(), s.Admin, hook.ID, Rotate{})
	kit.NoError(t, err)
	stored, err := other.Load(t.Context(), hook.ID)
	kit.NoError(t, err)
	was, err := s.Load(t.Context(), hook.ID)
	kit.NoError(t, err)
	if stored.Value.Secret != issued.Value.Webhook.Secret || stored.Value.Locked != nil || was.Value.Locked == nil {
		t.Errorf("after a new secret: %+v and %v there, %v here", stored.Value.Secret, stored.Value.Locked, was.Value.Locked)
	}
}

// A server that had nothing to deliver begins at once after a new secret of its own.
func TestRestEndsWithASecret(t *testing.T) {
	t.Parallel()
	s := newService(t)
	hook := s.hook(t, Patch{})
	other := New(s.Server(s.Memory, otherKey), nil)
	deliverer := other.NewDeliverer(false)
	taken, all, err := deliverer.Take(t.Context(), time.Now())
	kit.NoError(t, err)
	if taken || len(all) != 1 || all[0].Locked == nil {
		t.Fatalf("taken is %t, and the webhooks are %+v", taken, all)
	}
	_, err = other.Rotate(t.Context(), s.Admin, hook.ID, Rotate{})
	kit.NoError(t, err)
	deliverer.Rest(t.Context(), time.Hour)
	if taken, _, err := deliverer.Take(t.Context(), time.Now()); !taken || err != nil {
		t.Errorf("after a new secret, taken is %t, %v", taken, err)
	}
}

// Of two servers one has the lease, and the progress of the other is refused.
func TestWebhookLease(t *testing.T) {
	t.Parallel()
	s := newService(t)
	one, other := s.NewDeliverer(false), s.NewDeliverer(false)
	now := time.Now()
	take := func(c *Deliverer, at time.Duration, want bool) {
		t.Helper()
		got, _, err := c.Take(t.Context(), now.Add(at))
		kit.NoError(t, err)
		if got != want {
			t.Fatalf("after %s taken is %t", at, got)
		}
	}
	take(one, 0, false) // there is no webhook
	hook := s.hook(t, Patch{})
	take(one, 0, true)
	take(other, 0, false)
	take(other, 6*time.Second, false)
	put := []store.PutProgress{{Webhook: hook.ID, Progress: webhook.Progress{Epoch: 1, State: webhook.Active, Parked: 1}}}
	held, err := one.Renew(t.Context(), put)
	kit.NoError(t, err)
	if !held {
		t.Fatal("the holder has lost the lease")
	}
	take(other, 8*time.Second, false) // it was renewed
	take(other, 15*time.Second, true)
	put[0].Progress.Parked = 2
	if held, err = one.Renew(t.Context(), put); held || err != nil {
		t.Errorf("a server without the lease renews it: %t, %v", held, err)
	}
	w, err := s.Load(t.Context(), hook.ID)
	kit.NoError(t, err)
	if w.Value.Progress.Parked != 1 {
		t.Errorf("the progress is %+v", w.Value.Progress)
	}
	kit.NoError(t, other.Release(t.Context(), nil))
	take(one, 16*time.Second, true)
}

// firstPage returns the first events of the feed, 500 at most.
func firstPage(tb testing.TB, d *Deliverer) []tracker.PublishedEvent {
	tb.Helper()
	f, err := d.Follow(tb.Context(), &event.Start, 500)
	if err != nil {
		tb.Fatal(err)
	}
	defer f.Close()
	p, err := f.Next(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	return p.Events
}

// A predicate counts for the owner of the webhook, and one that fails concerns it alone.
func TestMatchIsForTheOwner(t *testing.T) {
	t.Parallel()
	s := newService(t)
	a, err := s.Administration.Users().Create(t.Context(), s.Admin, admin.CreateObject[admin.UserPatch]{Patch: admin.UserPatch{Name: patch.Set("Bo"), Email: patch.Set("bo@example.org")}})
	kit.NoError(t, err)
	id := s.Problem(t, "mine")
	_, err = s.Tracker.UpdateProblem(t.Context(), tracker.Caller{User: a.Value.ID, Scope: access.Write}, id, tracker.UpdateProblem{ProblemPatch: tracker.ProblemPatch{Title: patch.Set("by Bo")}})
	kit.NoError(t, err)
	c := s.NewDeliverer(false)
	events := firstPage(t, c)
	endpoints := []webhook.Endpoint{
		{ID: ident.ID{1}, Owner: s.Admin.User, Predicate: "read = YES"},
		{ID: ident.ID{2}, Owner: a.Value.ID, Predicate: "read = YES"},
		{ID: ident.ID{3}, Owner: a.Value.ID, Predicate: "modifier.identifier = $ApiUser", Types: []event.Type{event.ProblemCreated}},
		{ID: ident.ID{4}, Owner: s.Admin.User, Predicate: "titel = 1"},
		{ID: ident.ID{5}, Owner: s.Admin.User, Types: []event.Type{event.ProblemCreated}},
		{ID: ident.ID{6}, Owner: a.Value.ID, Predicate: "read = YES", Types: []event.Type{event.ProblemChanged}}, // shares the answer
		{ID: ident.ID{7}, Owner: s.Admin.User, Predicate: "titel = 1"},
	}
	all, err := c.Match(t.Context(), events, endpoints)
	kit.NoError(t, err)
	for i, want := range []int{0, 2, 1, 0, 1, 1, 0} {
		if len(all[i].Events) != want || (all[i].Err != nil) != (i == 3 || i == 6) {
			t.Errorf("endpoint %d gets %d events (%v), want %d", i, len(all[i].Events), all[i].Err, want)
		}
	}
}

// D40: the predicate of a webhook is stored as it was sent, also when NFC would change it.
func TestPredicateIsStoredAsSent(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"title = '\\n\u0303'", "title = '\\u00ea\u0301'", "title = '" + strings.Repeat("\u0958", predicate.MaxBytes/4) + "'"} {
		var faults fault.List
		e := Patch{Predicate: patch.Set(text)}.apply(webhook.Endpoint{Owner: kit.Ann, Created: kit.Now}, &faults)
		kit.NoError(t, faults.Err())
		kit.Equal(t, "predicate", e.Predicate, text)
	}
}
