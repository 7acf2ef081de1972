// Package clockwatch reads the clock of a server for the dates of changes. It refuses a
// clock that has gone further ahead than it may.
package clockwatch

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/domain/clock"
	"github.com/problemtracking/problems/domain/fault"
)

// Watch reads the clock for the dates of changes. Its methods may be called from many
// goroutines at once.
type Watch struct {
	now    func() time.Time
	guard  clock.Guard
	newest func(context.Context) (time.Time, error)

	refusals atomic.Uint64

	mu    sync.Mutex
	trust clock.Trust
	begun bool        // trust is set
	state clock.State // of the latest reading; "" before the first
}

// New returns a Watch of the clock now. It compares the first reading with newest, the time
// of the latest change in the store, and later ones with the steady clock. The zero Guard
// believes every clock.
func New(now func() time.Time, guard clock.Guard, newest func(context.Context) (time.Time, error)) *Watch {
	return &Watch{now: now, guard: guard, newest: newest}
}

// Refusals returns the number of readings that were not believed.
func (w *Watch) Refusals() uint64 { return w.refusals.Load() }

// Refused reports whether the last reading of the clock was not believed.
func (w *Watch) Refused() bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.state == clock.Ahead
}

// Offset returns the lead of the clock over the time since its first accepted reading. It
// is negative for a slow clock, and 0 before the first one.
func (w *Watch) Offset() time.Duration {
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.begun {
		return 0
	}
	at := w.reading()
	return at.Wall.Sub(w.trust.Expected(at.Steady))
}

// Read returns the time, if it can be believed. Otherwise it fails with fault.Unavailable,
// wrapping a clock.Verdict. It fails with the faults of the store as well.
func (w *Watch) Read(ctx context.Context) (time.Time, error) {
	if w.guard.Limits == (clock.Limits{}) {
		return w.now(), nil
	}
	w.mu.Lock()
	begun := w.begun
	w.mu.Unlock()
	var newest time.Time
	if !begun {
		var err error
		if newest, err = w.newest(ctx); err != nil {
			return time.Time{}, err
		}
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.begun {
		return w.begin(newest)
	}
	return w.judge()
}

// Recheck judges the clock without the store. It fails before the first read.
func (w *Watch) Recheck() error {
	if w.guard.Limits == (clock.Limits{}) {
		return nil
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	if !w.begun {
		return fault.New(fault.Unavailable, "the service is starting: it has not compared its clock with the store yet")
	}
	_, err := w.judge()
	return err
}

func (w *Watch) begin(newest time.Time) (time.Time, error) {
	limits := w.guard.Limits
	if w.guard.Steady == nil {
		limits.Step = limits.Gap // the time between two readings counts as a step
	}
	trust, v := clock.Begin(limits, newest, w.reading(), w.guard.Accept)
	if w.trust = trust; v.Believed() {
		w.begun = true
	}
	known := w.state
	if known == "" {
		known = clock.Right
	}
	w.tell(known, v)
	if w.state = v.State; v.State == clock.Behind {
		w.state = clock.Right // from here on, it is compared with itself
	}
	return w.answer(v)
}

func (w *Watch) judge() (time.Time, error) {
	trust, v := w.trust.Judge(w.reading())
	w.trust = trust
	w.tell(w.state, v)
	w.state = v.State
	return w.answer(v)
}

func (w *Watch) tell(before clock.State, v clock.Verdict) {
	if v.State != before && w.guard.Changed != nil {
		w.guard.Changed(v)
	}
}

func (w *Watch) answer(v clock.Verdict) (time.Time, error) {
	if v.Believed() {
		return v.Wall, nil
	}
	w.refusals.Add(1)
	return time.Time{}, fault.Wrap(fault.Unavailable, v,
		"the clock of the server has gone ahead further than it may: nothing was changed, and changes wait until it is back. If it is right, the operator has to restart the server")
}

func (w *Watch) reading() clock.Reading {
	r := clock.Reading{Wall: w.now()}
	if w.guard.Steady != nil {
		r.Steady = w.guard.Steady()
	}
	return r
}
