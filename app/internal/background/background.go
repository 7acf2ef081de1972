// Package background has the common parts of the workers of webhooks and e-mail: their loop,
// their pauses and their counts.
package background

import (
	"context"
	"sync"
	"time"
)

// Calls is the time limit of one call of a worker to the store.
const Calls = 3 * time.Second

// lookFor is the time between two looks at the work, on a server without its lease.
const lookFor = time.Second

// Repeat calls work until ctx ends, with a second between two calls. It calls failed with
// the first of several failures in a row. An expected error is no failure, nor is one after
// the end of ctx.
func Repeat(ctx context.Context, work func() error, expected func(error) bool, failed func(error)) {
	failing := false
	for ctx.Err() == nil {
		err := work()
		if now := err != nil && ctx.Err() == nil && !expected(err); now != failing {
			if failing = now; failing {
				failed(err)
			}
		}
		Sleep(ctx, lookFor)
	}
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
