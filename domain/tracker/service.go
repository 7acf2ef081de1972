// Package tracker has the use cases of problems, of searches and of the feed. Most files are named
// after the nouns of the use cases. Administration, webhooks, e-mail, erasures and sessions have
// packages of their own below, with a Service each. Package usecases puts them together.
//
// Every write of a user goes the same way, in core.Run: lock the objects, load the data for the
// rule, decide with a pure function, commit the resulting Change. Housekeeping, leases and
// the probe of readiness have no rule to decide, and commit directly. The packages in
// internal hold code without a Service that use cases share: caches, locks, limits, the
// kinds of metadata, checks of a body, and the building of Changes.
package tracker

import (
	"context"
	"io"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/domain/blob"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/cache"
	"github.com/problemtracking/problems/domain/tracker/internal/clockwatch"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
	"github.com/problemtracking/problems/domain/tracker/internal/feedhub"
	"github.com/problemtracking/problems/domain/tracker/internal/line"
	"github.com/problemtracking/problems/domain/tracker/internal/readiness"
	"github.com/problemtracking/problems/domain/tracker/internal/searchlimit"
	"github.com/problemtracking/problems/domain/tracker/internal/views"
	"github.com/problemtracking/problems/domain/tracker/internal/writerlocks"
	"github.com/problemtracking/problems/domain/webhook"
)

// Service runs the use cases on a store. Its methods may be called from many goroutines
// at once. The returned errors are faults.
type Service struct {
	core      *core.Core
	limits    Limits
	searches  *searchlimit.Limit // of searches in the store
	lookups   *searchlimit.Limit // of searches in the catalogue, without connections of the store
	claimants line.Line          // of ClaimNext
	keepFeed  time.Duration      // 0: for ever
	files     blob.Store         // nil: there is none
	filesRoom filesRoom
	keepFiles time.Duration
	ownsFiles atomic.Bool // since its last sweep
}

// Options configure a Service. Options with a default for 0 may be left out.
type Options struct {
	Store store.Store
	// Now is the clock. It may step back. Stored times do not.
	Now func() time.Time
	// Zone is where a date stands for its whole day (D9); nil is UTC.
	Zone *time.Location
	// Guard bounds how far the clock may go ahead.
	Guard Guard
	// Random is a source of random bytes fit for secrets, such as
	// crypto/rand.Reader.
	Random io.Reader
	Limits Limits
	// CacheFor is the lifetime of cached tokens. A revocation by another server takes
	// this long to have an effect here. 0 means one second; D17 allows two.
	CacheFor time.Duration
	// SearchFor is the time limit of a search in the store. 0 means 5 seconds, the
	// limit of the query language.
	SearchFor time.Duration
	// Searches is the number of concurrent searches in the store. A change of many
	// problems counts as one search. One user can have all while nobody else waits. The number has to
	// be well below the number of concurrent Views of the store, so all other requests
	// are answered meanwhile. 0 means 2.
	Searches int
	// KeepEvents is the time after which Housekeep may forget the events of the feed. 0
	// means never.
	KeepEvents time.Duration
	// FeedPoll is the time between two looks at the feed while somebody follows it. An
	// event of another server takes this long to arrive. 0 means 500 ms.
	FeedPoll time.Duration
	// WebhookKey returns the key behind the secrets of webhooks (D40). It is called when
	// somebody needs it. nil: there is none.
	WebhookKey func() (webhook.Key, error)
	// Files keeps the files of attachments (D48). nil: nobody can add one.
	Files     blob.Store
	FilesRoom FilesRoom
	// KeepDeletedFiles is how long the files of deleted attachments stay.
	KeepDeletedFiles time.Duration
	// WaitFor limits the wait of a search for the search limit, and of a large problem
	// for memory. A longer wait fails with fault.Unavailable. 0 means 10 seconds, and
	// leaves time for the search within the time limit of a request (D22).
	WaitFor time.Duration
}

// Limits bound the parts of one problem, the saved queries of one user, and the milestones
// (D22).
type Limits struct {
	// Size is the limit of a problem's size in bytes: see problem.Size (D38).
	Size          int64
	Keywords      int
	Watchers      int
	Relationships int
	Queries       int
	Milestones    int   // 0 for any number
	Attachments   int   // that are not deleted
	File          int64 // the bytes of one file
}

