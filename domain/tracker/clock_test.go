package tracker

import (
	"context"
	"crypto/rand"
	"errors"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/clock"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/admin"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

const tenYears = 10 * 365 * 24 * time.Hour

// guarded is a service whose clock is guarded. Its steady clock moves with pass alone.
type guarded struct {
	service
	steady   *kit.Clock
	verdicts []clock.Verdict
}

// guard returns a service like that of a server that starts now on the store of s.
func (s service) guard(accept bool) *guarded {
	g := &guarded{service: s, steady: kit.NewClock()}
	g.use(New(Options{
		Store: s.memory, Now: s.clock.Now, Random: rand.Reader, Limits: DefaultLimits(),
		Guard: Guard{
			Limits:  clock.Limits{Step: 24 * time.Hour, Gap: 366 * 24 * time.Hour},
			Steady:  func() time.Duration { return g.steady.Now().Sub(kit.Noon) },
			Accept:  accept,
			Changed: func(v clock.Verdict) { g.verdicts = append(g.verdicts, v) },
		},
	}))
	return g
}

// pass lets time go by.
func (g *guarded) pass(d time.Duration) {
	g.clock.Forward(d)
	g.steady.Forward(d)
}

// A clock that is ten years ahead for a moment dates nothing: writes are refused
// meanwhile, reads are not, and later changes have the date that is right.
func TestClockAheadForAMoment(t *testing.T) {
	t.Parallel()
	g := newService(t).guard(false)
	id := g.create(t, "T")
	g.pass(time.Hour)
	kit.NoError(t, g.CheckClock(t.Context()))

	g.clock.Forward(tenYears)
	before := g.load(t, id)
	writes := map[string]func() error{
		"comment": func() error {
			_, err := g.AddComment(t.Context(), g.admin, id, AddComment{Text: patch.Set("a")})
			return err
		},
		"create": func() error {
			_, err := g.CreateProblem(t.Context(), g.admin, CreateProblem{ProblemPatch: titled("U")})
			return err
		},
		"user": func() error {
			_, err := g.Users().Create(t.Context(), g.admin, admin.CreateObject[admin.UserPatch]{Patch: kit.Person("Bob", "bob@example.org")})
			return err
		},
		"token": func() error {
			_, err := g.CreateToken(t.Context(), g.admin, admin.CreateToken{User: kit.Named("Administrator"), Scope: patch.Set("read")})
			return err
		},
		"housekeeping": func() error { return g.Housekeep(t.Context()) },
		"readiness":    func() error { return g.Ready(t.Context()) },
	}
	for name, write := range writes {
		err := write()
		kit.WantFault(t, err, fault.Unavailable)
		if v, is := errors.AsType[clock.Verdict](err); !is || v.By != tenYears {
			t.Errorf("%s: the cause of %v is no verdict of ten years", name, err)
		}
	}
	kit.Equal(t, "refusals", g.ClockRefusals(), uint64(len(writes)))
	kit.Equal(t, "refused", g.ClockRefused(), true)
	kit.Equal(t, "offset", g.ClockOffset(), tenYears)
	kit.Equal(t, "the problem", g.load(t, id), before)

	g.clock.Forward(-tenYears)
	g.pass(time.Minute)
	for name, write := range writes {
		if err := write(); err != nil {
			t.Errorf("%s: once the clock is right: %v", name, err)
		}
	}
	kit.Equal(t, "refused", g.ClockRefused(), false)
	kit.Equal(t, "the date of the change", g.load(t, id).Modified, g.clock.Now())
	newest, err := newestTime(t.Context(), g.memory)
	kit.NoError(t, err)
	kit.Equal(t, "the newest time in the store", newest, g.clock.Now())
	for _, c := range g.memory.Commits {
		if c.At.After(g.clock.Now()) {
			t.Errorf("a change has the time %s, which is yet to come", c.At)
		}
	}
	var states []clock.State
	for _, v := range g.verdicts {
		states = append(states, v.State)
	}
	kit.Equal(t, "what was told, each once", states, []clock.State{clock.Ahead, clock.Right})
}

// At the start, the clock is compared with the newest change in the store, whichever
// that is: a service that was off for a month starts, one that is ten years ahead does
// not, unless it is told to.
func TestClockAtTheStart(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule    string
		change  func(*testing.T, service)
		off     time.Duration
		accept  bool
		refused bool
		told    []clock.State
	}{
		{"off for a month", func(*testing.T, service) {}, 30 * 24 * time.Hour, false, false, nil},
		{"off for ten years", func(*testing.T, service) {}, tenYears, false, true, []clock.State{clock.Ahead}},
		{"off for ten years, and accepted", func(*testing.T, service) {}, tenYears, true, false, nil},
		{"a problem is the newest", func(t *testing.T, s service) { s.create(t, "T") }, tenYears, false, false, nil},
		{"a user is the newest", func(t *testing.T, s service) { s.member(t, "bob", "read") }, tenYears, false, false, nil},
		{"a token is the newest", func(t *testing.T, s service) { s.issue(t, "read") }, tenYears, false, false, nil},
		{"behind the store", func(*testing.T, service) {}, -time.Hour, false, false, []clock.State{clock.Behind}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			s := newService(t)
			s.clock.Forward(tenYears - 24*time.Hour) // what is made now is new
			c.change(t, s)
			s.clock.Forward(24*time.Hour - tenYears)
			s.clock.Forward(c.off)
			g := s.guard(c.accept)
			err := g.CheckClock(t.Context())
			if c.refused {
				kit.WantFault(t, err, fault.Unavailable)
				s.clock.Forward(-c.off)
				g.pass(time.Hour)
				c.told = append(c.told, clock.Right)
				err = g.CheckClock(t.Context())
			}
			kit.NoError(t, err)
			g.create(t, "U")
			var told []clock.State
			for _, v := range g.verdicts {
				told = append(told, v.State)
			}
			kit.Equal(t, "told", told, c.told)
		})
	}
}

