// Package tracker is the driving port of the service: its use cases. Whatever
// drives the service, an HTTP adapter or the command line, calls a [Service].
//
// Every write takes one road: load what its rule needs, decide with a pure
// function, commit the Change that came of it. See run.
package tracker

import (
	"context"
	"io"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
)

// Service runs the use cases on a store. Its methods may be called from many
// goroutines at once. The errors they return are faults.
type Service struct {
	store  store.Store
	now    func() time.Time
	clock  *watch
	random io.Reader
	limits Limits
	locks  *writerLocks
	cache  *cache
	ready  *readiness
	// searchFor is how long a search may take.
	searchFor time.Duration
	searches  *searchLimit // of those in the store
	lookups   *searchLimit // of those in the catalogue, which take none of its connections
	waitFor   time.Duration
}

// Options are what a Service needs. Those for which 0 stands for something need not be
// given.
type Options struct {
	Store store.Store
	// Now is the clock. It may step back: what is stored does not.
	Now func() time.Time
	// Guard bounds how far the clock may go ahead.
	Guard Guard
	// Random is a source of random bytes fit for secrets, such as
	// crypto/rand.Reader.
	Random io.Reader
	Limits Limits
	// CacheFor is how long tokens are trusted to be as they were before the
	// store is asked again: so long does a revocation by another server take
	// to be seen here. 0 stands for one second; D17 allows two.
	CacheFor time.Duration
	// SearchFor is how long the store may take to find what a search asks for. 0
	// stands for 5 seconds, which is the limit of the query language.
	SearchFor time.Duration
	// Searches is how many searches the store gets at a time, a change of many
	// problems being one; one user can make half of them. It has to be well below
	// the number of Views that the store has at a time, so that all other requests
	// are answered meanwhile. 0 stands for 2.
	Searches int
	// WaitFor is how long a search may wait for its turn, and a large problem for
	// memory. After that it fails with
	// fault.Unavailable. 0 stands for 10 seconds, which leaves time for the search
	// within that of a request (D22).
	WaitFor time.Duration
}

// Limits bound what one problem can have, and how many queries one user can save
// (D22).
type Limits struct {
	// Size is that of a problem, in bytes: see problem.Size (D38).
	Size          int64
	Keywords      int
	Watchers      int
	Relationships int
	Queries       int
}

// DefaultLimits returns the limits of D22 and D38: 64 MiB, and 1,000 of each.
func DefaultLimits() Limits {
	return Limits{Size: 64 << 20, Keywords: 1000, Watchers: 1000, Relationships: 1000, Queries: 1000}
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
	return &Service{
		store:  o.Store,
		now:    o.Now,
		clock:  &watch{store: o.Store, now: o.Now, guard: o.Guard},
		random: o.Random,
		limits: o.Limits,
		locks:  newWriterLocks(),
		cache:  &cache{store: o.Store, now: o.Now, maxAge: o.CacheFor},
		ready:  &readiness{now: o.Now},

		searchFor: o.SearchFor,
		waitFor:   o.WaitFor,
		searches:  newSearchLimit(o.Searches, o.WaitFor),
		lookups:   newSearchLimit(o.Searches, o.WaitFor),
	}
}

// Searches returns how many searches wait for their turn at this moment, and how many
// are under way.
func (s *Service) Searches() (waiting, underWay int) {
	for _, t := range []*searchLimit{s.searches, s.lookups} {
		waiting += int(t.waiting.Load())
		underWay += int(t.underWay.Load())
	}
	return waiting, underWay
}

// remembered is how long replies and batches are kept (D21).
const remembered = 24 * time.Hour

// forgetAtOnce is how much time one Change forgets. What a store has taken within
// a minute is no more than it can forget at once, well within its time limits; what
// has gathered since the last housekeeping may be.
const forgetAtOnce = time.Minute

// Housekeep forgets the replies and batches that are no longer needed, the oldest
// first. It is to be called every hour or so.
func (s *Service) Housekeep(ctx context.Context) error {
	for {
		m, err := s.moment(ctx)
		if err != nil {
			return err
		}
		end := m.at.Add(-remembered)
		before := end
		err = s.store.View(ctx, func(r store.Reader) error {
			oldest, ok, err := r.Oldest(ctx)
			if slice := oldest.Add(forgetAtOnce); ok && slice.Before(end) {
				before = slice
			}
			return err
		})
		if err != nil {
			return err
		}
		if err := s.write(ctx, store.Change{
			Batch:   m.ids.Next(),
			At:      m.at,
			Effects: []store.Effect{store.Expire{Before: before}},
		}); err != nil || before.Equal(end) {
			return err
		}
	}
}

// NewSecret returns the secret of a token that is yet to be stored.
func (s *Service) NewSecret() (access.Secret, error) {
	var random [32]byte
	if _, err := io.ReadFull(s.random, random[:]); err != nil {
		return access.Secret{}, fault.Wrap(fault.Internal, err, "no randomness to be had")
	}
	return access.NewSecret(random), nil
}

// moment is when, and under which identifiers, a decision is made: what makes a
// decision a pure function of its arguments.
type moment struct {
	at  time.Time // UTC, whole milliseconds
	ids ident.Sequence
}

// moment returns the current moment. It fails with fault.Unavailable while the clock is
// not believed.
func (s *Service) moment(ctx context.Context) (moment, error) {
	var random [10]byte
	if _, err := io.ReadFull(s.random, random[:]); err != nil {
		return moment{}, fault.Wrap(fault.Internal, err, "no randomness to be had")
	}
	at, err := s.clock.read(ctx)
	if err != nil {
		return moment{}, err
	}
	at = stored(at)
	return moment{at: at, ids: ident.NewSequence(at, random)}, nil
}

// time returns the time of the clock, also while that is not believed. It is for reads
// and previews: dates of changes come from moment.
func (s *Service) time() time.Time { return stored(s.now()) }

// stored returns a time in the form of all stored times: in UTC, cut to the millisecond
// (D9).
func stored(at time.Time) time.Time { return at.UTC().Truncate(time.Millisecond) }
