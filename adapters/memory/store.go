package memory

import (
	"context"
	"sync"
	"sync/atomic"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// Store is a store.Store in memory. It is made by [Open].
type Store struct {
	calls   store.Gate
	current atomic.Pointer[state]

	writer   sync.Mutex // held while the fields below are used, and while current is replaced
	reserved problem.ID // the highest reserved or used number
	batches  map[ident.ID]batch
	interned interned
}

var _ store.Store = (*Store)(nil)

// Options are the settings of a Store. There are none so far.
type Options struct{}

// Open returns an empty store. It never fails.
func Open(context.Context, Options) (*Store, error) {
	s := &Store{batches: map[ident.ID]batch{}, interned: newInterned()}
	s.current.Store(&state{catalogue: lazyCatalogue(ident.Version{}, metadata.Content{})})
	return s, nil
}

// View implements store.Store.
func (s *Store) View(ctx context.Context, fn func(store.Reader) error) error {
	leave, err := s.calls.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	return fn(reader{s.current.Load(), s})
}

// Reserve implements store.Store.
func (s *Store) Reserve(ctx context.Context) (problem.ID, error) {
	leave, err := s.calls.Enter(ctx)
	if err != nil {
		return 0, err
	}
	defer leave()
	s.writer.Lock()
	defer s.writer.Unlock()
	s.reserved++
	return s.reserved, nil
}

// Confirm implements store.Store. A View shows only stored Changes.
func (s *Store) Confirm(ctx context.Context, _ store.History) error {
	leave, err := s.calls.Enter(ctx)
	if err != nil {
		return err
	}
	leave()
	return nil
}

// Versions implements store.Store.
func (s *Store) Versions(ctx context.Context) (store.Versions, error) {
	leave, err := s.calls.Enter(ctx)
	if err != nil {
		return store.Versions{}, err
	}
	defer leave()
	return s.current.Load().versions, nil
}

// Close implements store.Store. It waits for the calls under way, so a View must not call
// it.
func (s *Store) Close() error {
	s.calls.Close()
	return nil
}
