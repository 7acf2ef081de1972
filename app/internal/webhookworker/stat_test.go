package webhookworker

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/tracker/webhooks"
	"github.com/problemtracking/problems/domain/webhook"
)

// stat returns the state of a webhook on the delivering server.
func (w *world) stat(of webhook.Webhook) Stat {
	w.t.Helper()
	delivers, _ := w.holder()
	for _, s := range delivers.worker.Stats() {
		if s.Webhook == of.ID.String() {
			return s
		}
	}
	w.t.Fatal("the webhook has no state")
	return Stat{}
}

// waits fails unless this many events wait for the webhook, the oldest one since a time.
func (w *world) waits(when string, of webhook.Webhook, pending int64, since time.Time) {
	w.t.Helper()
	s := w.stat(of)
	if s.Pending != pending || !s.Oldest.Equal(since.Truncate(time.Millisecond)) {
		w.t.Errorf("%s: %d events wait, the oldest one since %v, want %d since %v", when, s.Pending, s.Oldest, pending, since)
	}
}

// The metrics tell how much a webhook lacks, and since when: while it is served, while it
// waits or was stopped, and after another server took the work.
func TestStats(t *testing.T) {
	t.Parallel()
	inTime(t, 1, func(t *testing.T, w *world) {
		w.answer = func(_ context.Context, url string, _ int) webhook.Attempt {
			if url == one {
				return webhook.Attempt{Status: 410}
			}
			return webhook.Attempt{Status: 200}
		}
		healthy := w.hook(webhooks.Patch{URL: patch.Set("https://healthy.example.org/")})
		gone := w.hook(webhooks.Patch{URL: patch.Set(one), Types: aboutProblems})
		stopped := w.hook(webhooks.Patch{URL: patch.Set(other)})
		time.Sleep(2 * time.Minute)
		w.waits("before the first event", gone, 0, time.Time{})
		first := time.Now()
		w.create("first")
		time.Sleep(10 * time.Second)
		w.waits("after status 410", gone, 1, first)
		patched := time.Now()
		w.change(stopped.ID, webhooks.Update{Active: patch.Set(false)})
		time.Sleep(10 * time.Second)
		for i := range 5 {
			w.create(fmt.Sprint(i))
			time.Sleep(time.Second)
		}
		for _, when := range []string{"after more events", "with another server"} {
			w.waits(when, healthy, 0, time.Time{})
			w.waits(when, gone, 7, first) // one of them is about the stop
			w.waits(when, stopped, 6, patched)
			w.skip(time.Minute)
			time.Sleep(10 * time.Second)
		}
		w.change(stopped.ID, webhooks.Update{Active: patch.Set(true)})
		w.change(gone.ID, webhooks.Update{Cursor: patch.Set(webhooks.CursorNow)})
		time.Sleep(10 * time.Second)
		w.waits("in the end", stopped, 0, time.Time{})
		w.waits("in the end", gone, 0, time.Time{})
	})
}

// A receiver hangs, and has more events behind it than its queue holds. The predicate of the
// other webhook leaves out all events, so its queue is empty while it reads them.
func TestStatsOfABacklog(t *testing.T) {
	t.Parallel()
	// Pages and reports come in a random order: now and then, no report comes amid the pages.
	for range 5 {
		if statsAmidABacklog(t) {
			return
		}
	}
	t.Error("no state was seen amid the backlog")
}

func statsAmidABacklog(t *testing.T) (seen bool) {
	t.Helper()
	inTime(t, 1, func(t *testing.T, w *world) {
		w.answer = func(ctx context.Context, _ string, _ int) webhook.Attempt {
			<-ctx.Done()
			return webhook.Attempt{Err: "no answer"}
		}
		hangs := w.hook(webhooks.Patch{URL: patch.Set(one), Types: aboutProblems})
		rare := w.hook(webhooks.Patch{URL: patch.Set(other), Predicate: patch.Set("title = 'rare'")})
		time.Sleep(2 * time.Minute)
		w.servers[0].stop()
		first := time.Now()
		for i := range 3000 {
			w.create(fmt.Sprint(i))
		}
		w.servers[0] = w.serve(0)
		w.servers[0].latency.Store(int64(200 * time.Millisecond))
		for range 100 {
			time.Sleep(100 * time.Millisecond)
			if len(w.servers[0].worker.Stats()) == 0 {
				continue
			}
			if s := w.stat(rare); s.Pending > 0 && s.Pending < 3000 {
				seen = true
				if !s.Oldest.Equal(first.Truncate(time.Millisecond)) {
					t.Errorf("%d events may be for the webhook, the oldest one since %v, want %v", s.Pending, s.Oldest, first)
				}
			}
		}
		w.waits("in the end", hangs, 3000, first)
		w.waits("in the end", rare, 0, time.Time{})
	})
	return seen
}
