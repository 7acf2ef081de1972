package webhookworker

import (
	"context"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/app/internal/background"
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/webhooks"
)

// hold is the lease of a round. It is renewed by a goroutine of its own: a long read of the
// store must not lose it. Its methods may be called from many goroutines.
type hold struct {
	deliverer *webhooks.Deliverer
	alone     bool                      // no other server can take the lease
	one       chan struct{}             // has an element during a renewal
	guard     *time.Timer               // ends the round unless the lease was renewed; nil: alone
	renewed   atomic.Pointer[time.Time] // when the latest renewal began
	taken     atomic.Bool               // by another server
}

// newHold returns the hold of a lease taken at the given time. end ends the round.
func newHold(deliverer *webhooks.Deliverer, alone bool, taken time.Time, end func()) *hold {
	h := &hold{deliverer: deliverer, alone: alone, one: make(chan struct{}, 1)}
	h.renewed.Store(&taken)
	if !alone {
		h.guard = time.AfterFunc(time.Until(taken.Add(lease.Hold)), end)
	}
	return h
}

// keep renews the lease until ctx ends, or until another server has it.
func (h *hold) keep(ctx context.Context) {
	for !h.alone && ctx.Err() == nil && !h.taken.Load() {
		background.Sleep(ctx, max(tick, time.Until(h.renewed.Load().Add(lease.Renewal))))
		if time.Since(*h.renewed.Load()) >= lease.Renewal {
			_, _ = h.renew(ctx, nil) // the guard ends the round after failures
		}
	}
}

// lost reports whether the lease may be that of another server by now.
func (h *hold) lost() bool {
	return h.taken.Load() || !h.alone && time.Since(*h.renewed.Load()) >= lease.Hold
}

// renew renews the lease, with progress to store. stored is false when the store was away. It
// fails with errLost when another server has the lease.
func (h *hold) renew(ctx context.Context, progress []store.PutProgress) (stored bool, err error) {
	select {
	case h.one <- struct{}{}:
		defer func() { <-h.one }()
	case <-ctx.Done():
		return false, nil
	}
	begun := time.Now()
	limited, cancel := context.WithTimeout(ctx, background.Calls)
	defer cancel()
	held, err := h.deliverer.Renew(limited, progress)
	switch {
	case err != nil && ctx.Err() != nil, background.Away(err):
		return false, nil // the guard ends the round in time
	case err != nil:
		return false, err
	case !held:
		h.taken.Store(true)
		return false, errLost
	}
	h.renewed.Store(&begun)
	if h.guard != nil {
		h.guard.Reset(time.Until(begun.Add(lease.Hold)))
	}
	return true, nil
}

// end stops the guard.
func (h *hold) end() {
	if h.guard != nil {
		h.guard.Stop()
	}
}