// DefaultLimits returns the limits of D22, D38 and D48: 64 MiB, files of 100 MiB, 10,000
// milestones, and 1,000 of each other.
func DefaultLimits() Limits {
	return Limits{Size: 64 << 20, Keywords: 1000, Watchers: 1000, Relationships: 1000, Queries: 1000, Milestones: 10_000, Attachments: 1000, File: 100 << 20}
}

// New returns a Service. It does not touch the store.
func New(o Options) *Service {
	if o.CacheFor == 0 {
		o.CacheFor = time.Second
	}
	if o.SearchFor == 0 {
		o.SearchFor = searchFor
	}
	if o.Searches == 0 {
		o.Searches = searches
	}
	if o.WaitFor == 0 {
		o.WaitFor = waitFor
	}
	if o.Zone == nil {
		o.Zone = time.UTC
	}
	s := &Service{
		core: &core.Core{
			Store:      o.Store,
			Now:        o.Now,
			Zone:       o.Zone,
			Random:     o.Random,
			MaxSize:    o.Limits.Size,
			SearchFor:  o.SearchFor,
			Milestones: o.Limits.Milestones,
			Key:        o.WebhookKey,
			Clock: clockwatch.New(o.Now, o.Guard, func(ctx context.Context) (time.Time, error) {
				return newestTime(ctx, o.Store)
			}),
			Views:  views.New(o.Store, o.WaitFor, o.Limits.Relationships),
			Locks:  writerlocks.New(),
			Tokens: cache.NewTokens(o.Store, o.Now, o.CacheFor),
			Ready:  readiness.New(o.Now),
		},
		limits:    o.Limits,
		searches:  searchlimit.New(o.Searches, o.WaitFor),
		lookups:   searchlimit.New(o.Searches, o.WaitFor),
		keepFeed:  o.KeepEvents,
		files:     o.Files,
		keepFiles: o.KeepDeletedFiles,
	}
	s.filesRoom.FilesRoom = o.FilesRoom
	s.core.Hub = feedhub.New(o.Store, s.core.Catalogue, o.FeedPoll)
	return s
}

// Core returns what the use cases in other packages share with these.
func (s *Service) Core(core.Insider) *core.Core { return s.core }

// Zone returns the time zone of dates.
func (s *Service) Zone() *time.Location { return s.core.Zone }

// Searches returns the number of waiting and of running searches at this moment.
func (s *Service) Searches() (waiting, underWay int) {
	for _, limit := range []*searchlimit.Limit{s.searches, s.lookups} {
		w, u := limit.Count()
		waiting += w
		underWay += u
	}
	return waiting, underWay
}

// expirySpan is the span of time forgotten by one Change. A store can forget the
// writes of one minute at once, well within its time limits. The writes since the last
// housekeeping may be too many.
const expirySpan = time.Minute

// Housekeep forgets expired replies and batches, and old events. Callers
// run it every hour or so.
func (s *Service) Housekeep(ctx context.Context) error {
	// A store may number entries when somebody reads the feed. Without readers they would
	// wait, more and more of them, for the first one.
	if _, _, err := s.core.Store.FeedEnds(ctx); err != nil {
		return err
	}
	if err := s.forgetEvents(ctx); err != nil {
		return err
	}
	return s.expire(ctx)
}

func (s *Service) expire(ctx context.Context) error {
	for {
		m, err := s.core.Moment(ctx)
		if err != nil {
			return err
		}
		end := m.At.Add(-core.ReplyLifetime)
		before := end
		err = s.core.Store.View(ctx, func(r store.Reader) error {
			oldest, ok, err := r.Oldest(ctx)
			if slice := oldest.Add(expirySpan); ok && slice.Before(end) {
				before = slice
			}
			return err
		})
		if err != nil {
			return err
		}
		if err := s.core.CommitUnsettled(ctx, store.Change{
			Batch:   m.IDs.Next(),
			At:      m.At,
			Effects: []store.Effect{store.Expire{Before: before}},
		}); err != nil || before.Equal(end) {
			return err
		}
	}
}
