package webhookworker

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/tracker/webhooks"
	"github.com/problemtracking/problems/domain/webhook"
)

func TestDeliversInOrder(t *testing.T) {
	t.Parallel()
	inTime(t, 1, func(t *testing.T, w *world) {
		w.create("before")
		w.hook(webhooks.Patch{URL: patch.Set(one), Types: aboutProblems})
		w.answer = func(_ context.Context, _ string, n int) webhook.Attempt {
			time.Sleep(time.Duration(n%5) * 10 * time.Millisecond)
			return webhook.Attempt{Status: 204}
		}
		for i := range 300 { // more than a queue holds
			w.create(fmt.Sprint(i))
		}
		time.Sleep(time.Minute)
		got := w.sent(one)
		if want := w.happened()[1:]; !slices.Equal(ids(got), want) {
			t.Fatalf("%d messages were sent, want the %d events since the webhook was made, in their order", len(got), len(want))
		}
		for i := 1; i < len(got); i++ {
			if got[i].at.Before(got[i-1].end) {
				t.Fatalf("message %d began before message %d had ended", i, i-1)
			}
		}
	})
}

func TestDeliversWhatIsWanted(t *testing.T) {
	t.Parallel()
	inTime(t, 1, func(t *testing.T, w *world) {
		w.hook(webhooks.Patch{URL: patch.Set(one), Types: patch.Set([]string{"problem.created"}), Predicate: patch.Set("title CONTAINS 'lamp'")})
		w.hook(webhooks.Patch{URL: patch.Set(other), Predicate: patch.Set("watching = YES")})
		w.hook(webhooks.Patch{URL: patch.Set("https://all.example.org/")})
		lamp := w.create("a lamp")
		w.create("a fuse")
		watched := w.create("watched")
		if _, err := w.servers[0].AddWatcher(t.Context(), w.admin, watched, tracker.AddWatcher{User: metadata.Members{"identifier": metadata.Text(w.admin.User.String())}}); err != nil {
			t.Fatal(err)
		}
		_ = lamp
		time.Sleep(5 * time.Second)
		if n := len(w.sent(one)); n != 1 {
			t.Errorf("%d messages about a created problem with a lamp, want 1", n)
		}
		if n := len(w.sent(other)); n == 0 || n > 2 {
			t.Errorf("%d messages about the watched problem, want its events alone", n)
		}
		if n := len(w.sent("https://all.example.org/")); n < 4 {
			t.Errorf("%d messages about everything, want the problems and the administration", n)
		}
	})
}

// The pauses are those of the schedule, the message is the same, and what came later waits.
func TestRetries(t *testing.T) {
	t.Parallel()
	inTime(t, 1, func(t *testing.T, w *world) {
		hook := w.hook(webhooks.Patch{URL: patch.Set(one), Types: aboutProblems})
		w.hook(webhooks.Patch{URL: patch.Set(other), Types: aboutProblems})
		w.answer = func(_ context.Context, url string, n int) webhook.Attempt {
			if url == one && n <= 4 {
				return webhook.Attempt{Status: 500}
			}
			return webhook.Attempt{Status: 200}
		}
		w.create("first")
		w.create("second")
		time.Sleep(4 * time.Second)
		p := w.webhook(hook.ID).Current()
		if len(w.sent(other)) != 2 || p.Failures != 1 || p.Next.IsZero() || len(p.Deliveries) != 1 {
			t.Errorf("after a failure: %d messages to the other receiver, and %+v", len(w.sent(other)), p)
		}
		time.Sleep(3 * time.Hour)
		got, want := w.sent(one), w.happened()
		if !slices.Equal(ids(got), []string{want[0], want[0], want[0], want[0], want[0], want[1]}) {
			t.Fatalf("the messages are %v", ids(got))
		}
		for i, pause := range []time.Duration{5 * time.Second, 5 * time.Minute, 30 * time.Minute, 2 * time.Hour} {
			if took := got[i+1].at.Sub(got[i].at); took < pause || took > pause+2*tick {
				t.Errorf("attempt %d came after %s, want %s", i+2, took, pause)
			}
		}
		if p := w.webhook(hook.ID).Current(); p.Failures != 0 || p.Cursor.String() != want[1] || len(p.Deliveries) != 6 {
			t.Errorf("in the end: %+v", p)
		}
	})
}

