package kit

import (
	"context"
	"sync"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// Hooked is a store with hooks in the place of some methods; each gets the method
// that it replaces. It counts what it is asked.
type Hooked struct {
	store.Store
	OnCommit   func(next CommitFunc, c store.Change) error
	OnOutcome  func(ctx context.Context, batch ident.ID) (stored bool, err error)
	OnVersions func(context.Context) error // comes before the method
	OnConfirm  func() error                // replaces the method
	Calls      *Calls
}

// CommitFunc is the Commit of a store.
type CommitFunc func(store.Change) error

// Calls counts the calls of a store's methods. A nil *Calls does not count.
type Calls struct {
	mu                                                     sync.Mutex
	Views, Versions, Commits, Outcomes, Reserves, Confirms int
	Batches                                                []ident.ID // of the commits
}

func (c *Calls) count(n func(*Calls)) {
	if c != nil {
		c.mu.Lock()
		defer c.mu.Unlock()
		n(c)
	}
}

// View implements store.Store.
func (h *Hooked) View(ctx context.Context, fn func(store.Reader) error) error {
	h.Calls.count(func(c *Calls) { c.Views++ })
	return h.Store.View(ctx, fn)
}

// Versions implements store.Store.
func (h *Hooked) Versions(ctx context.Context) (store.Versions, error) {
	h.Calls.count(func(c *Calls) { c.Versions++ })
	if h.OnVersions != nil {
		if err := h.OnVersions(ctx); err != nil {
			return store.Versions{}, err
		}
	}
	return h.Store.Versions(ctx)
}

// Confirm implements store.Store.
func (h *Hooked) Confirm(ctx context.Context, shown store.History) error {
	h.Calls.count(func(c *Calls) { c.Confirms++ })
	if h.OnConfirm != nil {
		return h.OnConfirm()
	}
	return h.Store.Confirm(ctx, shown)
}

// Reserve implements store.Store.
func (h *Hooked) Reserve(ctx context.Context) (problem.ID, error) {
	h.Calls.count(func(c *Calls) { c.Reserves++ })
	return h.Store.Reserve(ctx)
}

// Commit implements store.Store.
func (h *Hooked) Commit(ctx context.Context, change store.Change) (receipt store.Receipt, err error) {
	h.Calls.count(func(c *Calls) { c.Commits++; c.Batches = append(c.Batches, change.Batch) })
	next := func(change store.Change) error {
		receipt, err = h.Store.Commit(ctx, change)
		return err
	}
	if h.OnCommit == nil {
		err = next(change)
	} else {
		err = h.OnCommit(next, change)
	}
	return receipt, err
}

// Outcome implements store.Store.
func (h *Hooked) Outcome(ctx context.Context, batch ident.ID, at time.Time) (store.Receipt, bool, error) {
	h.Calls.count(func(c *Calls) { c.Outcomes++ })
	if h.OnOutcome != nil {
		stored, err := h.OnOutcome(ctx, batch)
		return store.Receipt{Batch: batch}, stored, err
	}
	return h.Store.Outcome(ctx, batch, at)
}

// Once returns a commit hook that runs before the first Commit only.
func Once(before func()) func(CommitFunc, store.Change) error {
	return func(next CommitFunc, c store.Change) error {
		if before != nil {
			now := before
			before = nil
			now()
		}
		return next(c)
	}
}
