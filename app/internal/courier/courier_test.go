package courier

import (
	"context"
	"crypto/rand"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/problemtracking/problems/adapters/memory"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/webhook"
)

// received is a message at a receiver.
type received struct {
	url, id string
	at      time.Time
	end     time.Time // zero while it is under way
	server  int
}

// world is some servers on one store, and the receivers of their webhooks. Time is
// virtual.
type world struct {
	t       *testing.T
	store   store.Store
	servers []*server
	admin   tracker.Caller
	key     webhook.Key
	start   time.Time

	mu      sync.Mutex
	answer  func(ctx context.Context, url string, n int) webhook.Attempt // to the n-th message to a URL, from 1
	arrived []received
	counts  map[string]int
}

// server is one server. Its connection to the store can be cut.
type server struct {
	store.Store
	*tracker.Service
	courier *Courier
	cut     atomic.Bool
	stop    func()
}

var errCut = fault.New(fault.Unavailable, "the store is away")

func (s *server) View(ctx context.Context, fn func(store.Reader) error) error {
	if s.cut.Load() {
		return errCut
	}
	return s.Store.View(ctx, fn)
}

func (s *server) Commit(ctx context.Context, c store.Change) (store.Receipt, error) {
	if s.cut.Load() {
		return store.Receipt{}, errCut
	}
	return s.Store.Commit(ctx, c)
}

func (s *server) Feed(ctx context.Context, from int64, limit int, budget int64) ([]event.Entry, error) {
	if s.cut.Load() {
		return nil, errCut
	}
	return s.Store.Feed(ctx, from, limit, budget)
}

func (s *server) FeedEnds(ctx context.Context) (oldest, newest event.Entry, err error) {
	if s.cut.Load() {
		return event.Entry{}, event.Entry{}, errCut
	}
	return s.Store.FeedEnds(ctx)
}

// senderOf is the sender of one server.
type senderOf struct {
	w      *world
	server int
}

func (s senderOf) Send(ctx context.Context, url string, m webhook.Message) webhook.Attempt {
	w := s.w
	w.mu.Lock()
	i := len(w.arrived)
	w.arrived = append(w.arrived, received{url: url, id: m.ID, at: time.Now(), server: s.server})
	w.counts[url]++
	n, answer := w.counts[url], w.answer
	w.mu.Unlock()
	begun := time.Now()
	a := webhook.Attempt{Status: 200}
	if answer != nil {
		a = answer(ctx, url, n)
	}
	a.Duration = time.Since(begun)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.arrived[i].end = time.Now()
	return a
}

// inTime runs a test with some servers in virtual time.
func inTime(t *testing.T, servers int, test func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s, err := memory.Open(t.Context(), memory.Options{})
		if err != nil {
			t.Fatal(err)
		}
		w := &world{t: t, store: s, key: webhook.NewKey([32]byte{1}), counts: map[string]int{}, start: time.Now()}
		for i := range servers {
			w.servers = append(w.servers, w.serve(i))
		}
		secret := access.NewSecret([32]byte{31: 1})
		if _, err := w.servers[0].Seed(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
		if w.admin, err = w.servers[0].Authenticate(t.Context(), secret); err != nil {
			t.Fatal(err)
		}
		test(t, w)
		for _, s := range w.servers {
			s.stop()
		}
		synctest.Wait()
	})
}

// serve starts a server, which delivers when it can.
func (w *world) serve(i int) *server {
	s := &server{Store: w.store}
	s.Service = tracker.New(tracker.Options{
		Store: s, Now: time.Now, Random: rand.Reader, Limits: tracker.DefaultLimits(), Sender: senderOf{w, i},
		WebhookKey: func() (webhook.Key, error) { return w.key, nil },
	})
	s.courier = New(Options{
		Service: s.Service, Logger: slog.New(slog.DiscardHandler),
		Encode: func(_ *metadata.Catalogue, v tracker.PublishedEvent) []byte {
			return []byte(`{"identifier":"` + v.Cursor.String() + `"}`)
		},
	})
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { s.courier.Run(ctx) })
	s.stop = func() { cancel(); running.Wait() }
	return s
}

func (w *world) hook(patched tracker.WebhookPatch) webhook.Webhook {
	w.t.Helper()
	a, err := w.servers[0].CreateWebhook(w.t.Context(), w.admin, tracker.CreateWebhook{WebhookPatch: patched})
	if err != nil {
		w.t.Fatal(err)
	}
	return a.Value.Webhook
}

func (w *world) change(id ident.ID, cmd tracker.ChangeWebhook) {
	w.t.Helper()
	if _, err := w.servers[0].ChangeWebhook(w.t.Context(), w.admin, id, cmd); err != nil {
		w.t.Fatal(err)
	}
}