func TestWaitsOrParks(t *testing.T) {
	t.Parallel()
	inTime(t, 1, func(t *testing.T, w *world) {
		waits := w.hook(webhooks.Patch{URL: patch.Set(one), Types: aboutProblems})
		parks := w.hook(webhooks.Patch{URL: patch.Set(other), Types: aboutProblems, OnFailure: patch.Set("park")})
		w.answer = func(_ context.Context, _ string, n int) webhook.Attempt {
			if n <= 10 {
				return webhook.Attempt{Err: "no answer"}
			}
			return webhook.Attempt{Status: 200}
		}
		w.create("first")
		w.create("second")
		for range 10 { // each day has an attempt, and the first one two
			time.Sleep(10 * time.Second)
			w.skip(24 * time.Hour)
		}
		time.Sleep(10 * time.Second)
		want := w.happened()
		if p := w.webhook(waits.ID).Current(); p.State != webhook.Waiting || p.Cursor == (event.Cursor{}) || len(w.sent(one)) != 10 {
			t.Errorf("it did not wait: %d messages, %+v", len(w.sent(one)), p)
		}
		if p := w.webhook(parks.ID).Current(); p.State != webhook.Active || p.Parked != 1 || p.Cursor.String() != want[1] || len(w.sent(other)) != 11 {
			t.Errorf("it did not park: %d messages, %+v", len(w.sent(other)), p)
		}
		// Nothing is lost: the one that waits goes on where it was.
		w.change(waits.ID, webhooks.Update{Active: patch.Set(true)})
		time.Sleep(5 * time.Second)
		if got := ids(w.sent(one))[10:]; !slices.Equal(got, want) {
			t.Errorf("after it was resumed, it got %v, want %v", got, want)
		}
	})
}

func TestReplay(t *testing.T) {
	t.Parallel()
	inTime(t, 1, func(t *testing.T, w *world) {
		hook := w.hook(webhooks.Patch{URL: patch.Set(one), Types: aboutProblems})
		for i := range 5 {
			w.create(fmt.Sprint(i))
		}
		time.Sleep(3 * time.Second)
		want := w.happened()
		w.change(hook.ID, webhooks.Update{Cursor: patch.Set(want[1])})
		time.Sleep(3 * time.Second)
		if got := ids(w.sent(one)); !slices.Equal(got, slices.Concat(want, want[2:])) {
			t.Errorf("the messages are %v, want all, and those behind the second again", got)
		}
		w.change(hook.ID, webhooks.Update{Cursor: patch.Set(webhooks.CursorOldest)})
		time.Sleep(3 * time.Second)
		if got := ids(w.sent(one)); !slices.Equal(got, slices.Concat(want, want[2:], want)) {
			t.Errorf("the messages are %v, want all of them again", got)
		}
	})
}

func TestEndsOfAWebhook(t *testing.T) {
	t.Parallel()
	inTime(t, 1, func(t *testing.T, w *world) {
		w.answer = func(_ context.Context, url string, _ int) webhook.Attempt {
			if strings.Contains(url, "gone") {
				return webhook.Attempt{Status: 410}
			}
			return webhook.Attempt{Status: 200}
		}
		gone := w.hook(webhooks.Patch{URL: patch.Set("https://gone.example.org/")})
		deleted := w.hook(webhooks.Patch{URL: patch.Set(one), Types: aboutProblems})
		stopped := w.hook(webhooks.Patch{URL: patch.Set(other), Types: aboutProblems})
		w.create("first")
		time.Sleep(3 * time.Second)
		if p := w.webhook(gone.ID).Current(); p.State != webhook.Stopped || !strings.Contains(p.Reason, "410") {
			t.Errorf("after 410: %+v", p)
		}
		if _, err := w.servers[0].Webhooks.Delete(t.Context(), w.admin, deleted.ID, tracker.Write{}); err != nil {
			t.Fatal(err)
		}
		w.change(stopped.ID, webhooks.Update{Active: patch.Set(false)})
		time.Sleep(time.Second)
		w.create("second")
		time.Sleep(time.Minute)
		if n, m, k := len(w.sent(one)), len(w.sent(other)), len(w.sent("https://gone.example.org/")); n != 1 || m != 1 || k != 1 {
			t.Errorf("the deleted one got %d messages, the stopped one %d, the gone one %d, want 1 each", n, m, k)
		}
		w.change(stopped.ID, webhooks.Update{Active: patch.Set(true)})
		time.Sleep(3 * time.Second)
		if got := ids(w.sent(other)); !slices.Equal(got, w.happened()) {
			t.Errorf("the resumed one got %v", got)
		}
	})
}

