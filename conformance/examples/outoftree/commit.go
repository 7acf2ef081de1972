package boltstore

import (
	"context"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
)

// batch is the outcome of a Change.
type batch struct {
	At       time.Time // of the Change, or of the ruling against it
	Position int64     // 0: it never happens
}

// Commit implements store.Store.
func (s *Store) Commit(ctx context.Context, change store.Change) (store.Receipt, error) {
	var receipt store.Receipt
	ended, err := s.begin(ctx, func(c contents) (err error) {
		receipt, err = c.commit(change)
		return err
	})
	switch {
	case !ended: // the receipt is still to be written
		return store.Receipt{}, fault.New(fault.UnknownOutcome, "the time ran out while the change was written")
	case err != nil:
		return store.Receipt{}, err
	}
	return receipt, nil
}

// commit applies the Change, unless its batch is known.
func (c contents) commit(change store.Change) (store.Receipt, error) {
	known, ok, err := get[batch](c, batches, change.Batch[:])
	switch {
	case err != nil:
		return store.Receipt{}, err
	case ok && known.Position == 0:
		return store.Receipt{}, fault.New(fault.Abandoned, "this batch was ruled out")
	case ok:
		return store.Receipt{Batch: change.Batch, Position: known.Position}, nil
	}
	for _, expectation := range change.Expect {
		if err := c.expect(expectation); err != nil {
			return store.Receipt{}, err
		}
	}
	if err := c.apply(change); err != nil {
		return store.Receipt{}, err
	}
	position, err := c.in(batches).NextSequence()
	if err != nil {
		return store.Receipt{}, failure(err)
	}
	settled := batch{At: change.At, Position: int64(position)}
	receipt := store.Receipt{Batch: change.Batch, Position: settled.Position}
	return receipt, c.keep(batches, change.Batch[:], change.At, settled)
}

// Outcome implements store.Store. It waits for the end of a Commit under way, or for its
// deadline. A batch may be visible and not durable, because its Commit failed to sync it.
// So Outcome commits a transaction too: it makes everything visible durable.
func (s *Store) Outcome(ctx context.Context, id ident.ID, at time.Time) (store.Receipt, bool, error) {
	var known batch
	ended, err := s.begin(ctx, func(c contents) (err error) {
		var ok bool
		if known, ok, err = get[batch](c, batches, id[:]); err != nil || ok {
			return err
		}
		return c.keep(batches, id[:], at, batch{At: at})
	})
	switch {
	case !ended:
		return store.Receipt{}, false, overdue()
	case err != nil || known.Position == 0:
		return store.Receipt{}, false, err
	}
	return store.Receipt{Batch: id, Position: known.Position}, true, nil
}

// overdue is the error after a deadline without an answer.
func overdue() error {
	return fault.New(fault.Unavailable, "the time ran out before the store could answer")
}

// begin calls write, and waits for its end or for the deadline of ctx. At the deadline,
// write goes on and ended is false: the caller must not read the results of fn then.
func (s *Store) begin(ctx context.Context, fn func(contents) error) (ended bool, err error) {
	begun, done := make(chan struct{}), make(chan error, 1)
	go func() {
		done <- s.write(ctx, func(c contents) error {
			close(begun)
			return fn(c)
		})
	}()
	select {
	case err := <-done: // it was not begun, or is over
		return true, err
	case <-begun:
		return store.Await(ctx, done)
	}
}

// write calls fn in a transaction, and commits it unless fn fails: bbolt has then written
// everything to the disk. The context counts only during the wait for another writer.
// bbolt itself would wait without an end.
func (s *Store) write(ctx context.Context, fn func(contents) error) error {
	leave, err := s.calls.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	select {
	case s.writer <- struct{}{}:
		defer func() { <-s.writer }()
	case <-ctx.Done():
		return store.Ended(ctx)
	}
	tx, err := s.db.Begin(true)
	if err != nil {
		return failure(err)
	}
	defer func() { _ = tx.Rollback() }() // does nothing after Commit
	if err := fn(contents{tx}); err != nil {
		return err
	}
	return commitFailure(tx.Commit())
}

// Confirm implements store.Store. bbolt shows a transaction to readers a moment before
// syncing it, and never retries a failed sync. So this commits a transaction of its own:
// it makes everything visible durable.
func (s *Store) Confirm(ctx context.Context, _ store.History) error {
	ended, err := s.begin(ctx, func(contents) error { return nil })
	if !ended {
		return overdue()
	}
	if fault.Is(err, fault.UnknownOutcome) {
		return fault.Wrap(fault.Unavailable, err, "the store could not confirm what it shows")
	}
	return err
}