// webhook returns a webhook as it is stored.
func (w *world) webhook(id ident.ID) webhook.Webhook {
	w.t.Helper()
	a, err := w.servers[len(w.servers)-1].Webhook(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return a.Value
}

func (w *world) create(title string) problem.ID {
	w.t.Helper()
	a, err := w.servers[0].CreateProblem(w.t.Context(), w.admin, tracker.CreateProblem{ProblemPatch: tracker.ProblemPatch{Title: patch.Set(title)}})
	if err != nil {
		w.t.Fatal(err)
	}
	return a.Value.ID
}

// sent returns the messages to a URL.
func (w *world) sent(url string) (all []received) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.arrived {
		if r.url == url {
			all = append(all, r)
		}
	}
	return all
}

func ids(all []received) (ids []string) {
	for _, r := range all {
		ids = append(ids, r.id)
	}
	return ids
}

// happened returns the identifiers of the events of problems, in the order of the feed.
func (w *world) happened() (ids []string) {
	w.t.Helper()
	f, err := w.servers[len(w.servers)-1].Follow(w.t.Context(), tracker.Caller{}, tracker.Follow{Limit: 1000})
	if err != nil {
		w.t.Fatal(err)
	}
	defer f.Close()
	for {
		p, err := f.Next(w.t.Context())
		if err != nil {
			w.t.Fatal(err)
		}
		for _, v := range p.Events {
			ids = append(ids, v.Cursor.String())
		}
		if p.End {
			return ids
		}
	}
}

var aboutProblems = patch.Set([]string{"problem.created", "problem.changed"})

const one, other = "https://one.example.org/", "https://other.example.org/"

func TestDeliversInOrder(t *testing.T) {
	t.Parallel()
	inTime(t, 1, func(t *testing.T, w *world) {
		w.create("before")
		w.hook(tracker.WebhookPatch{URL: patch.Set(one), Types: aboutProblems})
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
		w.hook(tracker.WebhookPatch{URL: patch.Set(one), Types: patch.Set([]string{"problem.created"}), Predicate: patch.Set("title CONTAINS 'lamp'")})
		w.hook(tracker.WebhookPatch{URL: patch.Set(other), Predicate: patch.Set("watching = YES")})
		w.hook(tracker.WebhookPatch{URL: patch.Set("https://all.example.org/")})
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
		hook := w.hook(tracker.WebhookPatch{URL: patch.Set(one), Types: aboutProblems})
		w.hook(tracker.WebhookPatch{URL: patch.Set(other), Types: aboutProblems})
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
		waits := w.hook(tracker.WebhookPatch{URL: patch.Set(one), Types: aboutProblems})
		parks := w.hook(tracker.WebhookPatch{URL: patch.Set(other), Types: aboutProblems, OnFailure: patch.Set("park")})
		w.answer = func(_ context.Context, _ string, n int) webhook.Attempt {
			if n <= 10 {
				return webhook.Attempt{Err: "no answer"}
			}
			return webhook.Attempt{Status: 200}
		}
		w.create("first")
		w.create("second")
		time.Sleep(5 * 24 * time.Hour)
		want := w.happened()
		if p := w.webhook(waits.ID).Current(); p.State != webhook.Waiting || p.Cursor == (event.Cursor{}) || len(w.sent(one)) != 10 {
			t.Errorf("it did not wait: %d messages, %+v", len(w.sent(one)), p)
		}
		if p := w.webhook(parks.ID).Current(); p.State != webhook.Active || p.Parked != 1 || p.Cursor.String() != want[1] || len(w.sent(other)) != 11 {
			t.Errorf("it did not park: %d messages, %+v", len(w.sent(other)), p)
		}
		// Nothing is lost: the one that waits goes on where it was.
		w.change(waits.ID, tracker.ChangeWebhook{Active: patch.Set(true)})
		time.Sleep(5 * time.Second)
		if got := ids(w.sent(one))[10:]; !slices.Equal(got, want) {
			t.Errorf("after it was resumed, it got %v, want %v", got, want)
		}
	})
}

