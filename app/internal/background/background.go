// Package background runs work beside the requests. It has the common parts of the workers of
// webhooks and e-mail: their loop, their pauses, their view of the store's errors, and their
// counts.
package background

import (
	"context"
	"sync"
	"time"

	"github.com/problemtracking/problems/domain/fault"
)

// Calls is the time limit of one call of a worker to the store.
const Calls = 3 * time.Second

// lookFor is the time between two looks at the work, on a server without its lease.
const lookFor = time.Second

// Run calls work in a goroutine. end ends the context of the work, and waits until the work has
// returned.
func Run(work func(context.Context)) (end func()) {
	ctx, cancel := context.WithCancel(context.Background())
	var running sync.WaitGroup
	running.Go(func() { work(ctx) })
	return func() {
		cancel()
		running.Wait()
	}
}

// Repeat calls work until ctx ends, with a second between two calls. It calls failed with
// the first of several failures in a row. An error while the store is away is no failure: the
// outage has log lines of its own. Nor is an error after the end of ctx.
func Repeat(ctx context.Context, work func() error, failed func(error)) {
	failing := false
	for ctx.Err() == nil {
		err := work()
		if now := err != nil && ctx.Err() == nil && !Away(err); now != failing {
			if failing = now; failing {
				failed(err)
			}
		}
		Sleep(ctx, lookFor)
	}
}

// Away reports whether the store was away in a call, also in the middle of a write.
func Away(err error) bool {
	return fault.Is(err, fault.Unavailable) || fault.Is(err, fault.UnknownOutcome)
}

// Sleep waits for a time, or for the end of ctx.
func Sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// Counts are numbers of events by their kind. The zero value has none. Its methods may be
// called from many goroutines.
type Counts[K comparable] struct {
	mu sync.Mutex
	by map[K]int64
}

// Add counts an event.
func (c *Counts[K]) Add(kind K) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.by == nil {
		c.by = make(map[K]int64)
	}
	c.by[kind]++
}

// Of returns the number of events of a kind.
func (c *Counts[K]) Of(kind K) int64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.by[kind]
}
