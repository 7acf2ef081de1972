package tracker

import (
	"context"
	"crypto/rand"
	"sync"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// fakeClock is a clock that the test moves.
type fakeClock struct {
	mu sync.Mutex
	at time.Time
}

func newClock() *fakeClock { return &fakeClock{at: noon} }

func (c *fakeClock) now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at
}

// forward moves the clock; back, when d is negative.
func (c *fakeClock) forward(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.at = c.at.Add(d)
}

// newServer returns a service like that of one server process.
func newServer(s store.Store, c *fakeClock) *Service {
	return New(Options{Store: s, Now: c.now, Random: rand.Reader, Limits: DefaultLimits()})
}

// service is a service on a store in memory that was seeded, as the administrator
// uses it.
type service struct {
	*Service
	memory *memory
	clock  *fakeClock
	admin  Caller
}

func newService(t testing.TB) service {
	t.Helper()
	s := service{memory: newMemory(), clock: newClock()}
	s.Service = newServer(s.memory, s.clock)
	if _, err := s.Seed(t.Context(), testSecret); err != nil {
		t.Fatal(err)
	}
	var err error
	if s.admin, err = s.Authenticate(t.Context(), testSecret); err != nil {
		t.Fatal(err)
	}
	return s
}

// behind returns the same service with hooks before its store.
func (s service) behind(h hooked) service {
	h.Store = s.memory
	s.Service = newServer(&h, s.clock)
	return s
}

// create creates a problem and returns its number.
func (s service) create(t testing.TB, title string) problem.ID {
	t.Helper()
	a, err := s.CreateProblem(t.Context(), s.admin, CreateProblem{ProblemPatch: titled(title)})
	if err != nil {
		t.Fatal(err)
	}
	return a.Value.ID
}

// load returns a problem with all its parts.
func (s service) load(t *testing.T, id problem.ID) snapshot.Snapshot {
	t.Helper()
	a, err := s.As(s.admin).Problem(t.Context(), id, ^snapshot.Parts(0))
	if err != nil {
		t.Fatal(err)
	}
	return a.Value
}

// issue creates a token for the administrator.
func (s service) issue(t *testing.T, scope access.Scope) IssuedToken {
	t.Helper()
	a, err := s.CreateToken(t.Context(), s.admin, CreateToken{
		User:  partial(object{"identifier": s.admin.User.String()}),
		Scope: patch.Set(string(scope)),
	})
	if err != nil {
		t.Fatal(err)
	}
	return a.Value
}

func (s service) tokens(t *testing.T) []access.Token {
	t.Helper()
	a, err := s.Tokens(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return a.Value
}

// hooked is a store with hooks in the place of some methods; each gets the method
// that it replaces. It counts what it is asked.
type hooked struct {
	store.Store
	commit   func(next commitFunc, c store.Change) error
	outcome  func(ctx context.Context, batch ident.ID) (stored bool, err error)
	versions func(context.Context) error // comes before the method
	confirm  func() error                // replaces the method
	calls    *calls
}

type commitFunc func(store.Change) error

// calls counts the calls of a store's methods. A nil *calls does not count.
type calls struct {
	mu                                                     sync.Mutex
	views, versions, commits, outcomes, reserves, confirms int
	batches                                                []ident.ID // of the commits
}

func (c *calls) count(n func(*calls)) {
	if c != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		n(c)
	}
}

func (h *hooked) View(ctx context.Context, fn func(store.Reader) error) error {
	h.calls.count(func(c *calls) { c.views++ })
	return h.Store.View(ctx, fn)
}

func (h *hooked) Versions(ctx context.Context) (store.Versions, error) {
	h.calls.count(func(c *calls) { c.versions++ })
	if h.versions != nil {
		if err := h.versions(ctx); err != nil {
			return store.Versions{}, err
		}
	}
	return h.Store.Versions(ctx)
}

func (h *hooked) Confirm(ctx context.Context, shown store.History) error {
	h.calls.count(func(c *calls) { c.confirms++ })
	if h.confirm != nil {
		return h.confirm()
	}
	return h.Store.Confirm(ctx, shown)
}

func (h *hooked) Reserve(ctx context.Context) (problem.ID, error) {
	h.calls.count(func(c *calls) { c.reserves++ })
	return h.Store.Reserve(ctx)
}

func (h *hooked) Commit(ctx context.Context, change store.Change) (receipt store.Receipt, err error) {
	h.calls.count(func(c *calls) { c.commits++; c.batches = append(c.batches, change.Batch) })
	next := func(change store.Change) error {
		receipt, err = h.Store.Commit(ctx, change)
		return err
	}
	if h.commit == nil {
		err = next(change)
	} else {
		err = h.commit(next, change)
	}
	return receipt, err
}

func (h *hooked) Outcome(ctx context.Context, batch ident.ID, at time.Time) (store.Receipt, bool, error) {
	h.calls.count(func(c *calls) { c.outcomes++ })
	if h.outcome != nil {
		stored, err := h.outcome(ctx, batch)
		return store.Receipt{Batch: batch}, stored, err
	}
	return h.Store.Outcome(ctx, batch, at)
}
