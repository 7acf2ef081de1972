package store

import (
	"context"
	"sync"

	"github.com/problemtracking/problems/domain/fault"
)

// Gate admits calls of a Store until Close. Adapters use it for Store.Close.
// The zero Gate is open.
type Gate struct {
	mu     sync.Mutex
	closed bool
	inside sync.WaitGroup
	leave  func() // inside.Done, made once for all calls
}

// Enter admits a call. The call has to run leave when it ends. Enter fails with
// fault.Unavailable when ctx is over (ERR-001), and with fault.Closed after Close
// (CLOSE-001).
func (g *Gate) Enter(ctx context.Context) (leave func(), err error) {
	if err := Ended(ctx); err != nil {
		return nil, err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.closed {
		return nil, fault.New(fault.Closed, "the store is closed")
	}
	if g.leave == nil {
		g.leave = g.inside.Done
	}
	g.inside.Add(1)
	return g.leave, nil
}

// Close admits no further calls and returns when all admitted ones have left. It
// reports whether the Gate was open before.
func (g *Gate) Close() bool {
	g.mu.Lock()
	open := !g.closed
	g.closed = true
	g.mu.Unlock()
	g.inside.Wait()
	return open
}

// Ended returns the fault of an ended context, of kind fault.Unavailable, or nil.
func Ended(ctx context.Context) error {
	if ctx.Err() == nil {
		return nil
	}
	return fault.Wrap(fault.Unavailable, context.Cause(ctx), "the request ended before the store could answer")
}

// Await waits for the result of a Commit under way in another goroutine. done needs a
// buffer for the result. A cancelled ctx does not end the wait: the client may be gone,
// but the Change goes on. The deadline of ctx ends it. Then ended is false, and the
// Commit fails with fault.UnknownOutcome and goes on (COM-010).
func Await(ctx context.Context, done <-chan error) (ended bool, result error) {
	select {
	case result = <-done:
		return true, result
	case <-ctx.Done():
	}
	deadline, ok := ctx.Deadline()
	if !ok {
		return true, <-done
	}
	ctx, cancel := context.WithDeadline(context.WithoutCancel(ctx), deadline)
	defer cancel()
	select {
	case result = <-done:
		return true, result
	case <-ctx.Done():
	}
	select { // both may have come at once
	case result = <-done:
		return true, result
	default:
		return false, nil
	}
}
