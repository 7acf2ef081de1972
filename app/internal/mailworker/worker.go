// Package mailworker sends e-mail about the events of the feed: on one server at a time, and
// one mail after the other.
package mailworker

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/mail"
	"github.com/problemtracking/problems/domain/tracker"
)

// Options are the needs of a Worker. All but Alone have to be given.
type Options struct {
	Service *tracker.Service
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
	counts counts
}

// New returns a Worker.
func New(o Options) *Worker { return &Worker{Options: o} }

// Stat is the state of e-mail on the sending server.
type Stat struct {
	// Gathering counts the changed problems before they are quiet, and Pending the waiting
	// mails, each with one problem.
	Gathering, Pending int
	// Oldest is the time since which the oldest mail waits; zero: none does.
	Oldest time.Time
}

// Stat returns the state of e-mail. ok is false on all other servers.
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

// counts are the attempts of this server, by outcome.
type counts struct {
	mu sync.Mutex
	by map[Outcome]int64
}

func (c *counts) add(o Outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.by == nil {
		c.by = make(map[Outcome]int64)
	}
	c.by[o]++
}

// Attempts returns the number of attempts of this server with an outcome.
func (w *Worker) Attempts(o Outcome) int64 {
	w.counts.mu.Lock()
	defer w.counts.mu.Unlock()
	return w.counts.by[o]
}

const (
	// lookFor is the time between two looks at the lease and the feed, on a server that
	// does not send.
	lookFor = time.Second
	// calls is the time limit of one call to the store.
	calls = 3 * time.Second
)

// Run sends until ctx ends.
func (w *Worker) Run(ctx context.Context) {
	part := w.Service.NewMailWorker(w.Alone)
	failing := false
	for ctx.Err() == nil {
		begun := time.Now()
		limited, cancel := context.WithTimeout(ctx, calls)
		state, taken, err := part.Take(limited, begun)
		cancel()
		if taken {
			w.Logger.Debug("this server sends e-mail")
			err = w.send(ctx, part, state, begun.Add(lease.Hold))
			w.stat.Store(nil)
		}
		// An outage of the store has lines of its own.
		if now := err != nil && ctx.Err() == nil && !fault.Is(err, fault.Unavailable); now != failing {
			if failing = now; failing {
				w.Logger.Error("e-mail is not sent; it will be tried again", "error", err.Error())
			}
		}
		sleep(ctx, lookFor)
	}
}

// sleep waits for a time, or for the end of ctx.
func sleep(ctx context.Context, d time.Duration) {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}
