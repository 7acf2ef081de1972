package crash

import (
	"errors"
	"runtime"

	"github.com/problemtracking/problems/conformance/harness"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// watch looks for the latest Changes of the writers, until an error or their end. The
// store must confirm each shown Change: answers without a write rest on them.
func (c *child) watch(writers []*source, written <-chan struct{}) {
	vouched := make(map[ident.ID]bool)
	for {
		select {
		case <-written:
			return
		default:
		}
		for _, d := range writers {
			latest := d.latest.Load()
			if latest == nil {
				continue
			}
			for _, one := range latest {
				if vouched[one.Batch] {
					continue
				}
				sight, history, shown, err := c.look(one)
				if err == nil && !shown {
					continue
				}
				if err == nil {
					err = c.vouch(&sight, history)
				}
				if c.ended(sight, err); err != nil {
					return
				}
				vouched[one.Batch] = true
			}
		}
		runtime.Gosched()
	}
}

// follow reads the feed behind the present newest entry, until an error or the end of the
// writers.
func (c *child) follow(written <-chan struct{}) {
	_, newest, err := c.store.FeedEnds(c.ctx)
	from := newest.Number + 1
	for err == nil {
		select {
		case <-written:
			return
		default:
		}
		var entries []event.Entry
		entries, err = c.store.Feed(c.ctx, from, 100, 1<<20)
		for _, e := range entries {
			c.say(harness.Statement{Phase: harness.Acknowledged, Action: harness.Following, Batch: e.Batch, Number: e.Number})
			from = e.Number + 1
		}
		runtime.Gosched()
	}
	c.ended(harness.Statement{Action: harness.Following}, err)
}

// look reports whether a View shows a Change, and returns the statement about it.
func (c *child) look(one harness.Statement) (sight harness.Statement, history store.History, shown bool, err error) {
	sight = harness.Statement{Action: harness.Confirming, Batch: one.Batch}
	if c.Settle {
		sight.Action = harness.Settling
	}
	err = c.store.View(c.ctx, func(r store.Reader) error {
		found, err := r.Problems(c.ctx, []problem.ID{one.Problems[0]}, ident.None, 0)
		shown = len(found) == 1 && found[0].Originator == idOf(one, 1)
		history = r.History()
		return err
	})
	if err == nil && shown && !c.Settle {
		var v store.Versions
		v, err = c.store.Versions(c.ctx)
		sight.Catalogue = v.Catalogue.Number
	}
	return sight, history, shown, err
}

// vouch asks the store to confirm a shown Change.
func (c *child) vouch(sight *harness.Statement, shown store.History) error {
	if !c.Settle {
		return c.store.Confirm(c.ctx, shown)
	}
	receipt, stored, err := c.store.Outcome(c.ctx, sight.Batch, beginning)
	if err == nil && !stored {
		err = errors.New("Outcome says of a Change that a View has shown that it never will be stored")
	}
	sight.Position = receipt.Position
	return err
}
