package postgres_test

import (
	"context"
	"errors"
	"slices"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/tracker/usecases"
)

// failoverClient writes in every way there is, one write after the other. It repeats a
// write until it is told what has become of it, each time at the other server. What it
// reads it does not rely on, unless an answer to a write has said so before.
type failoverClient struct {
	*failover
	home  problem.ID    // that nobody else changes
	twins [2]problem.ID // likewise
	last  problem.ID    // that it created last and has not linked yet
	calls int
}

// requestLimit is for how long a client waits for an answer.
const requestLimit = 2600 * time.Millisecond

// retryPause is how long a client waits before it asks again.
const retryPause = 10 * time.Millisecond

// call sends one request to the next server.
func (c *failoverClient) call(do func(context.Context, *usecases.All) error) error {
	ctx, cancel := context.WithTimeout(c.ctx, requestLimit)
	defer cancel()
	c.calls++
	return do(ctx, c.servers[c.calls%len(c.servers)])
}

// insist repeats a write until it is told what has become of it. Refusals of some kinds
// say that what it wants is so.
func (c *failoverClient) insist(do func(context.Context, *usecases.All) error, so ...fault.Kind) told {
	all := notDone
	for c.ctx.Err() == nil {
		t, again := c.attempt(do, so...)
		if t != notDone {
			all = t
		}
		if t == acknowledged || !again {
			break
		}
		time.Sleep(retryPause)
	}
	return all
}

// insistOnce repeats a write that would happen twice only while it is not done.
func (c *failoverClient) insistOnce(do func(context.Context, *usecases.All) error) told {
	for c.ctx.Err() == nil {
		if t, again := c.attempt(do); t != notDone || !again {
			return t
		}
		time.Sleep(retryPause)
	}
	return notDone
}

// attempt tries a write once. again reports whether it may be worth repeating.
func (c *failoverClient) attempt(do func(context.Context, *usecases.All) error, so ...fault.Kind) (t told, again bool) {
	frozen := c.frozen.Load()
	err := c.call(do)
	switch kind := fault.KindOf(err); {
	case err == nil, slices.Contains(so, kind):
		if c.acknowledged.Add(1); frozen && c.frozen.Load() {
			c.baseless.Add(1)
		}
		return acknowledged, false
	case kind == fault.UnknownOutcome:
		c.unknown.Add(1)
		return untold, true
	case kind == fault.Unavailable, errors.Is(err, errAgain):
		return notDone, true
	case kind == fault.Internal:
		c.t.Errorf("a write: %v", err)
	}
	return notDone, false
}

// errAgain says that a write has to be decided again.
var errAgain = errors.New("decide again")

// run writes until the round is over, in the order of writes from one of them on.
func (c *failoverClient) run(from int) {
	writes := c.writes()
	for i := from; !c.over.Load(); i++ {
		writes[i%len(writes)]()
	}
}