// The first write judges the clock by the store, if nothing has before.
func TestFirstWriteJudgesTheClock(t *testing.T) {
	t.Parallel()
	g := newService(t).guard(false)
	kit.WantFault(t, g.Ready(t.Context()), fault.Unavailable)
	g.clock.Forward(tenYears)
	_, err := g.CreateProblem(t.Context(), g.admin, CreateProblem{ProblemPatch: titled("T")})
	kit.WantFault(t, err, fault.Unavailable)
	kit.WantFault(t, g.Ready(t.Context()), fault.Unavailable)
	g.clock.Forward(-tenYears)
	g.create(t, "T")
	kit.NoError(t, g.Ready(t.Context()))
}

// A store that is away is not taken for one that is empty.
func TestClockWithoutAStore(t *testing.T) {
	t.Parallel()
	s := newService(t)
	away := fault.New(fault.Unavailable, "gone")
	g := New(Options{
		Store: &gone{Store: s.memory, err: away}, Now: s.clock.Now, Random: rand.Reader,
		Guard: Guard{Limits: clock.Limits{Gap: time.Hour}},
	})
	if err := g.CheckClock(t.Context()); !errors.Is(err, away) {
		t.Errorf("the clock is judged without the store: %v", err)
	}
}

// gone is a store that cannot be read from.
type gone struct {
	store.Store
	err error
}

func (g *gone) View(context.Context, func(store.Reader) error) error { return g.err }

// Without a steady clock, the latest time that was believed counts.
func TestClockAloneIsBounded(t *testing.T) {
	t.Parallel()
	s := newService(t)
	g := New(Options{
		Store: s.memory, Now: s.clock.Now, Random: rand.Reader, Limits: DefaultLimits(),
		Guard: Guard{Limits: clock.Limits{Step: time.Hour, Gap: 366 * 24 * time.Hour}},
	})
	for range 12 { // such as a machine that sleeps
		s.clock.Forward(30 * 24 * time.Hour)
		kit.NoError(t, g.CheckClock(t.Context()))
	}
	s.clock.Forward(tenYears)
	kit.WantFault(t, g.CheckClock(t.Context()), fault.Unavailable)
	s.clock.Forward(-tenYears)
	kit.NoError(t, g.CheckClock(t.Context()))
}
