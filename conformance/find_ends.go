package conformance

import (
	"context"
	"fmt"
	"sync/atomic"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
)

// ending is a context that ends by itself when it was asked some times whether it has.
type ending struct {
	context.Context
	end  context.CancelFunc
	left atomic.Int64
}

func (c *ending) ask() {
	if c.left.Add(-1) < 0 {
		c.end()
	}
}

func (c *ending) Err() error {
	c.ask()
	return c.Context.Err()
}

func (c *ending) Done() <-chan struct{} {
	c.ask()
	return c.Context.Done()
}

// checkFindEnds searches with contexts that end sooner or later.
func checkFindEnds(b *bench) {
	x := b.exhibits()
	b.restore(x.holdings)
	want := without(13)
	for asks := range int64(40) {
		inner, cancel := context.WithCancel(b.ctx)
		ctx := &ending{Context: inner, end: cancel}
		ctx.left.Store(asks)
		var hits []store.Hit
		var failed error
		err := b.store.View(b.ctx, func(r store.Reader) error {
			catalogue, err := r.Catalogue(b.ctx)
			if err != nil {
				return err
			}
			q, err := asked{predicate: `title MATCHES '[^0-9].*' AND ALL comments.text MATCHES '(?s).*'`, sort: "identifier", as: x.ann}.query(catalogue)
			if err != nil {
				return err
			}
			hits, failed = r.Search(ctx, q)
			return nil
		})
		// A View may fail after a statement within it was given up.
		if err != nil {
			b.fails("the View whose Search was given up", fault.Unavailable, err)
		}
		switch {
		case failed != nil:
			b.fails(fmt.Sprintf("Search with a context that ends when it was asked %d times", asks), fault.Unavailable, failed)
		case asks == 0:
			b.failf("Search found something with a context that was over")
		default:
			b.equal("the hits", want, numbers(hits))
		}
		cancel()
	}
}
