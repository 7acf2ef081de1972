package memory

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// Store is a store.Store in memory. It is made by [Open].
type Store struct {
	calls   gate
	current atomic.Pointer[state]

	writer   sync.Mutex // held while the fields below are used, and while current is replaced
	reserved problem.ID // the highest number that was reserved or used
	batches  map[ident.ID]batch
}

var _ store.Store = (*Store)(nil)

// batch is what became of a Change.
type batch struct {
	at        time.Time // of the Change, or of the ruling that it never happens
	receipt   store.Receipt
	abandoned bool
}

// Options are the settings of a Store. There are none so far.
type Options struct{}

// Open returns an empty store. It never fails.
func Open(context.Context, Options) (*Store, error) {
	s := &Store{batches: make(map[ident.ID]batch)}
	s.current.Store(&state{epochs: map[store.FamilyName]int64{}, catalogue: lazyCatalogue(0, metadata.Content{})})
	return s, nil
}

// View implements store.Store.
func (s *Store) View(ctx context.Context, fn func(store.Reader) error) error {
	if err := s.calls.enter(ctx); err != nil {
		return err
	}
	defer s.calls.leave()
	return fn(reader{s.current.Load()})
}

// Reserve implements store.Store.
func (s *Store) Reserve(ctx context.Context) (problem.ID, error) {
	if err := s.calls.enter(ctx); err != nil {
		return 0, err
	}
	defer s.calls.leave()
	s.writer.Lock()
	defer s.writer.Unlock()
	s.reserved++
	return s.reserved, nil
}

// Versions implements store.Store.
func (s *Store) Versions(ctx context.Context) (store.Versions, error) {
	if err := s.calls.enter(ctx); err != nil {
		return store.Versions{}, err
	}
	defer s.calls.leave()
	return s.current.Load().versions, nil
}

// Close implements store.Store. It waits for the calls under way, so that it
// must not be called within a View.
func (s *Store) Close() error {
	s.calls.close()
	return nil
}

// gate lets calls in until it is closed.
type gate struct {
	mu     sync.Mutex
	closed bool
	inside sync.WaitGroup
}

// enter lets a call in, which then has to leave. It refuses when the call's
// context is over, or the gate is closed.
func (g *gate) enter(ctx context.Context) error {
	if err := ended(ctx); err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return fault.New(fault.Closed, "the store in memory is closed")
	}
	g.inside.Add(1)
	return nil
}

// leave lets a call out.
func (g *gate) leave() { g.inside.Done() }

// close lets nobody in any more, and returns when all are out.
func (g *gate) close() {
	g.mu.Lock()
	g.closed = true
	g.mu.Unlock()
	g.inside.Wait()
}
