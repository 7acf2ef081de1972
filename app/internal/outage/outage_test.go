package outage_test

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/problemtracking/problems/app/internal/observe"
	"github.com/problemtracking/problems/app/internal/outage"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
)

// fake is a store whose reads and writes fail with what they are told, after a time.
type fake struct {
	store.Store
	reads, writes, confirms error
	takes                   time.Duration
}

func (f *fake) View(context.Context, func(store.Reader) error) error {
	time.Sleep(f.takes)
	return f.reads
}

func (f *fake) Versions(context.Context) (store.Versions, error) {
	time.Sleep(f.takes)
	return store.Versions{}, f.reads
}

func (f *fake) Commit(context.Context, store.Change) (store.Receipt, error) {
	time.Sleep(f.takes)
	return store.Receipt{}, f.writes
}

func (f *fake) Confirm(context.Context, store.History) error { return f.confirms }

// lines is a handler that keeps messages with their attributes.
type lines struct{ all []string }

func (l *lines) Enabled(context.Context, slog.Level) bool { return true }
func (l *lines) WithAttrs([]slog.Attr) slog.Handler       { return l }
func (l *lines) WithGroup(string) slog.Handler            { return l }
func (l *lines) Handle(_ context.Context, r slog.Record) error {
	text := r.Message
	r.Attrs(func(a slog.Attr) bool {
		if a.Key != "since" {
			text += fmt.Sprintf(" %s=%v", a.Key, a.Value)
		}
		return true
	})
	l.all = append(l.all, text)
	return nil
}

// scene is a store with a Log, within the bubble of a test.
type scene struct {
	*fake
	t     *testing.T
	log   *outage.Log
	calls store.Store
	lines lines
	host  string
}

func play(t *testing.T, act func(s *scene)) {
	t.Helper()
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := &scene{t: t, fake: &fake{}}
		s.log = outage.New(slog.New(&s.lines), func() string { return s.host })
		s.calls = observe.Store(s.fake, time.Now, s.log.Observe)
		act(s)
	})
}

func (s *scene) read()    { _ = s.calls.View(s.t.Context(), nil) }
func (s *scene) write()   { _, _ = s.calls.Commit(s.t.Context(), store.Change{}) }
func (s *scene) confirm() { _ = s.calls.Confirm(s.t.Context(), 0) }

func (s *scene) logged(want ...string) {
	s.t.Helper()
	if !slices.Equal(s.lines.all, want) {
		s.t.Errorf("logged is\n  %s\nnot\n  %s", strings.Join(s.lines.all, "\n  "), strings.Join(want, "\n  "))
	}
}

func (s *scene) up(reads, writes bool) {
	s.t.Helper()
	if r, w := s.log.Up(outage.Reads), s.log.Up(outage.Writes); r != reads || w != writes {
		s.t.Errorf("up are reads %t and writes %t, not %t and %t", r, w, reads, writes)
	}
}

var (
	away    = fault.New(fault.Unavailable, "gone")
	unknown = fault.New(fault.UnknownOutcome, "who knows")
)

func TestAwayAndBackAreSaidOnce(t *testing.T) {
	play(t, func(s *scene) {
		s.host = "a:5432"
		s.read()
		s.up(true, true)
		s.reads, s.writes = away, away
		for range 500 {
			s.read()
			s.write()
			s.log.Quiet()
			time.Sleep(10 * time.Millisecond)
		}
		s.up(false, false)
		s.reads, s.writes, s.host = nil, nil, "b:5432"
		s.read()
		s.up(true, true)
		s.write()
		if s.log.Quiet() {
			s.t.Error("the log is quiet without an outage")
		}
		s.logged(
			"the store is away call=view cause=unavailable: gone host=a:5432",
			"the store is back away=5s failed=1000 host=b:5432 unlogged=500",
		)
	})
}

func TestOnlyWritesAreAway(t *testing.T) {
	play(t, func(s *scene) {
		s.writes = unknown
		for range 3 {
			s.write()
			s.read() // which succeeds
		}
		s.up(true, false)
		time.Sleep(time.Second)
		s.writes = nil
		s.write()
		s.up(true, true)
		s.logged(
			"the store takes no writes call=commit cause=outcome-unknown: who knows",
			"the store takes writes again away=1s failed=3",
		)
	})
}

