// Package core is the road of every write of a use case: lock, load, decide, commit. It
// holds what all use cases share for that.
package core

import (
	"context"
	"io"
	"time"

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
)

// Core is the store of the service with its caches, locks and clock.
type Core struct {
	Store      store.Store
	Now        func() time.Time
	Zone       *time.Location // dates stand for the end of their day there
	Random     io.Reader      // of bytes fit for secrets
	MaxSize    int64          // of a problem, in bytes
	Clock      *clockwatch.Watch
	Views      *views.Views
	Locks      writerlocks.Locks
	Catalogues cache.Catalogue
	Tokens     *cache.Tokens
	Ready      *readiness.Readiness
	Hub        *feedhub.Hub
}

// Moment returns the current moment. It fails with fault.Unavailable while the clock is
// not believed.
func (c *Core) Moment(ctx context.Context) (changes.Moment, error) {
	var random [10]byte
	if _, err := io.ReadFull(c.Random, random[:]); err != nil {
		return changes.Moment{}, fault.Wrap(fault.Internal, err, "cannot read random bytes")
	}
	at, err := c.Clock.Read(ctx)
	if err != nil {
		return changes.Moment{}, err
	}
	at = Stored(at)
	return changes.Moment{At: at, IDs: ident.NewSequence(at, random)}, nil
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
