// Package readiness reports whether a store accepts writes, by the writes that succeed and
// by probes when there are none.
package readiness

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
)

// Bounds of Check.
const (
	// readyAge is the lifetime of an answer, and so the shortest interval between
	// probes.
	readyAge = time.Second
	// readyFor limits the wait of a caller for a probe. It is shorter than the timeout
	// of load balancers.
	readyFor = 2 * time.Second
	// probeFor limits the time of a probe. Until then no other probe starts, so a
	// hanging store has just one to handle.
	probeFor = 5 * time.Second
)

// errNotConfirmed reports the end of a caller's wait for a probe.
var errNotConfirmed = errors.New("no write was confirmed in time")

// Readiness reports whether the store accepts writes. It learns this from normal
// writes, and from a probe when there are none. Its methods may be called from many
// goroutines at once.
type Readiness struct {
	now func() time.Time

	mu sync.Mutex
	// proven is the start of the latest successful Commit. The store may have decided
	// on it at any moment since, so only the start is safe to use.
	proven time.Time
	latest *probe // under way or over; nil: none was made
}

// probe is an attempt to write, shared by all callers that wait for it.
type probe struct {
	began time.Time
	done  chan struct{} // closed when there is an answer
	err   error
}

// New returns a Readiness without a sign yet. now is the clock.
func New(now func() time.Time) *Readiness { return &Readiness{now: now} }

// Check returns nil when a write begun within the last second has succeeded. Without one,
// it makes a probe by write, at most one per second for all callers. The probe does not end
// with ctx, because others wait for it, too. Check fails with fault.Unavailable when the
// probe fails, and when it was not confirmed within 2 seconds.
func (r *Readiness) Check(ctx context.Context, write func(context.Context) error) error {
	p := r.join(func() error {
		ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeFor)
		defer cancel()
		return write(ctx)
	})
	if p == nil {
		return nil
	}
	waiting, cancel := context.WithTimeoutCause(ctx, readyFor, errNotConfirmed)
	defer cancel()
	var err error
	select {
	case <-p.done:
		if p.err == nil {
			return nil
		}
		err = fault.Wrap(fault.Unavailable, p.err, "the store takes no writes")
	case <-waiting.Done():
		if context.Cause(waiting) != errNotConfirmed {
			return store.Ended(ctx)
		}
		err = fault.Wrap(fault.Unavailable, errNotConfirmed, "a write was not confirmed within %v", readyFor)
	}
	if r.recently() { // another write has succeeded meanwhile
		return nil
	}
	return err
}

// Prove records a successful Commit begun at the given time. A later start counts more,
// unless the clock has stepped back since.
func (r *Readiness) Prove(began time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if began.After(r.proven) || r.proven.After(r.now()) {
		r.proven = began
	}
}

// recently reports whether a Commit begun within the last second has succeeded.
func (r *Readiness) recently() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.fresh(r.proven)
}

// fresh reports whether the time is less than a second ago. A future time is from
// before a step back of the clock: its age is unknown, and it is not fresh.
func (r *Readiness) fresh(at time.Time) bool {
	now := r.now()
	return at.After(now.Add(-readyAge)) && !at.After(now)
}

// join returns nil after a recent successful Commit. Otherwise it returns the current
// probe, or one begun within the last second, or else a new one.
func (r *Readiness) join(commit func() error) *probe {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.fresh(r.proven) {
		return nil
	}
	if p := r.latest; p != nil && (!p.over() || r.fresh(p.began)) {
		return p
	}
	p := &probe{began: r.now(), done: make(chan struct{})}
	r.latest = p
	go func() {
		defer close(p.done)
		p.err = commit()
	}()
	return p
}

func (p *probe) over() bool {
	select {
	case <-p.done:
		return true
	default:
		return false
	}
}
