// Package webhookworker delivers the events of the feed to webhooks: on one server at a time, in
// order for each webhook, and with one message under way for each.
package webhookworker

import (
	"context"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/webhook"
)

// Options are the needs of a Worker. All have to be given.
type Options struct {
	Service *tracker.Service
	// Encode returns an event in the form of the API.
	Encode func(*metadata.Catalogue, tracker.PublishedEvent) []byte
	Logger *slog.Logger
	// Now is the clock of Service.
	Now func() time.Time
	// Alone is true when no other server can use the store.
	Alone bool
}

// Worker delivers while it runs. Its methods may be called from many goroutines.
type Worker struct {
	Options
	stats  atomic.Pointer[[]Stat]
	counts counts
}

// New returns a Worker.
func New(o Options) *Worker { return &Worker{Options: o} }

// counts are the attempts of this server, by outcome.
type counts struct {
	mu sync.Mutex
	by map[webhook.Outcome]int64
}

func (c *counts) add(o webhook.Outcome) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.by == nil {
		c.by = make(map[webhook.Outcome]int64)
	}
	c.by[o]++
}

// Attempts returns the number of attempts of this server with an outcome.
func (w *Worker) Attempts(o webhook.Outcome) int64 {
	w.counts.mu.Lock()
	defer w.counts.mu.Unlock()
	return w.counts.by[o]
}

const (
	// lookFor is the time between two looks at the lease, on a server without it.
	lookFor = time.Second
	// calls is the time limit of one call to the store.
	calls = 3 * time.Second
	// afterFailure is the pause after a failure of the store.
	afterFailure = time.Second
)

// Run delivers until ctx ends.
func (w *Worker) Run(ctx context.Context) {
	part := w.Service.NewWebhookWorker(w.Alone)
	failing := false
	for ctx.Err() == nil {
		begun := time.Now()
		limited, cancel := context.WithTimeout(ctx, calls)
		taken, err := part.Take(limited, begun)
		cancel()
		if taken {
			w.Logger.Info("this server delivers webhooks")
			err = w.deliver(ctx, part, begun)
			w.stats.Store(nil)
			if ctx.Err() == nil {
				w.Logger.Info("this server delivers webhooks no longer")
			}
		}
		// An outage has lines of its own.
		if now := err != nil && ctx.Err() == nil && !away(err); now != failing {
			if failing = now; failing {
				w.Logger.Error("webhooks are not delivered; it will be tried again", "error", err.Error())
			}
		}
		sleep(ctx, lookFor)
	}
}

// away reports whether the store was away in a call, also in the middle of a write.
func away(err error) bool {
	return fault.Is(err, fault.Unavailable) || fault.Is(err, fault.UnknownOutcome)
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
