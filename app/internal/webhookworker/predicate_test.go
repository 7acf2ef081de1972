package webhookworker

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/webhooks"
	"github.com/problemtracking/problems/domain/webhook"
)

// watchedReads is a store with a function before each read of problems. An error of it is that
// of the read.
type watchedReads struct {
	store.Store
	before func(ctx context.Context, ids ...problem.ID) error
}

func (s watchedReads) View(ctx context.Context, fn func(store.Reader) error) error {
	return s.Store.View(ctx, func(r store.Reader) error { return fn(watchedReader{r, s.before}) })
}

type watchedReader struct {
	store.Reader
	before func(ctx context.Context, ids ...problem.ID) error
}

func (r watchedReader) Problem(ctx context.Context, id problem.ID, as ident.ID, parts snapshot.Parts) (snapshot.Snapshot, error) {
	if err := r.before(ctx, id); err != nil {
		return snapshot.Snapshot{}, err
	}
	return r.Reader.Problem(ctx, id, as, parts)
}

func (r watchedReader) Problems(ctx context.Context, ids []problem.ID, as ident.ID, parts snapshot.Parts) ([]snapshot.Snapshot, error) {
	if err := r.before(ctx, ids...); err != nil {
		return nil, err
	}
	return r.Reader.Problems(ctx, ids, as, parts)
}

func (w *world) rename(id problem.ID, title string) {
	w.t.Helper()
	if _, err := w.servers[0].UpdateProblem(w.t.Context(), w.admin, id, tracker.UpdateProblem{ProblemPatch: tracker.ProblemPatch{Title: patch.Set(title)}}); err != nil {
		w.t.Fatal(err)
	}
}

// A predicate about large problems, which are loaded one by one, holds up no other webhook.
func TestPredicateAboutLargeProblems(t *testing.T) {
	t.Parallel()
	inTime(t, 1, func(t *testing.T, w *world) {
		var slow atomic.Bool
		w.store = watchedReads{w.store, func(ctx context.Context, ids ...problem.ID) error {
			if !slow.Load() || len(ids) > 1 {
				return nil
			}
			select {
			case <-time.After(15 * time.Millisecond):
				return nil
			case <-ctx.Done():
				return store.Ended(ctx)
			}
		}}
		w.skip(time.Second)
		const problems = 100
		var all []problem.ID
		for i := range problems {
			id := w.create(fmt.Sprint(i))
			for range 2 {
				if _, err := w.servers[0].AddComment(t.Context(), w.admin, id, tracker.AddComment{Text: patch.Set(strings.Repeat("x", 50_000))}); err != nil {
					t.Fatal(err)
				}
			}
			all = append(all, id)
		}
		time.Sleep(time.Minute)
		heavy := w.hook(webhooks.Patch{URL: patch.Set(one), Types: aboutProblems, Predicate: patch.Set("ANY comments.text CONTAINS 'fuse'")})
		w.hook(webhooks.Patch{URL: patch.Set(other), Types: aboutProblems})
		time.Sleep(10 * time.Second)
		w.servers[0].stop() // or it would read the events one by one
		for _, id := range all {
			w.rename(id, "new")
		}
		slow.Store(true)
		w.skip(time.Second)
		time.Sleep(2 * time.Minute)
		if n := len(w.sent(other)); n != problems {
			t.Errorf("the webhook without a predicate got %d messages, want %d", n, problems)
		}
		if p := w.webhook(heavy.ID).Current(); p.State != webhook.Active {
			t.Errorf("the webhook with the predicate is %s: %s", p.State, p.Reason)
		}
	})
}

