// Package webhookworker delivers the events of the feed to webhooks: on one server at a time of
// those with the same key, in order for each webhook, and with one message under way for each.
package webhookworker

import (
	"context"
	"log/slog"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/app/internal/background"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/webhooks"
	"github.com/problemtracking/problems/domain/webhook"
)

// Options are the needs of a Worker. All have to be given.
type Options struct {
	Service *webhooks.Service
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
	locks  locks
	counts background.Counts[webhook.Outcome] // the attempts of this server
}

// New returns a Worker.
func New(o Options) *Worker { return &Worker{Options: o} }

// Attempts returns the number of attempts of this server with an outcome.
func (w *Worker) Attempts(o webhook.Outcome) int64 { return w.counts.Of(o) }

// afterFailure is the pause after a failure of the store.
const afterFailure = time.Second

// unusedPause is a pause for a store without webhooks for this server, besides the usual one.
// Each look costs the database two statements, or three with webhooks for others.
const unusedPause = 2 * time.Second

// Run delivers until ctx ends.
func (w *Worker) Run(ctx context.Context) {
	deliverer := w.Service.NewDeliverer(w.Alone)
	background.Repeat(ctx, func() error {
		begun := time.Now()
		limited, cancel := context.WithTimeout(ctx, background.Calls)
		taken, all, err := deliverer.Take(limited, begun)
		cancel()
		if err == nil {
			w.see(all)
		}
		if taken {
			w.Logger.Info("this server delivers webhooks", "key", deliverer.Key().String())
			err = w.deliver(ctx, deliverer, begun)
			w.stats.Store(nil)
			if ctx.Err() == nil {
				w.Logger.Info("this server delivers webhooks no longer")
			}
		}
		if err == nil {
			deliverer.Rest(ctx, unusedPause)
		}
		return err
	}, func(err error) {
		w.Logger.Error("webhooks are not delivered; it will be tried again", "error", err.Error())
	})
}
