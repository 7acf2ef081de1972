// Package mailworker sends e-mail about the events of the feed: on one server at a time, and
// one mail after the other.
package mailworker

import (
	"context"
	"fmt"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/app/internal/background"
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/mail"
	"github.com/problemtracking/problems/domain/tracker/mailing"
)

// Options are the needs of a Worker. All but Alone have to be given.
type Options struct {
	Service *mailing.Service
	Sender  mail.Sender
	// Quiet is the time without a change after which a mail tells of a problem.
	Quiet time.Duration
	// Alone is true when no other server can use the store.
	Alone  bool
	Logger *slog.Logger
}

// Worker sends while it runs. Its methods may be called from many goroutines.
type Worker struct {
	Options
	stat   atomic.Pointer[Stat]
	counts background.Counts[Outcome] // the attempts of this server
}

// New returns a Worker.
func New(o Options) *Worker { return &Worker{Options: o} }

// Stat is the state of e-mail: on the sending server, or on each one while none sends.
type Stat struct {
	// Gathering counts the changed problems before they are quiet, and those that cannot be
	// read. Pending counts the waiting mails, each with one problem.
	Gathering, Pending int
	// Oldest is the time since which the oldest mail waits; zero: none does.
	Oldest time.Time

	sends bool // this server sends
}

// add adds a tray.
func (s *Stat) add(t mail.Tray) {
	s.Pending += len(t.Items) + t.More.Count
	s.waits(t.Since)
}

// addUnread adds the groups whose problems cannot be read.
func (s *Stat) addUnread(groups []mail.Group) {
	s.Gathering += len(groups)
	for _, g := range groups {
		s.waits(g.Since())
	}
}

// waits notes the time since which a mail waits; zero: none does.
func (s *Stat) waits(since time.Time) {
	if !since.IsZero() && (s.Oldest.IsZero() || since.Before(s.Oldest)) {
		s.Oldest = since
	}
}

// Stat returns the state of e-mail. ok is false while another server sends, and while the
// store does not give the state.
func (w *Worker) Stat() (s Stat, ok bool) {
	if current := w.stat.Load(); current != nil {
		return *current, true
	}
	return Stat{}, false
}

// Outcome is the outcome of an attempt to send a mail.
type Outcome string

// The outcomes. Those of a failure have the name of its kind.
const (
	Sent Outcome = "sent"
	// Lost is the outcome of the last attempt for a person.
	Lost Outcome = "lost"
)

// Outcomes returns all outcomes.
func Outcomes() []Outcome {
	return []Outcome{Sent, Outcome(mail.Unreachable), Outcome(mail.Deferred), Outcome(mail.Refused), Lost}
}

// Attempts returns the number of attempts of this server with an outcome.
func (w *Worker) Attempts(o Outcome) int64 { return w.counts.Of(o) }

// Begin makes e-mail start with the next change, unless it has begun before.
func (w *Worker) Begin(ctx context.Context) error {
	if err := w.Service.NewMailer(w.Alone).Begin(ctx); err != nil {
		return fmt.Errorf("the start of e-mail cannot be stored: %w", err)
	}
	return nil
}

// Run sends until ctx ends.
func (w *Worker) Run(ctx context.Context) {
	mailer := w.Service.NewMailer(w.Alone)
	background.Repeat(ctx, func() error {
		begun := time.Now()
		limited, cancel := context.WithTimeout(ctx, background.Calls)
		state, taken, err := mailer.Take(limited, begun)
		cancel()
		w.look(state)
		if taken {
			w.Logger.Debug("this server sends e-mail")
			err = w.send(ctx, mailer, *state, begun.Add(lease.Hold))
		}
		return err
	}, func(err error) {
		w.Logger.Error("e-mail is not sent; it will be tried again", "error", err.Error())
	})
}

// look publishes a stored state. Mail may wait for a day while no server has work. nil:
// another server publishes its state.
func (w *Worker) look(stored *mail.State) {
	if stored == nil {
		w.stat.Store(nil)
		return
	}
	var s Stat
	for _, t := range stored.Trays {
		s.add(t)
	}
	s.addUnread(stored.Unread)
	w.stat.Store(&s)
}
