package tracker

import (
	"context"
	"crypto/rand"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

// probeEnds is the time after which a probe without an answer ends.
const probeEnds = 5 * time.Second

// gated is a store whose commits do what the test tells.
type gated struct {
	store.Store
	commit  func(context.Context) error // comes before the method; nil: nothing does
	commits atomic.Int64
	last    atomic.Pointer[store.Change]
}

func (g *gated) Commit(ctx context.Context, change store.Change) (store.Receipt, error) {
	g.commits.Add(1)
	g.last.Store(&change)
	if g.commit != nil {
		if err := g.commit(ctx); err != nil {
			return store.Receipt{}, err
		}
	}
	return g.Store.Commit(ctx, change)
}

// probed runs a test in a bubble, with a service by the bubble's clock whose store has
// a problem.
func probed(t *testing.T, test func(t *testing.T, s *Service, g *gated, write func() error)) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		other := newService(t)
		id := other.create(t, "T")
		g := &gated{Store: other.memory}
		s := New(Options{Store: g, Now: time.Now, Random: rand.Reader, Limits: DefaultLimits()})
		test(t, s, g, func() error {
			_, err := s.AddComment(t.Context(), other.admin, id, AddComment{Text: patch.Set("a")})
			return err
		})
		time.Sleep(probeEnds) // for probes that nobody waits for
	})
}

// An answer holds for a second, whether it came of a write that somebody made or of a
// probe: then, and no earlier, another probe is made.
func TestReadyProbesOnceASecond(t *testing.T) {
	probed(t, func(t *testing.T, s *Service, g *gated, write func() error) {
		kit.NoError(t, s.Ready(t.Context()))
		kit.Equal(t, "commits of the first question", g.commits.Load(), int64(1))
		time.Sleep(time.Second - 1)
		kit.NoError(t, s.Ready(t.Context()))
		kit.Equal(t, "commits within a second", g.commits.Load(), int64(1))
		time.Sleep(time.Nanosecond)
		kit.NoError(t, s.Ready(t.Context()))
		kit.Equal(t, "commits after a second", g.commits.Load(), int64(2))

		for range 100 {
			time.Sleep(time.Second / 2)
			kit.NoError(t, write())
			kit.NoError(t, s.Ready(t.Context()))
		}
		kit.Equal(t, "commits while others succeed", g.commits.Load(), int64(102))
	})
}

// A probe leaves its batch and nothing else.
func TestProbeChangesNothing(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id := s.create(t, "T")
	before, versions := s.load(t, id), s.memory.Current().Versions
	batches := len(s.memory.Current().Receipts)
	s.clock.Forward(time.Minute)
	kit.NoError(t, s.Ready(t.Context()))
	kit.Equal(t, "the problem", s.load(t, id), before)
	kit.Equal(t, "versions", s.memory.Current().Versions, versions)
	kit.Equal(t, "batches", len(s.memory.Current().Receipts), batches+1)
}

func TestReadyAsksOnceForAll(t *testing.T) {
	probed(t, func(t *testing.T, s *Service, g *gated, _ func() error) {
		for _, failure := range []error{nil, fault.New(fault.Unavailable, "the disk is full")} {
			time.Sleep(time.Second)
			before := g.commits.Load()
			g.commit = func(context.Context) error { time.Sleep(100 * time.Millisecond); return failure }
			errs, took := kit.AtOnce(100, func(i int) error {
				time.Sleep(time.Duration(i) * 2 * time.Millisecond) // half of them once it is over
				return s.Ready(t.Context())
			})
			for _, err := range errs {
				if failure == nil {
					kit.NoError(t, err)
				} else {
					kit.WantFault(t, err, fault.Unavailable)
				}
			}
			kit.Equal(t, "commits", g.commits.Load()-before, int64(1))
			kit.Equal(t, "time", took, 198*time.Millisecond)
		}
	})
}

// Whatever becomes of a probe that is not known to be stored, the store is not ready.
func TestReadyWhileTheStoreFails(t *testing.T) {
	for _, kind := range []fault.Kind{fault.Unavailable, fault.UnknownOutcome, fault.Closed, fault.Internal} {
		t.Run(string(kind), func(t *testing.T) {
			probed(t, func(t *testing.T, s *Service, g *gated, write func() error) {
				g.commit = func(context.Context) error { return fault.New(kind, "no") }
				kit.WantFault(t, s.Ready(t.Context()), fault.Unavailable)
				kit.Equal(t, "detail", kit.FaultOf(t, s.Ready(t.Context())).Detail, "the store takes no writes")
				g.commit = nil
				time.Sleep(time.Second - 1)
				kit.WantFault(t, s.Ready(t.Context()), fault.Unavailable)
				kit.Equal(t, "commits within a second", g.commits.Load(), int64(1))
				time.Sleep(time.Nanosecond)
				kit.NoError(t, s.Ready(t.Context()))
				kit.Equal(t, "commits after a second", g.commits.Load(), int64(2))
			})
		})
	}
	t.Run("and a write of somebody succeeds", func(t *testing.T) {
		probed(t, func(t *testing.T, s *Service, g *gated, write func() error) {
			g.commit = func(context.Context) error { return fault.New(fault.Unavailable, "no") }
			kit.WantFault(t, s.Ready(t.Context()), fault.Unavailable)
			g.commit = nil
			kit.NoError(t, write())
			kit.NoError(t, s.Ready(t.Context()))
			kit.Equal(t, "commits", g.commits.Load(), int64(2))
		})
	})
}

