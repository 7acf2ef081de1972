package httpframe

import (
	"context"
	"sync"
	"time"
)

// deadline is the context of a request: it ends when the request has taken as long as
// it may, and when it is over, but not with the client's connection. A timer is set
// once somebody wants to be woken, which nobody does for a request that is answered
// from memory: until then it is enough to look at the clock.
type deadline struct {
	parent context.Context // of which it has the values: those that net/http and handlers around this one have set; never ends
	now    func() time.Time
	until  time.Time // by that clock

	mu     sync.Mutex
	over   bool
	timed  context.Context // nil until somebody has asked for it
	cancel context.CancelFunc
}

// withTimer returns the context that takes the place of d from then on.
func (d *deadline) withTimer() context.Context {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.timed == nil {
		d.timed, d.cancel = context.WithTimeout(d.parent, d.until.Sub(d.now()))
		if d.over {
			d.cancel()
		}
	}
	return d.timed
}

// end ends the context: the request is over.
func (d *deadline) end() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.over = true
	if d.timed != nil {
		d.cancel()
	}
}

// Deadline implements context.Context.
func (d *deadline) Deadline() (time.Time, bool) { return d.withTimer().Deadline() }

// Done implements context.Context.
func (d *deadline) Done() <-chan struct{} { return d.withTimer().Done() }

// Err implements context.Context.
func (d *deadline) Err() error {
	d.mu.Lock()
	running := d.timed == nil && !d.over && d.now().Before(d.until)
	d.mu.Unlock()
	if running {
		return nil
	}
	return d.withTimer().Err()
}

// Value implements context.Context. Package context asks for what it needs to end
// contexts below this one, which is the timer's.
func (d *deadline) Value(key any) any {
	d.mu.Lock()
	timed := d.timed
	d.mu.Unlock()
	if timed != nil {
		return timed.Value(key)
	}
	return d.parent.Value(key)
}
