package webhookworker

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/problemtracking/problems/adapters/memory"
	"github.com/problemtracking/problems/app/internal/background"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/tracker/usecases"
	"github.com/problemtracking/problems/domain/tracker/webhooks"
	"github.com/problemtracking/problems/domain/webhook"
)

// received is a message at a receiver.
type received struct {
	url, id string
	at      time.Time
	end     time.Time // zero while it is under way
	taken   bool      // with success
	server  int
}

// world is some servers on one store, and the receivers of their webhooks. Time is
// virtual.
type world struct {
	t       *testing.T
	store   store.Store
	alone   bool          // no other server can use the store
	begin   func(*server) // prepares each further server; nil: nothing does
	servers []*server
	admin   tracker.Caller
	key     webhook.Key
	step    atomic.Int64 // of the clocks of all servers, against the right time

	mu      sync.Mutex
	answer  func(ctx context.Context, url string, n int) webhook.Attempt // to the n-th message to a URL, from 1
	arrived []received
	counts  map[string]int
}

// link is the state of a server's connection to the store.
type link int32

const (
	up      link = iota
	refused      // each call fails at once
	hanging      // no call is answered until the connection is up again
)

// server is one server with its own connection to the store.
type server struct {
	store.Store
	*usecases.All
	worker  *Worker
	link    atomic.Int32
	latency atomic.Int64 // of each call to the store
	commits atomic.Int64
	keyless atomic.Bool               // it has no key behind the secrets
	other   atomic.Bool               // it has another key than the other servers
	blind   atomic.Bool               // it cannot read the list of webhooks
	missed  atomic.Pointer[time.Time] // when it could not read the list for the first time
	log     bytes.Buffer
	kill    func() // ends it without a last word to the store
	stop    func() // ends it in order
}

func (s *server) connect(to link) { s.link.Store(int32(to)) }

var errAway = fault.New(fault.Unavailable, "the store is away")

// reach fails when the store cannot be reached.
func (s *server) reach(ctx context.Context) error {
	if d := s.latency.Load(); d > 0 {
		select {
		case <-ctx.Done():
			return store.Ended(ctx)
		case <-time.After(time.Duration(d)):
		}
	}
	for link(s.link.Load()) == hanging {
		select {
		case <-ctx.Done():
			return store.Ended(ctx)
		case <-time.After(100 * time.Millisecond):
		}
	}
	if link(s.link.Load()) == refused {
		return errAway
	}
	return nil
}

func (s *server) View(ctx context.Context, fn func(store.Reader) error) error {
	if err := s.reach(ctx); err != nil {
		return err
	}
	if !s.blind.Load() {
		return s.Store.View(ctx, fn)
	}
	return s.Store.View(ctx, func(r store.Reader) error { return fn(blindReader{r, s}) })
}

// blindReader cannot read the list of webhooks.
type blindReader struct {
	store.Reader
	server *server
}

func (r blindReader) Webhooks(context.Context, int, int) ([]webhook.Webhook, error) {
	now := time.Now()
	r.server.missed.CompareAndSwap(nil, &now)
	return nil, errAway
}

// Commit loses the answer when the connection hangs.
func (s *server) Commit(ctx context.Context, c store.Change) (store.Receipt, error) {
	hung := link(s.link.Load()) == hanging
	if err := s.reach(ctx); err != nil {
		if hung {
			return store.Receipt{}, fault.Wrap(fault.UnknownOutcome, err, "the store has not answered")
		}
		return store.Receipt{}, err
	}
	s.commits.Add(1)
	return s.Store.Commit(ctx, c)
}

func (s *server) Outcome(ctx context.Context, batch ident.ID, at time.Time) (store.Receipt, bool, error) {
	if err := s.reach(ctx); err != nil {
		return store.Receipt{}, false, err
	}
	return s.Store.Outcome(ctx, batch, at)
}

func (s *server) Feed(ctx context.Context, from int64, limit int, budget int64) ([]event.Entry, error) {
	if err := s.reach(ctx); err != nil {
		return nil, err
	}
	return s.Store.Feed(ctx, from, limit, budget)
}

