package mailing

import (
	"context"
	"crypto/rand"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/mail"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
	"github.com/problemtracking/problems/domain/tracker/internal/stage"
)

// service is the Service of a Stage.
type service struct {
	*Service
	stage.Stage
}

func newService(t *testing.T) service {
	s := stage.New(t, rand.Reader)
	return service{New(s.Tracker, s.Administration), s}
}

// A copy of the store sends no mail about changes before it, so somebody has to know.
func TestMailWaits(t *testing.T) {
	t.Parallel()
	s := newService(t)
	waits := func(want bool, when string) {
		t.Helper()
		if got, err := s.Waits(t.Context()); err != nil || got != want {
			t.Errorf("%s: %t, %v, want %t", when, got, err, want)
		}
	}
	s.Problem(t, "The lamp is broken")
	waits(false, "without e-mail")
	mailer := s.NewMailer(true)
	state, taken, err := mailer.Take(t.Context(), time.Now())
	if kit.NoError(t, err); !taken {
		t.Fatal("the lease is not free")
	}
	waits(false, "before the first change")
	id := s.Problem(t, "Another one")
	waits(true, "with a change")
	state.Cursor, err = mailer.Newest(t.Context())
	kit.NoError(t, err)
	state.Trays = []mail.Tray{mail.Tray{User: s.Admin.User}.Put(mail.Item{Problem: id, From: 1, Through: 1}, kit.Noon)}
	_, err = mailer.Save(t.Context(), *state)
	kit.NoError(t, err)
	waits(true, "with a mail")
	state.Trays = []mail.Tray{{User: s.Admin.User, More: mail.Excess{Count: 1}}}
	_, err = mailer.Save(t.Context(), *state)
	kit.NoError(t, err)
	waits(true, "with a change that is only counted")
	state.Trays = []mail.Tray{{User: s.Admin.User, Sent: 1, Begun: kit.Noon}}
	kit.NoError(t, mailer.Release(t.Context(), *state))
	waits(false, "after it")
}

// E-mail tells of the changes since its first start, however late the first look at them is.
func TestMailBegins(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.Problem(t, "before e-mail")
	mailer := s.NewMailer(false)
	begun, err := mailer.Newest(t.Context())
	kit.NoError(t, err)
	for _, when := range []string{"the first start", "the next one"} {
		kit.NoError(t, s.NewMailer(false).Begin(t.Context()))
		s.Problem(t, when)
	}
	state, taken, err := mailer.Take(t.Context(), time.Now())
	if kit.NoError(t, err); !taken || state.Cursor != begun {
		t.Errorf("taken is %t, and mail begins behind %v, want %v", taken, state.Cursor, begun)
	}
	kit.NoError(t, s.NewMailer(false).Begin(t.Context()))
	if held, err := mailer.Save(t.Context(), *state); !held || err != nil {
		t.Errorf("a start took the lease: %t, %v", held, err)
	}
}

// feedReads counts the reads of the feed.
type feedReads struct {
	store.Store
	n int
}

func (s *feedReads) FeedEnds(ctx context.Context) (oldest, newest event.Entry, err error) {
	s.n++
	return s.Store.FeedEnds(ctx)
}

func (s *feedReads) Feed(ctx context.Context, from int64, limit int, budget int64) ([]event.Entry, error) {
	s.n++
	return s.Store.Feed(ctx, from, limit, budget)
}

// A server looks at the lease every second. While another one has it, the feed is not read.
func TestHeldMailLeaseIsEnough(t *testing.T) {
	t.Parallel()
	s := newService(t)
	holds, looks := s.NewMailer(false), s.NewMailer(false)
	s.Problem(t, "told of")
	if _, taken, err := holds.Take(t.Context(), time.Now()); !taken || err != nil {
		t.Fatalf("taken %t, %v", taken, err)
	}
	counted := &feedReads{Store: s.core.Store}
	s.core.Store = counted
	if _, taken, err := looks.Take(t.Context(), time.Now()); taken || err != nil || counted.n > 0 {
		t.Errorf("taken %t, %v, after %d reads of the feed", taken, err, counted.n)
	}
}

// A state is parsed once. The worker changes what it has taken, and may end without a save.
func TestMailStateIsTakenAsStored(t *testing.T) {
	t.Parallel()
	s := newService(t)
	id := s.Problem(t, "told of")
	mailer := s.NewMailer(true)
	take := func() *mail.State {
		t.Helper()
		state, taken, err := mailer.Take(t.Context(), time.Now())
		if kit.NoError(t, err); !taken {
			t.Fatal("there is work, and the lease is not taken")
		}
		return state
	}
	state := take()
	state.Trays = []mail.Tray{mail.Tray{User: s.Admin.User}.Put(mail.Item{Problem: id, From: 1, Through: 1}, kit.Noon)}
	want := state.Encode()
	kit.NoError(t, mailer.Release(t.Context(), *state))
	for range 3 {
		state = take()
		if got := state.Encode(); got != want {
			t.Fatalf("the state is %s, want %s", got, want)
		}
		state.Trays[0].Items[0].Through++
	}
}