func TestOwnerIsDeactivated(t *testing.T) {
	t.Parallel()
	inTime(t, 1, func(t *testing.T, w *world) {
		bo := w.user("Bo")
		hook := w.hookOf(bo, webhooks.Patch{URL: patch.Set(one), Types: aboutProblems})
		w.create("first")
		time.Sleep(3 * time.Second)
		if _, err := w.servers[0].Users().Update(t.Context(), w.admin, bo.User, admin.UpdateObject[admin.UserPatch]{Patch: admin.UserPatch{Inactive: patch.Set(true)}}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		w.create("second")
		time.Sleep(time.Minute)
		if p := w.webhook(hook.ID).Current(); len(w.sent(one)) != 1 || p.State != webhook.Stopped || p.Reason != webhook.OwnerInactive {
			t.Errorf("%d messages, %+v", len(w.sent(one)), p)
		}
	})
}

// The end of a webhook is in the log once, also after another server has taken the work.
func TestEndsAreLoggedOnce(t *testing.T) {
	t.Parallel()
	inTime(t, 1, func(t *testing.T, w *world) {
		w.answer = func(_ context.Context, url string, _ int) webhook.Attempt {
			if url == other {
				return webhook.Attempt{Status: 410}
			}
			return webhook.Attempt{Status: 200}
		}
		bo := w.user("Bo")
		ends := map[string]webhook.Webhook{
			webhook.OwnerInactive: w.hookOf(bo, webhooks.Patch{URL: patch.Set(one), Types: aboutProblems}),
			"410":                 w.hook(webhooks.Patch{URL: patch.Set(other), Types: aboutProblems}),
		}
		time.Sleep(3 * time.Second)
		if _, err := w.servers[0].Users().Update(t.Context(), w.admin, bo.User, admin.UpdateObject[admin.UserPatch]{Patch: admin.UserPatch{Inactive: patch.Set(true)}}); err != nil {
			t.Fatal(err)
		}
		w.create("first")
		time.Sleep(3 * time.Second)
		first := w.servers[0]
		w.skip(time.Second)
		w.create("second")
		time.Sleep(3 * time.Second)
		w.servers[0].stop()
		for reason, hook := range ends {
			lines := slices.DeleteFunc(strings.Split(first.log.String(), "\n"), func(line string) bool { return !strings.Contains(line, hook.ID.String()) })
			if len(lines) != 1 || !strings.Contains(lines[0], reason) || !strings.Contains(lines[0], "state=stopped") {
				t.Errorf("the log has %q, want one line with %q", lines, reason)
			}
			if log := w.servers[0].log.String(); strings.Contains(log, hook.ID.String()) {
				t.Errorf("the next server logs the end again:\n%s", log)
			}
		}
	})
}

// A webhook that ends during a message stays ended, whatever the answer is.
func TestEndDuringAMessage(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]webhook.Attempt{"success": {Status: 200}, "failure": {Status: 500}, "gone": {Status: 410}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			inTime(t, 1, func(t *testing.T, w *world) {
				bo := w.user("Bo")
				hook := w.hookOf(bo, webhooks.Patch{URL: patch.Set(one), Types: aboutProblems})
				w.answer = func(context.Context, string, int) webhook.Attempt {
					time.Sleep(10 * time.Second)
					return answer
				}
				w.create("first")
				time.Sleep(5 * time.Second)
				if _, err := w.servers[0].Users().Update(t.Context(), w.admin, bo.User, admin.UpdateObject[admin.UserPatch]{Patch: admin.UserPatch{Inactive: patch.Set(true)}}); err != nil {
					t.Fatal(err)
				}
				time.Sleep(time.Minute)
				w.servers[0].stop()
				p := w.webhook(hook.ID).Current()
				if p.State != webhook.Stopped || p.Reason != webhook.OwnerInactive || !p.Next.IsZero() || len(p.Deliveries) != 1 || !p.Deliveries[0].Next.IsZero() {
					t.Errorf("the progress is %+v", p)
				}
				if log := w.servers[0].log.String(); strings.Count(log, hook.ID.String()) != 1 {
					t.Errorf("the log is\n%s\nwant one line about the webhook", log)
				}
			})
		})
	}
}

