// Package searchlimit bounds the number of searches at a time.
package searchlimit

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/tracker/internal/keylock"
)

// Limit bounds the number of searches at a time. A search can take seconds, and
// holds a connection all the while. Every other request needs one for a moment. One
// user can have all searches while nobody else wants one. Then the next free place is for
// the user with the fewest, so a script with many searches does not block the others.
type Limit struct {
	most    int
	waitFor time.Duration

	mu       sync.Mutex
	underWay map[ident.ID]int // no entry: 0
	taken    int
	turns    uint64
	last     map[ident.ID]uint64 // the last turn of each user that searches or waits
	waiting  []*waiter           // in the order of arrival
}

// waiter waits for a place.
type waiter struct {
	user    ident.ID
	granted chan struct{} // closed with the place
}

// New returns a limit of at least one search at a time. A search waits for the given time
// at most.
func New(searches int, waitFor time.Duration) *Limit {
	return &Limit{most: max(1, searches), waitFor: waitFor, underWay: map[ident.ID]int{}, last: map[ident.ID]uint64{}}
}

var errBusy = errors.New("no search ended in time to let this one start")

// Acquire waits until the user may search. The search ends with release. Acquire fails
// with fault.Unavailable when the wait takes too long, and when ctx ends first.
func (l *Limit) Acquire(ctx context.Context, user ident.ID) (release func(), err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, l.waitFor, errBusy)
	defer cancel()
	w := &waiter{user, make(chan struct{})}
	l.mu.Lock()
	l.waiting = append(l.waiting, w)
	l.grant()
	l.mu.Unlock()
	select {
	case <-w.granted: // even after the end of ctx, when there was no wait
	default:
		select {
		case <-w.granted:
		case <-ctx.Done():
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if i := slices.Index(l.waiting, w); i >= 0 {
		l.waiting = slices.Delete(l.waiting, i, i+1)
		l.forget(user)
		if context.Cause(ctx) == errBusy {
			return nil, fault.Wrap(fault.Unavailable, errBusy, "too many searches are under way: this one has waited %v; try again later", l.waitFor)
		}
		return nil, keylock.Ended(ctx.Err())
	}
	return func() { l.leave(user) }, nil
}

// grant gives free places to those who wait: first to the users with the fewest, and of these to
// that with the oldest turn.
func (l *Limit) grant() {
	for ; l.taken < l.most && len(l.waiting) > 0; l.taken++ {
		next := slices.MinFunc(l.waiting, func(a, b *waiter) int {
			return cmp.Or(cmp.Compare(l.underWay[a.user], l.underWay[b.user]), cmp.Compare(l.last[a.user], l.last[b.user]))
		})
		l.waiting = slices.DeleteFunc(l.waiting, func(w *waiter) bool { return w == next })
		l.underWay[next.user]++
		l.turns++
		l.last[next.user] = l.turns
		close(next.granted)
	}
}

func (l *Limit) leave(user ident.ID) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.taken--
	if l.underWay[user]--; l.underWay[user] == 0 {
		delete(l.underWay, user)
	}
	l.grant()
	l.forget(user)
}

// forget drops the last turn of a user without searches.
func (l *Limit) forget(user ident.ID) {
	if l.underWay[user] == 0 && !slices.ContainsFunc(l.waiting, func(w *waiter) bool { return w.user == user }) {
		delete(l.last, user)
	}
}

// Count returns the number of waiting and of running searches at this moment.
func (l *Limit) Count() (waiting, underWay int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.waiting), l.taken
}

// Users returns the number of users with a search or a wait for one.
func (l *Limit) Users() int {
	l.mu.Lock()
	defer l.mu.Unlock()
	return len(l.last)
}