// One who asks while a probe hangs waits for 2 seconds, and no second probe is made.
// It goes on without those who asked, until its own deadline.
func TestReadyWhileTheStoreHangs(t *testing.T) {
	probed(t, func(t *testing.T, s *Service, g *gated, write func() error) {
		began := time.Now()
		g.commit = func(ctx context.Context) error {
			<-ctx.Done()
			return fault.Wrap(fault.UnknownOutcome, ctx.Err(), "no answer came")
		}
		ask := func() time.Duration {
			asked := time.Now()
			err := s.Ready(t.Context())
			kit.WantFault(t, err, fault.Unavailable)
			kit.Equal(t, "detail", kit.FaultOf(t, err).Detail, "a write was not confirmed within 2s")
			return time.Since(asked)
		}
		kit.Equal(t, "time of the first", ask(), 2*time.Second)
		kit.Equal(t, "time of the second", ask(), 2*time.Second)
		asked := time.Now()
		kit.WantFault(t, s.Ready(t.Context()), fault.Unavailable)
		kit.Equal(t, "time until the probe has ended", time.Since(asked), time.Second)
		kit.Equal(t, "commits", g.commits.Load(), int64(1))
		kit.Equal(t, "time of the probe", time.Since(began), probeEnds)

		g.commit = func(context.Context) error { time.Sleep(2500 * time.Millisecond); return nil }
		ask()
		kit.NoError(t, s.Ready(t.Context())) // it has waited for the end of the probe
		kit.Equal(t, "commits", g.commits.Load(), int64(2))

		gone, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		kit.WantFault(t, s.Ready(gone), fault.Unavailable)
		kit.NoError(t, s.Ready(t.Context()))
		kit.Equal(t, "commits when the one who began the probe has gone", g.commits.Load(), int64(3))
	})
}

// While a probe hangs, a write that somebody makes shows that the store is ready.
func TestReadyByAWriteBesideTheProbe(t *testing.T) {
	probed(t, func(t *testing.T, s *Service, g *gated, write func() error) {
		g.commit = func(ctx context.Context) error {
			if g.commits.Load() == 1 {
				<-ctx.Done()
				return fault.Wrap(fault.UnknownOutcome, ctx.Err(), "the connection is dead")
			}
			return nil
		}
		asked := make(chan error)
		go func() { asked <- s.Ready(t.Context()) }()
		time.Sleep(1500 * time.Millisecond)
		kit.NoError(t, write())
		kit.NoError(t, s.Ready(t.Context()))
		kit.NoError(t, <-asked)
	})
}

// A Commit that took long says nothing of the last second: it is as old as its start.
func TestReadyAfterASlowWrite(t *testing.T) {
	probed(t, func(t *testing.T, s *Service, g *gated, write func() error) {
		g.commit = func(context.Context) error { time.Sleep(time.Second); return nil }
		kit.NoError(t, write())
		g.commit = func(context.Context) error { return fault.New(fault.Unavailable, "full since") }
		kit.WantFault(t, s.Ready(t.Context()), fault.Unavailable)
	})
}

// What was shown before the clock stepped back is asked for again, and holds for a
// second by the new time.
func TestReadyWhenTheClockStepsBack(t *testing.T) {
	t.Parallel()
	s := newService(t)
	g := &gated{Store: s.memory}
	server := newServer(g, s.clock)
	for i := range int64(3) {
		kit.NoError(t, server.Ready(t.Context()))
		kit.NoError(t, server.Ready(t.Context()))
		kit.Equal(t, "commits", g.commits.Load(), 2*i+1)
		s.clock.Forward(time.Second - 1)
		kit.NoError(t, server.Ready(t.Context()))
		kit.Equal(t, "commits within a second", g.commits.Load(), 2*i+1)
		s.clock.Forward(1)
		kit.NoError(t, server.Ready(t.Context()))
		kit.Equal(t, "commits after a second", g.commits.Load(), 2*i+2)
		s.clock.Forward(-time.Hour)
	}
	g.commit = func(context.Context) error { return fault.New(fault.Unavailable, "no") }
	kit.WantFault(t, server.Ready(t.Context()), fault.Unavailable)
	s.clock.Forward(-time.Hour)
	g.commit = nil
	kit.NoError(t, server.Ready(t.Context()))
}

// The probe has nobody for its author, and of its effects none does anything.
func TestProbeIsNobodys(t *testing.T) {
	t.Parallel()
	s := newService(t)
	g := &gated{Store: s.memory}
	kit.NoError(t, newServer(g, s.clock).Ready(t.Context()))
	c := g.last.Load()
	kit.Equal(t, "author", c.Author.IsNone(), true)
	kit.Equal(t, "expectations", len(c.Expect), 0)
	kit.Equal(t, "log entries", len(c.Log), 0)
	kit.Equal(t, "effects", c.Effects, []store.Effect{store.Expire{}})
}
