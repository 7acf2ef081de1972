package tracker

import (
	"context"
	"time"

	"github.com/problemtracking/problems/domain/clock"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/check"
	"github.com/problemtracking/problems/domain/store"
)

// Guard bounds how far the clock of a Service may go ahead. Times of changes never go
// back, so one wrong date would stay with all later changes. The zero Guard has no bounds.
type Guard = clock.Guard

// CheckClock judges the clock as a write does. The first check compares it with the
// newest time in the store, later ones compare it with the steady clock. CheckClock fails
// with fault.Unavailable, wrapping a clock.Verdict, when the clock is not believed. It
// fails with the faults of the store as well.
func (s *Service) CheckClock(ctx context.Context) error {
	_, err := s.core.Clock.Read(ctx)
	return err
}

// ClockRefusals returns the number of readings that were not believed.
func (s *Service) ClockRefusals() uint64 { return s.core.Clock.Refusals() }

// ClockRefused reports whether the last reading of the clock was not believed.
func (s *Service) ClockRefused() bool { return s.core.Clock.Refused() }

// ClockOffset returns the lead of the clock over the time since its first accepted
// reading. It is negative for a slow clock, and 0 before CheckClock.
func (s *Service) ClockOffset() time.Duration { return s.core.Clock.Offset() }

// Ready returns nil when the store accepts writes: a write begun within the last second
// has succeeded. Without one, Ready makes a write, at most one per second for all
// callers. It fails with fault.Unavailable when the write fails or its outcome is
// unknown, and when it was not confirmed within 2 seconds. It also fails while the
// clock is not believed, and before the first CheckClock of a guarded clock.
func (s *Service) Ready(ctx context.Context) error {
	if err := s.core.Clock.Recheck(); err != nil {
		return err
	}
	return s.core.Ready.Check(ctx, s.probe)
}

// probe makes a write of just its batch, some hundred bytes. Housekeep forgets it after a
// day. So a server without other writes and with a check every second stores 86,400 of
// them.
func (s *Service) probe(ctx context.Context) error {
	m, err := s.core.Moment(ctx)
	if err != nil {
		return err
	}
	return s.core.CommitUnsettled(ctx, store.Change{
		Batch:   m.IDs.Next(),
		At:      m.At,
		Effects: []store.Effect{store.Expire{}}, // forgets nothing: no time is before zero
	})
}

// newestTime returns the time of the latest change of a problem, of metadata, users or
// tokens. It is zero for an empty store. Watchers and saved queries do not count.
func newestTime(ctx context.Context, s store.Store) (newest time.Time, err error) {
	plan, err := check.Compile("TRUEPREDICATE", predicate.Problem, predicate.Env{})
	if err != nil {
		return newest, err
	}
	latestFirst, err := check.CompileOrder("-modificationDate", predicate.Problem)
	if err != nil {
		return newest, err
	}
	err = s.View(ctx, func(r store.Reader) error {
		versions, err := r.Versions(ctx)
		if err != nil {
			return err
		}
		// The batch of a change has the time of the change.
		newest = versions.Catalogue.Batch.Time()
		if at := versions.Access.Batch.Time(); at.After(newest) {
			newest = at
		}
		catalogue, err := r.Catalogue(ctx)
		if err != nil {
			return err
		}
		hits, err := r.Search(ctx, store.Query{Plan: plan, Sort: latestFirst, Limit: 1, Catalogue: catalogue})
		if err == nil && len(hits) > 0 {
			if modified, _ := hits[0].Keys[0].(time.Time); modified.After(newest) {
				newest = modified
			}
		}
		return err
	})
	return newest, err
}
