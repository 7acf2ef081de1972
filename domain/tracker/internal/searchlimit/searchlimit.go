// Package searchlimit bounds the number of searches at a time.
package searchlimit

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/tracker/internal/keylock"
)

// Limit bounds the number of searches at a time. A search can take seconds, and
// holds a connection all the while. Every other request needs one for a moment. One
// user has at most half of the searches, rounded up, so a script with many searches
// does not block the others.
type Limit struct {
	locks   *keylock.Locks[searcher, struct{}]
	waitFor time.Duration
	// waiting and underWay count the waiting and the running searches.
	waiting, underWay atomic.Int64
}

// searcher is the key of a user's searches, or of all searches.
type searcher struct {
	all  bool
	user ident.ID
}

// compareSearchers puts the user first. The searches of one user wait for each other
// before they join the common queue. So the queue has no more of them than may run at
// once.
func compareSearchers(a, b searcher) int {
	switch {
	case a.all == b.all:
		return a.user.Compare(b.user)
	case b.all:
		return -1
	}
	return 1
}

// New returns a limit of at least one search at a time. A search waits for the given time
// at most.
func New(searches int, waitFor time.Duration) *Limit {
	capacity := func(s searcher) int {
		if s.all {
			return searches
		}
		return (searches + 1) / 2
	}
	return &Limit{locks: keylock.New[searcher, struct{}](compareSearchers, capacity), waitFor: waitFor}
}

var errBusy = errors.New("no search ended in time to let this one start")

// Acquire waits until the user may search. The search ends with release. Acquire fails
// with fault.Unavailable when the wait takes too long, and when ctx ends first.
func (l *Limit) Acquire(ctx context.Context, user ident.ID) (release func(), err error) {
	waiting, cancel := context.WithTimeoutCause(ctx, l.waitFor, errBusy)
	defer cancel()
	l.waiting.Add(1)
	lease, err := l.locks.Lock(waiting, searcher{user: user}, searcher{all: true})
	l.waiting.Add(-1)
	switch {
	case err == nil:
		l.underWay.Add(1)
		return func() {
			l.underWay.Add(-1)
			lease.Unlock()
		}, nil
	case context.Cause(waiting) == errBusy:
		return nil, fault.Wrap(fault.Unavailable, errBusy, "too many searches are under way: this one has waited %v; try again later", l.waitFor)
	}
	return nil, keylock.Ended(err)
}

// Count returns the number of waiting and of running searches at this moment.
func (l *Limit) Count() (waiting, underWay int) {
	return int(l.waiting.Load()), int(l.underWay.Load())
}

// Locks returns the number of locks in use: those of the users with a search, and the one
// of all searches. It is 0 without searches.
func (l *Limit) Locks() int { return l.locks.Len() }