func TestReplay(t *testing.T) {
	t.Parallel()
	inTime(t, 1, func(t *testing.T, w *world) {
		hook := w.hook(tracker.WebhookPatch{URL: patch.Set(one), Types: aboutProblems})
		for i := range 5 {
			w.create(fmt.Sprint(i))
		}
		time.Sleep(3 * time.Second)
		want := w.happened()
		w.change(hook.ID, tracker.ChangeWebhook{Cursor: patch.Set(want[1])})
		time.Sleep(3 * time.Second)
		if got := ids(w.sent(one)); !slices.Equal(got, slices.Concat(want, want[2:])) {
			t.Errorf("the messages are %v, want all, and those behind the second again", got)
		}
		w.change(hook.ID, tracker.ChangeWebhook{Cursor: patch.Set(tracker.CursorOldest)})
		time.Sleep(3 * time.Second)
		if got := ids(w.sent(one)); !slices.Equal(got, slices.Concat(want, want[2:], want)) {
			t.Errorf("the messages are %v, want all of them again", got)
		}
	})
}

func TestEndsOfAWebhook(t *testing.T) {
	t.Parallel()
	inTime(t, 1, func(t *testing.T, w *world) {
		gone := w.hook(tracker.WebhookPatch{URL: patch.Set("https://gone.example.org/")})
		deleted := w.hook(tracker.WebhookPatch{URL: patch.Set(one), Types: aboutProblems})
		stopped := w.hook(tracker.WebhookPatch{URL: patch.Set(other), Types: aboutProblems})
		w.answer = func(_ context.Context, url string, _ int) webhook.Attempt {
			if strings.Contains(url, "gone") {
				return webhook.Attempt{Status: 410}
			}
			return webhook.Attempt{Status: 200}
		}
		w.create("first")
		time.Sleep(3 * time.Second)
		if p := w.webhook(gone.ID).Current(); p.State != webhook.Stopped || !strings.Contains(p.Reason, "410") {
			t.Errorf("after 410: %+v", p)
		}
		if _, err := w.servers[0].DeleteWebhook(t.Context(), w.admin, deleted.ID, tracker.Write{}); err != nil {
			t.Fatal(err)
		}
		w.change(stopped.ID, tracker.ChangeWebhook{Active: patch.Set(false)})
		time.Sleep(time.Second)
		w.create("second")
		time.Sleep(time.Minute)
		if n, m, k := len(w.sent(one)), len(w.sent(other)), len(w.sent("https://gone.example.org/")); n != 1 || m != 1 || k != 1 {
			t.Errorf("the deleted one got %d messages, the stopped one %d, the gone one %d, want 1 each", n, m, k)
		}
		w.change(stopped.ID, tracker.ChangeWebhook{Active: patch.Set(true)})
		time.Sleep(3 * time.Second)
		if got := ids(w.sent(other)); !slices.Equal(got, w.happened()) {
			t.Errorf("the resumed one got %v", got)
		}
	})
}

func TestOwnerIsDeactivated(t *testing.T) {
	t.Parallel()
	inTime(t, 1, func(t *testing.T, w *world) {
		a, err := w.servers[0].Users().Create(t.Context(), w.admin, tracker.CreateObject[tracker.UserPatch]{
			Patch: tracker.UserPatch{Name: patch.Set("Bo"), Email: patch.Set("bo@example.org")},
		})
		if err != nil {
			t.Fatal(err)
		}
		bo := tracker.Caller{User: a.Value.ID, Scope: access.Admin}
		hook, err := w.servers[0].CreateWebhook(t.Context(), bo, tracker.CreateWebhook{WebhookPatch: tracker.WebhookPatch{URL: patch.Set(one), Types: aboutProblems}})
		if err != nil {
			t.Fatal(err)
		}
		w.create("first")
		time.Sleep(3 * time.Second)
		if _, err := w.servers[0].Users().Update(t.Context(), w.admin, bo.User, tracker.UpdateObject[tracker.UserPatch]{Patch: tracker.UserPatch{Inactive: patch.Set(true)}}); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Second)
		w.create("second")
		time.Sleep(time.Minute)
		if p := w.webhook(hook.Value.ID).Current(); len(w.sent(one)) != 1 || p.State != webhook.Stopped || p.Reason != webhook.OwnerInactive {
			t.Errorf("%d messages, %+v", len(w.sent(one)), p)
		}
	})
}

