package kit

import (
	"sync"
	"time"
)

// Clock is a clock that the test moves.
type Clock struct {
	mu sync.Mutex
	At time.Time
}

// NewClock returns a Clock at Noon.
func NewClock() *Clock { return &Clock{At: Noon} }

// Now returns the time of the clock.
func (c *Clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.At
}

// Forward moves the clock; back, when d is negative.
func (c *Clock) Forward(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.At = c.At.Add(d)
}