// A damaged problem holds up only the webhooks whose predicates need it. They go on once it
// is repaired, and no event is lost.
func TestPredicateAboutADamagedProblem(t *testing.T) {
	t.Parallel()
	inTime(t, 1, func(t *testing.T, w *world) {
		var row atomic.Int64
		w.store = watchedReads{w.store, func(_ context.Context, ids ...problem.ID) error {
			if slices.Contains(ids, problem.ID(row.Load())) {
				return fault.New(fault.Internal, "the row is damaged")
			}
			return nil
		}}
		w.skip(time.Second)
		hidden, damaged, whole := w.create("secret"), w.create("public 1"), w.create("public 2")
		time.Sleep(time.Minute)
		needs := w.hook(webhooks.Patch{URL: patch.Set(one), Types: aboutProblems, Predicate: patch.Set("title CONTAINS 'public'")})
		w.hook(webhooks.Patch{URL: patch.Set(other), Types: aboutProblems})
		const third = "https://third.example.org/"
		w.hook(webhooks.Patch{URL: patch.Set(third), Types: aboutProblems, Predicate: patch.Set(fmt.Sprintf("identifier = %d", whole))})
		time.Sleep(time.Minute)
		w.servers[0].stop()
		before := len(w.happened())
		for i, id := range []problem.ID{whole, hidden, damaged, whole} {
			w.rename(id, fmt.Sprint("public anew ", i))
		}
		row.Store(int64(damaged))
		w.skip(time.Second)
		time.Sleep(10 * time.Minute)
		happened := w.happened()[before:]
		if got := ids(w.sent(other)); !slices.Equal(got, happened) {
			t.Errorf("without a predicate, %q came, want %q", got, happened)
		}
		if got, want := ids(w.sent(third)), []string{happened[0], happened[3]}; !slices.Equal(got, want) {
			t.Errorf("with a predicate about another problem, %q came, want %q", got, want)
		}
		if got := ids(w.sent(one)); !slices.Equal(got, happened[:2]) {
			t.Errorf("before the repair, %q came, want %q", got, happened[:2])
		}
		p := w.webhook(needs.ID).Current()
		if p.State != webhook.Active || p.Failures != 3 || !strings.Contains(fmt.Sprint(p.Deliveries), fmt.Sprintf("problem %d,", damaged)) {
			t.Errorf("the webhook is %s after %d failures: %+v", p.State, p.Failures, p.Deliveries)
		}
		if n := strings.Count(w.servers[0].log.String(), "its predicate needs a problem that cannot be read"); n != 1 {
			t.Errorf("the log has %d lines about it, want 1:\n%s", n, w.servers[0].log.String())
		}
		row.Store(0)
		time.Sleep(time.Hour)
		if got := ids(w.sent(one)); !slices.Equal(got, happened) {
			t.Errorf("after the repair, %q came, want %q", got, happened)
		}
	})
}

// The failed attempts of an event that the predicate leaves out by now do not count for the
// next one.
func TestFailuresBelongToOneEvent(t *testing.T) {
	t.Parallel()
	for name, restart := range map[string]func(*world, webhook.Webhook){
		"after a restart": func(w *world, _ webhook.Webhook) { w.skip(time.Second) },
		"after a change of the webhook": func(w *world, hook webhook.Webhook) {
			w.change(hook.ID, webhooks.Update{Patch: webhooks.Patch{Predicate: patch.Set("title BEGINSWITH 'a'")}})
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inTime(t, 1, func(t *testing.T, w *world) {
				hook := w.hook(webhooks.Patch{URL: patch.Set(one), Types: aboutProblems, Predicate: patch.Set("title CONTAINS 'a'"), OnFailure: patch.Set("park")})
				w.answer = func(context.Context, string, int) webhook.Attempt { return webhook.Attempt{Status: 500} }
				id := w.create("a1")
				for w.webhook(hook.ID).Current().Failures < 4 {
					time.Sleep(time.Minute)
				}
				w.rename(id, "b")
				w.create("a2")
				restart(w, hook)
				time.Sleep(2 * time.Second)
				if p := w.webhook(hook.ID).Current(); p.Failures != 1 || p.Parked != 0 {
					t.Errorf("a moment later %d attempts have failed, and %d events are parked; want one attempt", p.Failures, p.Parked)
				}
			})
		})
	}
}

// The predicate counts when an event is sent, also after hours behind a failing one.
func TestPredicateAtARetry(t *testing.T) {
	t.Parallel()
	inTime(t, 1, func(t *testing.T, w *world) {
		w.hook(webhooks.Patch{URL: patch.Set(one), Types: aboutProblems, Predicate: patch.Set("title CONTAINS 'public'")})
		repaired := w.broken()
		w.create("public 1")
		hidden := w.create("public 2")
		w.create("public 3")
		time.Sleep(10 * time.Minute)
		w.rename(hidden, "secret")
		repaired.Store(true)
		time.Sleep(time.Hour)
		if taken := w.taken(one); taken != 2 {
			t.Errorf("%d events were taken, want those of the first and the third problem", taken)
		}
	})
}