// Receivers that hang do not hold up the others: neither at first, nor later, when more of them
// are due than have a place.
func TestManyWebhooks(t *testing.T) {
	t.Parallel()
	inTime(t, 1, func(t *testing.T, w *world) {
		const hooks, titles = 120, 10
		url := func(i int) string { return fmt.Sprintf("https://%d.example.org/", i) }
		hangs := map[string]bool{}
		for i := range hooks {
			w.hook(webhooks.Patch{URL: patch.Set(url(i)), Types: aboutProblems, Predicate: patch.Set(fmt.Sprintf("title ENDSWITH '%d.'", i%titles))})
			hangs[url(i)] = i%3 > 0 // 80 of them, and mostFailing have a place
		}
		w.answer = func(ctx context.Context, of string, _ int) webhook.Attempt {
			if !hangs[of] {
				time.Sleep(10 * time.Millisecond)
				return webhook.Attempt{Status: 200}
			}
			select {
			case <-time.After(15 * time.Second):
			case <-ctx.Done():
			}
			return webhook.Attempt{Err: "no answer"}
		}
		time.Sleep(5 * time.Second)
		var created []time.Time
		create := func() {
			for i := range 2 * titles {
				w.create(fmt.Sprintf("number %d.", i%titles))
				created = append(created, time.Now())
				time.Sleep(20 * time.Millisecond)
			}
		}
		create()
		time.Sleep(22 * time.Second) // a timeout, and the pause behind it
		if n := w.underWay(); n != mostFailing {
			t.Errorf("%d messages are under way to receivers that hang, want %d", n, mostFailing)
		}
		create()
		time.Sleep(5 * time.Second)
		at := map[string]time.Time{}
		for i, id := range w.happened() {
			at[id] = created[i]
		}
		for i := range hooks {
			if hangs[url(i)] {
				continue
			}
			got := w.sent(url(i))
			if len(got) != 4 {
				t.Fatalf("webhook %d got %d messages, want 4", i, len(got))
			}
			for _, r := range got {
				if took := r.at.Sub(at[r.id]); took > 2*time.Second {
					t.Errorf("webhook %d got a message after %s", i, took)
				}
			}
		}
	})
}

// A webhook goes on at a failing event as long as the feed has it. The feed may forget the events
// before it.
func TestFeedForgetsUpToTheFailingEvent(t *testing.T) {
	t.Parallel()
	inTime(t, 1, func(t *testing.T, w *world) {
		hook := w.hook(webhooks.Patch{URL: patch.Set(one), Types: patch.Set([]string{"problem.created"})})
		var repaired atomic.Bool
		w.answer = func(_ context.Context, _ string, n int) webhook.Attempt {
			if n == 1 || repaired.Load() {
				return webhook.Attempt{Status: 200}
			}
			return webhook.Attempt{Status: 500}
		}
		id := w.create("a")
		w.rename(id, "b")
		w.rename(id, "c")
		w.create("d")
		time.Sleep(time.Minute)
		_, newest, err := w.store.FeedEnds(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.store.Commit(t.Context(), store.Change{Batch: ident.ID{1}, At: w.now(), Effects: []store.Effect{store.ForgetFeed{Through: newest.Number - 1}}}); err != nil {
			t.Fatal(err)
		}
		repaired.Store(true)
		w.skip(time.Second)
		time.Sleep(time.Hour)
		all := w.sent(one)
		if p := w.webhook(hook.ID).Current(); p.State != webhook.Active || !all[len(all)-1].taken {
			t.Errorf("the webhook is %s: %s; the latest message is %+v", p.State, p.Reason, all[len(all)-1])
		}
	})
}