func (s *server) FeedEnds(ctx context.Context) (oldest, newest event.Entry, err error) {
	if err := s.reach(ctx); err != nil {
		return event.Entry{}, event.Entry{}, err
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
	w.arrived[i].end, w.arrived[i].taken = time.Now(), a.Succeeded()
	return a
}

// inTime runs a test with some servers on one store, in virtual time.
func inTime(t *testing.T, servers int, test func(t *testing.T, w *world)) {
	t.Helper()
	run(t, servers, false, test)
}

// aloneInTime runs a test with one server, whose store no other server can use.
func aloneInTime(t *testing.T, test func(t *testing.T, w *world)) {
	t.Helper()
	run(t, 1, true, test)
}

func run(t *testing.T, servers int, alone bool, test func(t *testing.T, w *world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s, err := memory.Open(t.Context(), memory.Options{})
		if err != nil {
			t.Fatal(err)
		}
		w := &world{t: t, store: s, alone: alone, key: webhook.NewKey([32]byte{1}), counts: map[string]int{}}
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
		defer func() { // also of a failed test: else it would end with a deadlock
			for _, s := range w.servers {
				s.stop()
			}
			synctest.Wait()
		}()
		test(t, w)
	})
}

// serve starts a server, which delivers when it can.
func (w *world) serve(i int) *server {
	s := &server{Store: w.store}
	s.All = usecases.New(tracker.Options{
		Store: s, Now: w.now, Random: rand.Reader, Limits: tracker.DefaultLimits(),
		WebhookKey: func() (webhook.Key, error) {
			if s.keyless.Load() {
				return webhook.Key{}, errors.New("there is no file")
			}
			if s.other.Load() {
				return webhook.NewKey([32]byte{2}), nil
			}
			return w.key, nil
		},
	}, senderOf{w, i})
	s.worker = New(Options{
		Service: s.Webhooks, Alone: w.alone, Now: w.now, Logger: slog.New(slog.NewTextHandler(&s.log, nil)),
		Encode: func(_ *metadata.Catalogue, v tracker.PublishedEvent) []byte {
			return []byte(`{"identifier":"` + v.Cursor.String() + `"}`)
		},
	})
	if w.begin != nil {
		w.begin(s)
	}
	s.stop = background.Run(s.worker.Run)
	s.kill = func() { s.connect(refused); s.stop() }
	return s
}

// skip lets time pass while no server runs. A running one looks at its webhooks four times a
// second, and a day of that takes long.
func (w *world) skip(d time.Duration) {
	for _, s := range w.servers {
		s.stop()
	}
	time.Sleep(d)
	for i := range w.servers {
		w.servers[i] = w.serve(i)
	}
}

// now is the clock of all servers.
func (w *world) now() time.Time { return time.Now().Add(time.Duration(w.step.Load())) }

// user makes an administrator.
func (w *world) user(name string) tracker.Caller {
	w.t.Helper()
	a, err := w.servers[0].Users().Create(w.t.Context(), w.admin, admin.CreateObject[admin.UserPatch]{
		Patch: admin.UserPatch{Name: patch.Set(name), Email: patch.Set(name + "@example.org")},
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return tracker.Caller{User: a.Value.ID, Scope: access.Admin}
}

func (w *world) hook(patched webhooks.Patch) webhook.Webhook {
	w.t.Helper()
	return w.hookOf(w.admin, patched)
}

func (w *world) hookOf(owner tracker.Caller, patched webhooks.Patch) webhook.Webhook {
	w.t.Helper()
	return w.hookAt(w.servers[0], owner, patched)
}

// hookAt makes a webhook by a server, and so with its key.
func (w *world) hookAt(s *server, owner tracker.Caller, patched webhooks.Patch) webhook.Webhook {
	w.t.Helper()
	a, err := s.Webhooks.Create(w.t.Context(), owner, webhooks.Create{Patch: patched})
	if err != nil {
		w.t.Fatal(err)
	}
	return a.Value.Webhook
}

func (w *world) change(id ident.ID, cmd webhooks.Update) {
	w.t.Helper()
	if _, err := w.servers[0].Webhooks.Update(w.t.Context(), w.admin, id, cmd); err != nil {
		w.t.Fatal(err)
	}
}

// webhook returns a webhook as it is stored.
func (w *world) webhook(id ident.ID) webhook.Webhook {
	w.t.Helper()
	a, err := w.servers[len(w.servers)-1].Webhooks.Load(w.t.Context(), id)
	if err != nil {
		w.t.Fatal(err)
	}
	return a.Value.Webhook
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

// underWay returns the number of messages without an end.
func (w *world) underWay() (n int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, r := range w.arrived {
		if r.end.IsZero() {
			n++
		}
	}
	return n
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
	f, err := w.servers[len(w.servers)-1].As(tracker.Caller{}).Follow(w.t.Context(), tracker.Follow{Limit: 1000})
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