// The work moves within ten seconds when a server dies, and no message is lost.
func TestDeathOfAServer(t *testing.T) {
	t.Parallel()
	inTime(t, 2, func(t *testing.T, w *world) {
		w.hook(tracker.WebhookPatch{URL: patch.Set(one), Types: aboutProblems})
		time.Sleep(10 * time.Second)
		w.create("first")
		time.Sleep(3 * time.Second)
		got := w.sent(one)
		if len(got) != 1 {
			t.Fatalf("%d messages, want 1", len(got))
		}
		holder := got[0].server
		w.servers[holder].cut.Store(true)
		w.servers[0], w.servers[1] = w.servers[1-holder], w.servers[holder] // the first is the living one
		died := time.Now()
		w.create("second")
		time.Sleep(30 * time.Second)
		w.servers[1].cut.Store(false)
		got = w.sent(one)
		want := w.happened()
		if last := got[len(got)-1]; last.id != want[1] || last.server == holder && last.at.Sub(died) > 5*time.Second {
			t.Fatalf("the last message is %+v, want the second event", last)
		}
		var moved time.Time
		for _, r := range got {
			if r.server != holder && moved.IsZero() {
				moved = r.at
			}
			if r.server == holder && !moved.IsZero() {
				t.Errorf("the dead server delivers after the other has begun: %+v", r)
			}
		}
		if moved.IsZero() || moved.Sub(died) > 10*time.Second {
			t.Errorf("the work has moved after %s", moved.Sub(died))
		}
		if slices.Compact(ids(got))[0] != want[0] || !slices.Equal(slices.Compact(slices.Sorted(slices.Values(ids(got)))), slices.Sorted(slices.Values(want))) {
			t.Errorf("the messages are %v, want %v", ids(got), want)
		}
	})
}

// A server that stops in order gives the work to another one at once.
func TestStopOfAServer(t *testing.T) {
	t.Parallel()
	inTime(t, 2, func(t *testing.T, w *world) {
		w.hook(tracker.WebhookPatch{URL: patch.Set(one), Types: aboutProblems})
		time.Sleep(10 * time.Second)
		w.create("first")
		time.Sleep(3 * time.Second)
		holder := w.sent(one)[0].server
		w.servers[holder].stop()
		stopped := time.Now()
		w.create("second")
		time.Sleep(10 * time.Second)
		got := w.sent(one)
		if last := got[len(got)-1]; len(got) != 2 || last.server == holder || last.at.Sub(stopped) > 3*time.Second {
			t.Errorf("the messages are %+v", got)
		}
	})
}

// Receivers that hang do not hold up the others, and cost a bounded number of goroutines.
func TestManyWebhooks(t *testing.T) {
	t.Parallel()
	inTime(t, 1, func(t *testing.T, w *world) {
		const hooks = 240
		url := func(i int) string { return fmt.Sprintf("https://%d.example.org/", i) }
		for i := range hooks {
			w.hook(tracker.WebhookPatch{URL: patch.Set(url(i)), Types: aboutProblems, Predicate: patch.Set(fmt.Sprintf("title ENDSWITH '%d.'", i%50))})
		}
		w.answer = func(ctx context.Context, of string, _ int) webhook.Attempt {
			var i int
			_, _ = fmt.Sscanf(of, "https://%d.", &i)
			if i%3 == 0 {
				select {
				case <-time.After(15 * time.Second):
				case <-ctx.Done():
				}
				return webhook.Attempt{Err: "no answer"}
			}
			time.Sleep(10 * time.Millisecond)
			return webhook.Attempt{Status: 200}
		}
		time.Sleep(5 * time.Second)
		idle := runtime.NumGoroutine()
		created := map[string]time.Time{}
		for i := range 100 {
			w.create(fmt.Sprintf("number %d.", i%50))
			created[w.happened()[i]] = time.Now()
			time.Sleep(20 * time.Millisecond)
			if n := runtime.NumGoroutine(); n > idle+hooks/3+200 {
				t.Fatalf("%d goroutines, %d when nothing happens", n, idle)
			}
		}
		time.Sleep(10 * time.Second)
		late := 0
		for i := range hooks {
			if i%3 == 0 {
				continue
			}
			got := w.sent(url(i))
			if len(got) < 2 {
				t.Fatalf("webhook %d got %d messages, want 2", i, len(got))
			}
			for _, r := range got {
				if r.at.Sub(created[r.id]) > 2*time.Second {
					late++
				}
			}
		}
		if late > 0 {
			t.Errorf("%d messages came later than 2 seconds", late)
		}
	})
}

// A key that is not the one behind the secret sends nothing: the copy of a store in another
// place does not call the receivers.
func TestAnotherKey(t *testing.T) {
	t.Parallel()
	inTime(t, 1, func(t *testing.T, w *world) {
		hook := w.hook(tracker.WebhookPatch{URL: patch.Set(one), Types: aboutProblems})
		w.key = webhook.NewKey([32]byte{2})
		w.create("first")
		time.Sleep(3 * time.Second)
		p := w.webhook(hook.ID).Current()
		if len(w.sent(one)) != 0 || len(p.Deliveries) != 1 || !strings.Contains(p.Deliveries[0].Error, "another key") {
			t.Errorf("%d messages, %+v", len(w.sent(one)), p)
		}
	})
}
