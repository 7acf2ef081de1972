package webhookworker

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/tracker/webhooks"
	"github.com/problemtracking/problems/domain/webhook"
)

// Of two servers, one has another key or none. It is the first to look, and the other one
// delivers: nothing counts as an attempt.
func TestServerWithoutTheKey(t *testing.T) {
	t.Parallel()
	for reason, lock := range map[string]func(*server){
		"another key":      func(s *server) { s.other.Store(true) },
		"there is no file": func(s *server) { s.keyless.Store(true) },
	} {
		t.Run(reason, func(t *testing.T) {
			t.Parallel()
			inTime(t, 2, func(t *testing.T, w *world) {
				hook := w.hook(webhooks.Patch{URL: patch.Set(one), Types: aboutProblems})
				for _, s := range w.servers {
					s.stop()
				}
				w.begin = lock
				w.servers[0] = w.serve(0)
				w.create("first")
				time.Sleep(time.Minute)
				if n := w.servers[0].worker.Locked(); n != 1 {
					t.Errorf("%d webhooks are locked, want 1", n)
				}
				w.begin = nil
				w.servers[1] = w.serve(1)
				time.Sleep(10 * time.Second)
				w.inOrder(one)
				if p := w.webhook(hook.ID).Current(); len(p.Deliveries) != 1 || p.Deliveries[0].Outcome != webhook.Delivered {
					t.Errorf("the attempts are %+v", p.Deliveries)
				}
				w.servers[0].stop()
				if log := w.servers[0].log.String(); strings.Count(log, "\n") != 1 || !strings.Contains(log, "PROBLEMS_WEBHOOK_KEY_FILE") || !strings.Contains(log, reason) {
					t.Errorf("the log of the server without the key is %q, want one line that names the setting and %q", log, reason)
				}
			})
		})
	}
}

// For four days, all servers have another key. A webhook that parks loses nothing: a server with
// the right key delivers all events.
func TestEventsWaitForTheKey(t *testing.T) {
	t.Parallel()
	inTime(t, 2, func(t *testing.T, w *world) {
		hook := w.hook(webhooks.Patch{URL: patch.Set(one), Types: aboutProblems, OnFailure: patch.Set("park")})
		w.begin = func(s *server) { s.other.Store(true) }
		w.skip(0)
		for i := range 10 {
			w.create(fmt.Sprint(i))
			time.Sleep(10 * time.Second)
			w.skip(24 * time.Hour)
		}
		if n := len(w.sent(one)); n > 0 {
			t.Errorf("%d messages without the key", n)
		}
		w.servers[1].other.Store(false)
		time.Sleep(time.Minute)
		w.inOrder(one)
		if p := w.webhook(hook.ID).Current(); p.State != webhook.Active || p.Parked != 0 || len(p.Deliveries) != 10 {
			t.Errorf("in the end: %+v", p)
		}
	})
}

// Each of two servers delivers to the webhooks with its key, and keeps at it. A new secret moves
// a webhook to the other server, and one message is under way at a time, also when the earlier
// server cannot read of it.
func TestServersWithTwoKeys(t *testing.T) {
	t.Parallel()
	for name, how := range map[string]link{"up": up, "refused": refused, "hanging": hanging} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inTime(t, 2, func(t *testing.T, w *world) {
				w.servers[1].other.Store(true)
				moves := w.hook(webhooks.Patch{URL: patch.Set(one), Types: aboutProblems})
				w.hookAt(w.servers[1], w.admin, webhooks.Patch{URL: patch.Set(other), Types: aboutProblems})
				w.answer = func(ctx context.Context, _ string, _ int) webhook.Attempt {
					select {
					case <-time.After(900 * time.Millisecond):
						return webhook.Attempt{Status: 200}
					case <-ctx.Done():
						return webhook.Attempt{Err: "the connection was closed"}
					}
				}
				time.Sleep(10 * time.Second)
				for i := range 20 {
					w.create(fmt.Sprint(i))
				}
				time.Sleep(5 * time.Second)
				earlier := w.servers[0]
				earlier.connect(how)
				w.servers[0] = w.servers[1] // for the world
				if _, err := w.servers[1].Webhooks.Rotate(t.Context(), w.admin, moves.ID, webhooks.Rotate{}); err != nil {
					t.Fatal(err)
				}
				rotated := time.Now()
				for i := range 20 {
					w.create(fmt.Sprint(i))
				}
				time.Sleep(time.Minute)
				earlier.connect(up)
				time.Sleep(time.Minute)
				w.servers[0] = earlier
				w.inOrder(one)
				w.inOrder(other)
				for _, r := range w.sent(other) {
					if r.server != 1 {
						t.Errorf("the server with the earlier key sends %+v", r)
					}
				}
				got := w.sent(one)
				first := slices.IndexFunc(got, func(r received) bool { return r.server == 1 })
				if first < 0 || got[first].at.Sub(rotated) > 10*time.Second {
					t.Fatalf("the webhook has not moved: %+v", got)
				}
				for i, s := range w.servers {
					s.stop()
					if log := s.log.String(); !strings.Contains(log, "leaves webhooks to servers with the right key; without one, their events wait") {
						t.Errorf("the log of server %d does not say who delivers:\n%s", i, log)
					}
				}
				if log := w.servers[1].log.String(); strings.Contains(log, "no longer") {
					t.Errorf("the server has lost the lease:\n%s", log)
				}
			})
		})
	}
}

// A server whose key changes sends nothing with the other one, and counts nothing as an attempt.
func TestKeyChangesAmidDeliveries(t *testing.T) {
	t.Parallel()
	inTime(t, 1, func(t *testing.T, w *world) {
		hook := w.hook(webhooks.Patch{URL: patch.Set(one), Types: aboutProblems})
		time.Sleep(3 * time.Second)
		for range 3 {
			w.servers[0].other.Store(!w.servers[0].other.Load())
			w.create("an event")
			time.Sleep(time.Minute)
		}
		if n, p := len(w.sent(one)), w.webhook(hook.ID).Current(); n != 2 || p.Failures != 0 {
			t.Errorf("with another key: %d messages, want those before, and %+v", n, p)
		}
		w.servers[0].other.Store(false)
		time.Sleep(time.Minute)
		w.inOrder(one)
		if p := w.webhook(hook.ID).Current(); len(p.Deliveries) != 3 {
			t.Errorf("the attempts are %+v", p.Deliveries)
		}
	})
}
