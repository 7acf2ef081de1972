package memory

import (
	"context"
	"maps"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
)

// Commit implements store.Store. Its outcome is always known.
func (s *Store) Commit(ctx context.Context, change store.Change) (store.Receipt, error) {
	leave, err := s.calls.Enter(ctx)
	if err != nil {
		return store.Receipt{}, err
	}
	defer leave()
	s.writer.Lock()
	defer s.writer.Unlock()
	// Others may have been waited for.
	if err := store.Ended(ctx); err != nil {
		return store.Receipt{}, err
	}
	if known, ok := s.batches[change.Batch]; ok {
		receipt, ok := known.receipt(change.Batch)
		if !ok {
			return store.Receipt{}, fault.New(fault.Abandoned, "this batch was ruled out")
		}
		return receipt, nil
	}
	d := newDraft(s.current.Load(), s.interned, change.Batch)
	if err := d.run(change); err != nil {
		return store.Receipt{}, err
	}
	next := d.finish(change)
	receipt := store.Receipt{Batch: change.Batch, Position: next.position}
	s.reserved = max(s.reserved, d.highest)
	if !d.expired.IsZero() {
		s.forget(d.expired)
	}
	s.batches[change.Batch] = batchOf(change.At, next.position)
	s.current.Store(next)
	return receipt, nil
}

// forget removes the batches settled before the given time.
func (s *Store) forget(before time.Time) {
	maps.DeleteFunc(s.batches, func(_ ident.ID, b batch) bool { return b.time().Before(before) })
}

// Outcome implements store.Store.
func (s *Store) Outcome(ctx context.Context, id ident.ID, at time.Time) (store.Receipt, bool, error) {
	leave, err := s.calls.Enter(ctx)
	if err != nil {
		return store.Receipt{}, false, err
	}
	defer leave()
	s.writer.Lock()
	defer s.writer.Unlock()
	known, ok := s.batches[id]
	if !ok {
		known = ruledOut(at)
		s.batches[id] = known
	}
	receipt, ok := known.receipt(id)
	return receipt, ok, nil
}