func TestWritesComeBackLater(t *testing.T) {
	play(t, func(s *scene) {
		s.writes = away
		s.write()
		s.reads = away
		s.read()
		s.up(false, false)
		s.reads = nil
		s.read()
		s.up(true, false)
		s.writes = nil
		s.write()
		s.up(true, true)
		s.logged(
			"the store takes no writes call=commit cause=unavailable: gone",
			"the store is away call=view cause=unavailable: gone",
			"the store is back, but takes no writes away=0s failed=1",
			"the store takes writes again away=0s failed=1",
		)
	})
}

func TestOutageIsCountedEveryMinute(t *testing.T) {
	play(t, func(s *scene) {
		s.reads = away
		for range 130 {
			s.read()
			s.log.Quiet()
			time.Sleep(time.Second)
		}
		s.logged(
			"the store is away call=view cause=unavailable: gone",
			"the store is still away failed=61 unlogged=60",
			"the store is still away failed=121 unlogged=60",
		)
	})
}

// What is no outage: a store that is busy, a request that ends, a refusal.
func TestNoOutage(t *testing.T) {
	play(t, func(s *scene) {
		s.reads, s.writes = fault.Wrap(fault.Unavailable, store.Busy(errors.New("full")), "no connection"), fault.New(fault.Conflict, "no")
		s.read()
		s.write()
		s.reads = fault.New(fault.ProblemNotFound, "no")
		s.read()
		s.reads, s.writes = away, unknown
		left, leave := context.WithCancel(s.t.Context())
		leave()
		_ = s.calls.View(left, nil)
		_, _ = s.calls.Commit(left, store.Change{})
		s.takes = 100 * time.Millisecond
		hurry, end := context.WithTimeout(s.t.Context(), time.Millisecond)
		defer end()
		_, _ = s.calls.Versions(hurry)
		s.takes = 31 * time.Second
		long, end := context.WithTimeout(s.t.Context(), 30*time.Second)
		defer end()
		_ = s.calls.View(long, nil)
		s.up(true, true)
		s.logged()
	})
}

func TestSilentStoreIsAway(t *testing.T) {
	play(t, func(s *scene) {
		s.reads, s.takes = away, 6*time.Second
		ctx, end := context.WithTimeout(s.t.Context(), 5*time.Second)
		defer end()
		_, _ = s.calls.Versions(ctx)
		s.up(false, false)
		s.logged("the store is away call=versions cause=unavailable: gone")
	})
}

// A call that was under way when the store failed says nothing about it.
func TestLateSuccessEndsNoOutage(t *testing.T) {
	play(t, func(s *scene) {
		began := time.Now()
		time.Sleep(time.Second)
		s.reads = away
		s.read()
		s.log.Observe(observe.Call{Name: observe.View, Start: began, Took: 2 * time.Second})
		s.up(false, false)
	})
}

// A store that confirms without writing does not flap while it cannot write.
func TestConfirmEndsAnOutageOfCommitsSlowly(t *testing.T) {
	play(t, func(s *scene) {
		s.writes = away
		for range 30 {
			s.write()
			s.confirm()
			time.Sleep(time.Second)
		}
		s.up(true, false)
		time.Sleep(10 * time.Second)
		s.confirm()
		s.up(true, true)
		s.logged(
			"the store takes no writes call=commit cause=unavailable: gone",
			"the store takes writes again away=40s failed=30",
		)
	})
}

func TestOutageOfConfirmEndsWithACommit(t *testing.T) {
	play(t, func(s *scene) {
		s.confirms = away
		s.confirm()
		s.up(true, false)
		s.write()
		s.up(true, true)
	})
}

func TestWaitingIsAnOutage(t *testing.T) {
	play(t, func(s *scene) {
		for range 2 {
			s.log.Waits(time.Now(), "postgres://db/x", errors.New("refused"))
		}
		s.up(false, false)
		s.reads = away
		s.read()
		time.Sleep(3 * time.Second)
		s.reads = nil
		s.read()
		s.logged(
			"the store is away: the service waits for it store=postgres://db/x cause=refused",
			"the store is back away=3s failed=1",
		)
	})
}

// A probe of the first moment can fail before it is said that the service waits.
func TestWaitingTakesInAFailedWrite(t *testing.T) {
	play(t, func(s *scene) {
		s.writes = away
		s.write()
		s.log.Waits(time.Now(), "postgres://db/x", errors.New("refused"))
		s.write()
		time.Sleep(3 * time.Second)
		s.writes = nil
		s.read()
		s.logged(
			"the store takes no writes call=commit cause=unavailable: gone",
			"the store is away: the service waits for it store=postgres://db/x cause=refused",
			"the store is back away=3s failed=1",
		)
	})
}
