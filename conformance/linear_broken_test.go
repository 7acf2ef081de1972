package conformance

import (
	"context"
	"runtime"

	"github.com/problemtracking/problems/conformance/internal/model"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
)

// linger gives others the time to come between.
func linger() {
	for range 100 {
		runtime.Gosched()
	}
}

// hasty is the sabotage that checks expectations before it has the lock.
func (s *broken) hasty() {
	s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
		for _, e := range change.Expect {
			if err := s.world().Expect(e); err != nil {
				return store.Receipt{}, err
			}
		}
		linger()
		change.Expect = nil
		return s.Model.Commit(ctx, change)
	}
}

// giveWay lets somebody else commit, if anybody wants to.
func (s *broken) giveWay() {
	before := s.world()
	for range 100 {
		if runtime.Gosched(); s.world() != before {
			return
		}
	}
}

// lag is the sabotage that keeps what there was before the last Commit, but has
// all problems.
func (s *broken) lag() {
	s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
		before := s.world()
		receipt, err := s.Model.Commit(ctx, change)
		if len(before.AllProblems) == len(s.world().AllProblems) && err == nil {
			s.stale.Store(before)
		}
		return receipt, err
	}
}

// remember is the sabotage that keeps what was looked at until something is
// committed through the same handle.
func (s *broken) remember() {
	s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
		receipt, err := s.Model.Commit(ctx, change)
		if err == nil {
			s.stale.Store(nil)
		}
		return receipt, err
	}
}

// early is the sabotage that shows what there would be after a part of a Change
// for a moment, before the Change is committed or refused.
func (s *broken) early(part func(*store.Change)) {
	s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
		next, first := s.world().Clone(), change
		part(&first)
		if err := next.Run(first); err == nil {
			s.stale.Store(next)
			linger()
			s.stale.Store(nil)
		}
		return s.Model.Commit(ctx, change)
	}
	s.reader = func(r *shown) {
		if early := s.stale.Load(); early != nil {
			r.Reader = early
		}
	}
}

// cached is a reader that answers some questions from elsewhere.
type cached struct {
	store.Reader
	neighbours *model.World
	moment     func() *model.World // of which neighbours are shown
	versions   func() *model.World // of which versions are shown
}

// through returns a View through a reader that is altered.
func (s *broken) through(alter func(*cached)) func(context.Context, func(store.Reader) error) error {
	return func(ctx context.Context, fn func(store.Reader) error) error {
		return s.Model.View(ctx, func(r store.Reader) error {
			altered := &cached{Reader: r}
			alter(altered)
			return fn(altered)
		})
	}
}

func (r *cached) Neighbours(ctx context.Context, t relationship.Type, owners []problem.ID) ([]relationship.Relationship, error) {
	switch {
	case r.moment != nil:
		return r.moment().Neighbours(ctx, t, owners)
	case r.neighbours != nil:
		return r.neighbours.Neighbours(ctx, t, owners)
	}
	return r.Reader.Neighbours(ctx, t, owners)
}

func (r *cached) Versions(ctx context.Context) (store.Versions, error) {
	if r.versions != nil {
		return r.versions().Versions(ctx)
	}
	return r.Reader.Versions(ctx)
}
