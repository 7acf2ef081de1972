package observe

import (
	"context"
	"time"

	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// observed is a store with observers of its calls.
type observed struct {
	store.Store
	now       func() time.Time
	observers []func(Call)
}

// Store returns a store that does the same as s. It reports every call but Close to the
// observers, in their order, by the given clock.
func Store(s store.Store, now func() time.Time, observers ...func(Call)) store.Store {
	return &observed{s, now, observers}
}

func (s *observed) tell(ctx context.Context, c Call) {
	c.Context, c.Took = ctx, s.now().Sub(c.Start)
	if c.Err != nil {
		c.Over = ctx.Err()
	}
	for _, observe := range s.observers {
		observe(c)
	}
}

// View is the View of the store; the same holds for the methods below.
func (s *observed) View(ctx context.Context, fn func(store.Reader) error) error {
	c := Call{Name: View, Start: s.now()}
	c.Err = s.Store.View(ctx, fn)
	s.tell(ctx, c)
	return c.Err
}

func (s *observed) Versions(ctx context.Context) (store.Versions, error) {
	c := Call{Name: Versions, Start: s.now()}
	versions, err := s.Store.Versions(ctx)
	c.Err = err
	s.tell(ctx, c)
	return versions, err
}

func (s *observed) Reserve(ctx context.Context) (problem.ID, error) {
	c := Call{Name: Reserve, Start: s.now()}
	id, err := s.Store.Reserve(ctx)
	c.Err = err
	s.tell(ctx, c)
	return id, err
}

func (s *observed) Commit(ctx context.Context, change store.Change) (store.Receipt, error) {
	c := Call{Name: Commit, Start: s.now()}
	receipt, err := s.Store.Commit(ctx, change)
	c.Err = err
	s.tell(ctx, c)
	return receipt, err
}

func (s *observed) Outcome(ctx context.Context, batch ident.ID, at time.Time) (store.Receipt, bool, error) {
	c := Call{Name: Outcome, Start: s.now()}
	receipt, stored, err := s.Store.Outcome(ctx, batch, at)
	c.Err, c.Stored = err, stored
	s.tell(ctx, c)
	return receipt, stored, err
}

// Feed is the Feed of the store, and FeedEnds a call of the same name.
func (s *observed) Feed(ctx context.Context, from int64, limit int, budget int64) ([]event.Entry, error) {
	c := Call{Name: Feed, Start: s.now()}
	entries, err := s.Store.Feed(ctx, from, limit, budget)
	c.Err = err
	s.tell(ctx, c)
	return entries, err
}

func (s *observed) FeedEnds(ctx context.Context) (oldest, newest event.Entry, err error) {
	c := Call{Name: Feed, Start: s.now()}
	oldest, newest, err = s.Store.FeedEnds(ctx)
	c.Err = err
	s.tell(ctx, c)
	return oldest, newest, err
}

func (s *observed) Confirm(ctx context.Context, shown store.History) error {
	c := Call{Name: Confirm, Start: s.now()}
	c.Err = s.Store.Confirm(ctx, shown)
	s.tell(ctx, c)
	return c.Err
}

func (s *observed) Restore(ctx context.Context, archive store.Archive) error {
	c := Call{Name: Restore, Start: s.now()}
	c.Err = s.Store.Restore(ctx, archive)
	s.tell(ctx, c)
	return c.Err
}
