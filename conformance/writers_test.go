package conformance

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/conformance/report"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// TestCasesEnd lets writers try again and again what never succeeds, on stores that
// do not mind the end of a context. On others, Feed never returns, or a Commit waits for ever
// for one. The cases end by themselves.
func TestCasesEnd(t *testing.T) {
	t.Parallel()
	deaf := func(s *broken) {
		s.view = func(ctx context.Context, fn func(store.Reader) error) error {
			return s.Model.View(context.WithoutCancel(ctx), func(r store.Reader) error { return fn(&shown{Reader: r, deaf: true}) })
		}
		s.reserve = func(ctx context.Context) (problem.ID, error) {
			return s.Model.Reserve(context.WithoutCancel(ctx))
		}
	}
	refuses := func(s *broken, when func(store.Change) bool) {
		deaf(s)
		s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
			if when(change) {
				return store.Receipt{}, fault.New(fault.Conflict, "somebody else came first")
			}
			return s.Model.Commit(context.WithoutCancel(ctx), change)
		}
	}
	expects := func(c store.Change) bool { return len(c.Expect) > 0 }
	creates := func(c store.Change) bool { return is[store.CreateProblem](c.Effects[0]) }
	for _, test := range []struct {
		id       string
		sabotage func(*broken)
	}{
		{"COM-004/one-problem", func(s *broken) { refuses(s, expects) }},
		{"COM-004/pairs", func(s *broken) { refuses(s, expects) }},
		{"SHARE-001/numbers", func(s *broken) { refuses(s, creates) }},
		{"FEED-007/under-way", (*broken).keepLock},
		{"FEED-010", (*broken).numberAll},
	} {
		t.Run(test.id, func(t *testing.T) {
			t.Parallel()
			h := saboteur{sabotage: test.sabotage}.harness()
			h.Name = "on trial"
			r, err := Execute(t.Context(), h, Options{Seed: 1, Only: regexp.MustCompile("^" + test.id + "$"), Patience: 2 * time.Second})
			if err != nil {
				t.Fatal(err)
			}
			for _, c := range r.Cases {
				if c.ID == test.id && (c.Status != report.Failed || !strings.Contains(c.Failure, "the case has used up its 2s")) {
					t.Errorf("the case ended as %s: %s", c.Status, c.Failure)
				}
			}
		})
	}
}

// keepLock is the sabotage in which a cancelled Feed keeps the lock of writers.
func (s *broken) keepLock() {
	lock := make(chan struct{}, 1)
	s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
		select {
		case lock <- struct{}{}:
		case <-ctx.Done():
			return store.Receipt{}, fault.Wrap(fault.Unavailable, context.Cause(ctx), "a Commit waited for a Feed")
		}
		defer func() { <-lock }()
		return s.Model.Commit(ctx, change)
	}
	s.feed = func(ctx context.Context, from int64, limit int, budget int64) ([]event.Entry, error) {
		lock <- struct{}{}
		linger()
		if ctx.Err() != nil {
			return nil, fault.Wrap(fault.Unavailable, ctx.Err(), "the Feed was cancelled")
		}
		defer func() { <-lock }()
		return s.Model.Feed(ctx, from, limit, budget)
	}
}

// numberAll is the sabotage in which Feed goes on until it has met a moment without writers.
func (s *broken) numberAll() {
	s.feed = func(ctx context.Context, from int64, limit int, budget int64) ([]event.Entry, error) {
		for {
			position := s.world().Position
			time.Sleep(10 * time.Millisecond)
			if entries, err := s.Model.Feed(context.WithoutCancel(ctx), from, limit, budget); err != nil || s.world().Position == position {
				return entries, err
			}
		}
	}
}
