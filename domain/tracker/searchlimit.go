package tracker

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
)

// turns bound how many searches are made at a time. A search can take seconds, and
// needs all the while what every other request needs for a moment. One user has at
// most half of the turns, rounded up: whatever one script asks for, others do not wait
// for all of it.
type turns struct {
	queue   *queue
	waitFor time.Duration
	// waiting and underWay count those who wait for a turn and who have one.
	waiting, underWay atomic.Int64
}

func newTurns(searches int, waitFor time.Duration) *turns {
	q := newQueue()
	q.room = func(kind slotKind) int {
		if kind == slotSearcher {
			return (searches + 1) / 2
		}
		return searches
	}
	return &turns{queue: q, waitFor: waitFor}
}

var errNoTurn = errors.New("no turn came in time")

// take waits for a turn of the user, which leave gives back. It fails with
// fault.Unavailable when there is none in time, and when ctx ends first.
func (t *turns) take(ctx context.Context, user ident.ID) (leave func(), err error) {
	waiting, cancel := context.WithTimeoutCause(ctx, t.waitFor, errNoTurn)
	defer cancel()
	// Those of one user wait for each other first, so that in the line of all
	// there are no more of them than may search at once.
	t.waiting.Add(1)
	turn, err := t.queue.enter(waiting, slot{kind: slotSearcher, user: user}, slot{kind: slotSearch})
	t.waiting.Add(-1)
	switch {
	case err == nil:
		t.underWay.Add(1)
		return func() {
			t.underWay.Add(-1)
			turn.leave()
		}, nil
	case context.Cause(waiting) == errNoTurn:
		err = fault.Wrap(fault.Unavailable, errNoTurn, "too many searches are under way: this one has waited %v for its turn; try again later", t.waitFor)
	}
	return nil, err
}
