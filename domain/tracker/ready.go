package tracker

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
)

// Bounds of Ready.
const (
	// readyAge is how long an answer holds, and so how often a probe is made at most.
	readyAge = time.Second
	// readyFor is how long one who asks waits for a probe: less than load balancers
	// wait for an answer.
	readyFor = 2 * time.Second
	// probeFor is how long a probe may take. Until then it keeps others from being
	// made, so that a store that hangs has one to deal with.
	probeFor = 5 * time.Second
)

// errNotConfirmed is why one who asks no longer waits for a probe.
var errNotConfirmed = errors.New("no write was confirmed in time")

// readiness knows whether the store takes writes: from the writes that are made, and
// from a probe when there are none. A probe is a write that stores its batch alone, of
// some hundred bytes. Housekeep forgets it after a day, so that a server without other
// writes that is asked every second keeps 86,400 of them.
type readiness struct {
	now func() time.Time

	mu sync.Mutex
	// proven is when the latest Commit that has succeeded began. The store may have
	// decided on it at any moment since, so that only the start is safe to go by.
	proven time.Time
	latest *probe // under way or over; nil: none was made
}

// probe is an attempt to write, for all who wait for it.
type probe struct {
	began time.Time
	done  chan struct{} // closed when there is an answer
	err   error
}

// Ready returns nil when the store takes writes: one that began within the last second
// has succeeded. If there was none, Ready makes one, at most once a second for all who
// ask. It fails with fault.Unavailable when that fails, when it may or may not have
// happened, and when it was not confirmed within 2 seconds. It also fails while the clock
// is not believed, and before the first CheckClock of a guarded clock.
func (s *Service) Ready(ctx context.Context) error {
	if err := s.clock.recheck(); err != nil {
		return err
	}
	p := s.ready.join(func() error { return s.probe(ctx) })
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
	if s.ready.recently() { // somebody else's write has shown more meanwhile
		return nil
	}
	return err
}

// probe makes a write that changes nothing. It does not end with the request, because
// others wait for it, too.
func (s *Service) probe(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), probeFor)
	defer cancel()
	m, err := s.moment(ctx)
	if err != nil {
		return err
	}
	return s.write(ctx, store.Change{
		Batch:   m.ids.Next(),
		At:      m.at,
		Effects: []store.Effect{store.Expire{}}, // of what is older than all times: nothing
	})
}

// write commits the change, and takes note that the store takes writes.
func (s *Service) write(ctx context.Context, change store.Change) error {
	began := s.now()
	_, err := s.store.Commit(ctx, change)
	if err == nil {
		s.ready.prove(began)
	}
	return err
}

// prove takes note of a Commit that began then and has succeeded. One that began
// later says more, unless the clock has stepped back since.
func (r *readiness) prove(began time.Time) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if began.After(r.proven) || r.proven.After(r.now()) {
		r.proven = began
	}
}

// recently reports whether a Commit that began within the last second has succeeded.
func (r *readiness) recently() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.fresh(r.proven)
}

// fresh reports whether the time is less than a second ago. One in the future is from
// before the clock stepped back: nothing tells how long ago it was.
func (r *readiness) fresh(at time.Time) bool {
	now := r.now()
	return at.After(now.Add(-readyAge)) && !at.After(now)
}

// join returns nil when a Commit has succeeded recently. Otherwise it returns the probe
// that is under way, or one that began within the last second, or else a new one.
func (r *readiness) join(commit func() error) *probe {
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