// broken has the receivers fail until the returned flag is set.
func (w *world) broken() (repaired *atomic.Bool) {
	repaired = new(atomic.Bool)
	w.answer = func(context.Context, string, int) webhook.Attempt {
		if repaired.Load() {
			return webhook.Attempt{Status: 200}
		}
		return webhook.Attempt{Status: 500}
	}
	return repaired
}

// taken returns how many messages the receiver at a URL has taken.
func (w *world) taken(url string) (n int) {
	for _, r := range w.sent(url) {
		if r.taken {
			n++
		}
	}
	return n
}

// The predicate counts when an event is sent, also behind events that a slow receiver takes.
func TestPredicateBehindASlowReceiver(t *testing.T) {
	t.Parallel()
	inTime(t, 1, func(t *testing.T, w *world) {
		w.hook(webhooks.Patch{URL: patch.Set(one), Types: aboutProblems, Predicate: patch.Set("title CONTAINS 'public'")})
		w.answer = func(context.Context, string, int) webhook.Attempt {
			time.Sleep(14 * time.Second)
			return webhook.Attempt{Status: 200}
		}
		const problems = 20
		var last problem.ID
		for i := range problems {
			last = w.create(fmt.Sprint("public ", i))
		}
		time.Sleep(time.Minute)
		w.rename(last, "secret")
		time.Sleep(10 * time.Minute)
		if all := w.sent(one); len(all) != problems-1 {
			t.Errorf("%d events were sent, want those of all problems but the last: %q", len(all), ids(all))
		}
	})
}

// The predicate counts when an event is sent, also in a long pause in which a server has begun anew.
func TestPredicateAtARetryAfterARestart(t *testing.T) {
	t.Parallel()
	inTime(t, 1, func(t *testing.T, w *world) {
		hook := w.hook(webhooks.Patch{URL: patch.Set(one), Types: aboutProblems, Predicate: patch.Set("title CONTAINS 'public'")})
		repaired := w.broken()
		hidden := w.create("public 1")
		w.create("public 2")
		for w.webhook(hook.ID).Current().Failures < 3 { // the next pause is 30 minutes
			time.Sleep(time.Minute)
		}
		w.skip(time.Second)
		time.Sleep(5 * time.Minute)
		w.rename(hidden, "secret")
		repaired.Store(true)
		time.Sleep(time.Hour)
		if taken := w.taken(one); taken != 1 {
			t.Errorf("%d events were taken, want that of the second problem", taken)
		}
	})
}

// The predicate counts when an event is sent, also by webhooks that wait for the places of other
// failing ones. Each gets a place in the end.
func TestPredicateBehindOtherWebhooks(t *testing.T) {
	t.Parallel()
	inTime(t, 1, func(t *testing.T, w *world) {
		const hooks = 5 * mostFailing // the last ones wait for more than a minute
		url := func(i int) string { return fmt.Sprintf("https://h%d.example.org/", i) }
		for i := range hooks {
			w.hook(webhooks.Patch{URL: patch.Set(url(i)), Types: aboutProblems, Predicate: patch.Set("title CONTAINS 'public'")})
		}
		w.answer = func(context.Context, string, int) webhook.Attempt {
			time.Sleep(15 * time.Second)
			return webhook.Attempt{Err: "hangs"}
		}
		hidden := w.create("public 1")
		w.create("public 2")
		time.Sleep(20 * time.Second)
		w.rename(hidden, "secret")
		last := time.Now().Add(time.Minute)
		time.Sleep(10 * time.Minute)
		first := w.sent(url(0))[0].id
		for i := range hooks {
			second := false
			for _, r := range w.sent(url(i)) {
				if r.id == first && r.at.After(last) {
					t.Errorf("webhook %d got the event %v after the predicate became false", i, r.at.Sub(last)+time.Minute)
				}
				second = second || r.id != first
			}
			if !second {
				t.Errorf("webhook %d did not get the event of the second problem", i)
			}
		}
	})
}
