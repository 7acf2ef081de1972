package tracker

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/domain/clock"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/store"
)

// Guard bounds how far the clock of a Service may go ahead. Times of changes never go
// back, so one wrong date would stay with all later changes. The zero Guard has no bounds.
type Guard struct {
	Limits clock.Limits
	// Steady returns the time since a fixed moment, by a clock without adjustments. It
	// counts the sleep of the machine as well. With nil, only Limits.Gap applies, from
	// the latest believed time.
	Steady func() time.Duration
	// Accept lifts Limits.Gap for the start.
	Accept bool
	// Changed, if not nil, is called when the state of the clock changes. At the start
	// it is called unless the clock is right. It must not call the Service.
	Changed func(clock.Verdict)
}

// watch reads the clock for the dates of changes.
type watch struct {
	store store.Store
	now   func() time.Time
	guard Guard

	refusals atomic.Uint64

	mu    sync.Mutex
	trust clock.Trust
	begun bool        // trust is set
	state clock.State // of the latest reading; "" before the first
}

// CheckClock judges the clock as a write does. The first check compares it with the
// newest time in the store, later ones compare it with the steady clock. CheckClock fails
// with fault.Unavailable, wrapping a clock.Verdict, when the clock is not believed. It
// fails with the faults of the store as well.
func (s *Service) CheckClock(ctx context.Context) error {
	_, err := s.clock.read(ctx)
	return err
}

// ClockRefusals returns the number of readings that were not believed.
func (s *Service) ClockRefusals() uint64 { return s.clock.refusals.Load() }

// ClockRefused reports whether the last reading of the clock was not believed.
func (s *Service) ClockRefused() bool {
	s.clock.mu.Lock()
	defer s.clock.mu.Unlock()
	return s.clock.state == clock.Ahead
}

// ClockOffset returns the lead of the clock over the time since its first accepted
// reading. It is negative for a slow clock, and 0 before CheckClock.
func (s *Service) ClockOffset() time.Duration {
	s.clock.mu.Lock()
	defer s.clock.mu.Unlock()
	if !s.clock.begun {
		return 0
	}
	at := s.clock.reading()
	return at.Wall.Sub(s.clock.trust.Expected(at.Steady))
}

// read returns the time, if it can be believed.
func (w *watch) read(ctx context.Context) (time.Time, error) {
	if w.guard.Limits == (clock.Limits{}) {
		return w.now(), nil
	}
	w.mu.Lock()
	begun := w.begun
	w.mu.Unlock()
	var newest time.Time
	if !begun {
		var err error
		if newest, err = newestTime(ctx, w.store); err != nil {
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

// recheck judges the clock without the store. It fails before the first read.
func (w *watch) recheck() error {
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

func (w *watch) begin(newest time.Time) (time.Time, error) {
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

func (w *watch) judge() (time.Time, error) {
	trust, v := w.trust.Judge(w.reading())
	w.trust = trust
	w.tell(w.state, v)
	w.state = v.State
	return w.answer(v)
}

func (w *watch) tell(before clock.State, v clock.Verdict) {
	if v.State != before && w.guard.Changed != nil {
		w.guard.Changed(v)
	}
}

func (w *watch) answer(v clock.Verdict) (time.Time, error) {
	if v.Believed() {
		return v.Wall, nil
	}
	w.refusals.Add(1)
	return time.Time{}, fault.Wrap(fault.Unavailable, v,
		"the clock of the server has gone ahead further than it may: nothing was changed, and changes wait until it is back. If it is right, the operator has to restart the server")
}

func (w *watch) reading() clock.Reading {
	r := clock.Reading{Wall: w.now()}
	if w.guard.Steady != nil {
		r.Steady = w.guard.Steady()
	}
	return r
}

// newestTime returns the time of the latest change of a problem, of metadata, users or
// tokens. It is zero for an empty store. Watchers and saved queries do not count.
func newestTime(ctx context.Context, s store.Store) (newest time.Time, err error) {
	plan, err := compile("TRUEPREDICATE", predicate.Problem, predicate.Env{})
	if err != nil {
		return newest, err
	}
	latestFirst, err := compileOrder("-modificationDate", predicate.Problem)
	if err != nil {
		return newest, err
	}
	err = s.View(ctx, func(r store.Reader) error {
		versions, err := r.Versions(ctx)
		if err != nil {
			return err
		}
		// The batch of a change has the time of the change.
		newest = later(versions.Catalogue.Batch.Time(), versions.Access.Batch.Time())
		catalogue, err := r.Catalogue(ctx)
		if err != nil {
			return err
		}
		hits, err := r.Search(ctx, store.Query{Plan: plan, Sort: latestFirst, Limit: 1, Catalogue: catalogue})
		if err == nil && len(hits) > 0 {
			modified, _ := hits[0].Keys[0].(time.Time)
			newest = later(newest, modified)
		}
		return err
	})
	return newest, err
}

func later(a, b time.Time) time.Time {
	if b.After(a) {
		return b
	}
	return a
}
