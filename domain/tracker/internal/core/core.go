// Package core is what all use cases share: callers, answers, the road of a write (lock, load,
// decide, commit), the reads for a user, the tokens and the feed.
package core

import (
	"context"
	"io"
	"time"

	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/cache"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/tracker/internal/clockwatch"
	"github.com/problemtracking/problems/domain/tracker/internal/feedhub"
	"github.com/problemtracking/problems/domain/tracker/internal/readiness"
	"github.com/problemtracking/problems/domain/tracker/internal/views"
	"github.com/problemtracking/problems/domain/tracker/internal/writerlocks"
	"github.com/problemtracking/problems/domain/webhook"
)

// Insider is the argument of tracker.Service.Core. Only packages that can import this one can make
// it: adapters reach the store by use cases alone.
type Insider struct{ _ byte }

// Core is the store of the service with its caches, locks and clock.
type Core struct {
	Store     store.Store
	Now       func() time.Time
	Zone      *time.Location // dates stand for the end of their day there
	Random    io.Reader      // of bytes fit for secrets
	MaxSize   int64          // of a problem, in bytes
	SearchFor time.Duration  // the time limit of a search
	// Milestones is the largest number of milestones; 0 for any number.
	Milestones int
	// Key returns the key of the secrets of webhooks, and of the links in e-mail. nil: there is none.
	Key        func() (webhook.Key, error)
	Clock      *clockwatch.Watch
	Views      *views.Views
	Locks      writerlocks.Locks
	Catalogues cache.Catalogue
	Tokens     *cache.Tokens
	Ready      *readiness.Readiness
	Hub        *feedhub.Hub
	Uses       Uses
}

// Moment returns the current moment. It fails with fault.Unavailable while the clock is
// not believed.
func (c *Core) Moment(ctx context.Context) (changes.Moment, error) {
	var random [10]byte
	if err := c.ReadRandom(random[:]); err != nil {
		return changes.Moment{}, err
	}
	at, err := c.Clock.Read(ctx)
	if err != nil {
		return changes.Moment{}, err
	}
	at = Stored(at)
	return changes.Moment{At: at, IDs: ident.NewSequence(at, random)}, nil
}

// ReadRandom fills b with random bytes fit for secrets.
func (c *Core) ReadRandom(b []byte) error {
	if _, err := io.ReadFull(c.Random, b); err != nil {
		return fault.Wrap(fault.Internal, err, "cannot read random bytes")
	}
	return nil
}

// Time returns the time of the clock, even an unbelieved one. It is for reads and
// previews. Dates of changes come from Moment.
func (c *Core) Time() time.Time { return Stored(c.Now()) }

// Stored returns a time in the form of all stored times: in UTC, cut to the millisecond
// (D9).
func Stored(at time.Time) time.Time { return at.UTC().Truncate(time.Millisecond) }

// Catalogue returns the current catalogue.
func (c *Core) Catalogue(ctx context.Context) (now *metadata.Catalogue, err error) {
	err = c.Store.View(ctx, func(r store.Reader) error {
		now, err = c.Catalogues.Now(ctx, r)
		return err
	})
	return now, err
}

// Newest returns the position behind the newest event of the feed, or event.Start.
func (c *Core) Newest(ctx context.Context) (event.Cursor, error) {
	_, last, err := c.Store.FeedEnds(ctx)
	if err != nil || last.Number == 0 {
		return event.Start, err
	}
	// FeedEnds returns no events, and a cursor has their number.
	entries, err := c.Store.Feed(ctx, last.Number, 1, 1)
	if err != nil {
		return event.Start, err
	}
	if len(entries) == 0 {
		return event.Start, fault.New(fault.Unavailable, "the newest event of the feed was lost")
	}
	return entries[0].End(), nil
}

// ServiceKey returns the key behind the secrets of webhooks, and the links in e-mail.
func (c *Core) ServiceKey() (webhook.Key, error) {
	if c.Key == nil {
		return webhook.Key{}, fault.New(fault.Unavailable, "this server has no key for webhooks and e-mail")
	}
	key, err := c.Key()
	if err != nil {
		return webhook.Key{}, fault.New(fault.Unavailable, "the server has no key for the secrets of webhooks (PROBLEMS_WEBHOOK_KEY_FILE): %v", err)
	}
	return key, nil
}

// MostOnPage is the greatest limit of a page: of a search, and of the audit log.
const MostOnPage = 1000
