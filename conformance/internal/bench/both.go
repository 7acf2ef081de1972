package bench

import (
	"context"
	"errors"
	"math/bits"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/conformance/harness"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// Both is a Store over two handles on the same data. Each call goes to one of them.
type Both struct {
	Handles [2]store.Store
	calls   atomic.Uint64
}

var _ store.Store = (*Both)(nil)

// next returns the handle of the next call. The order is that of Thue and Morse: it never
// repeats itself, so no case falls into step with it.
func (s *Both) next() store.Store { return s.Handles[bits.OnesCount64(s.calls.Add(1))%2] }

// View implements store.Store, as do the methods below.
func (s *Both) View(ctx context.Context, fn func(store.Reader) error) error {
	return s.next().View(ctx, fn)
}

// Reserve always asks the same handle: two may return the same number.
func (s *Both) Reserve(ctx context.Context) (problem.ID, error) { return s.Handles[0].Reserve(ctx) }

// Commit may go to the handle that did not show what the change expects.
func (s *Both) Commit(ctx context.Context, change store.Change) (store.Receipt, error) {
	return s.next().Commit(ctx, change)
}

// Outcome may ask the handle that did not commit the batch.
func (s *Both) Outcome(ctx context.Context, batch ident.ID, at time.Time) (store.Receipt, bool, error) {
	return s.next().Outcome(ctx, batch, at)
}

// Confirm may ask the handle that did not show this history.
func (s *Both) Confirm(ctx context.Context, shown store.History) error {
	return s.next().Confirm(ctx, shown)
}

// Versions asks the next handle.
func (s *Both) Versions(ctx context.Context) (store.Versions, error) { return s.next().Versions(ctx) }

// Feed asks the next handle. So pages of one walk come from both.
func (s *Both) Feed(ctx context.Context, from int64, limit int, budget int64) ([]event.Entry, error) {
	return s.next().Feed(ctx, from, limit, budget)
}

// FeedEnds asks the next handle.
func (s *Both) FeedEnds(ctx context.Context) (oldest, newest event.Entry, err error) {
	return s.next().FeedEnds(ctx)
}

// Restore fills the data of both handles by one of them.
func (s *Both) Restore(ctx context.Context, archive store.Archive) error {
	return s.next().Restore(ctx, archive)
}

func (s *Both) Close() error { return errors.Join(s.Handles[0].Close(), s.Handles[1].Close()) }

// Share gives a case of shared stores its second handle.
func (b *Bench) Share() {
	if b.C.Shared {
		b.Store = &Both{Handles: [2]store.Store{b.Store, b.Traced("the other handle: ", b.Opened("Peer", b.Engine.Assistant("Peer"), b.H.Peer))}}
	}
}

// Handles returns a bench for each of the two handles.
func (b *Bench) Handles() [2]*Bench {
	one, two := *b, *b
	pair := b.Store.(*Both).Handles
	one.Store, two.Store = pair[0], pair[1]
	return [2]*Bench{&one, &two}
}

// Hold opens a further handle with a Commit that can be held back. After the case it
// releases the Commit and closes the handle.
func (b *Bench) Hold() harness.Holding {
	b.Helper()
	h := b.H.Hold(b.Engine.Assistant("Hold"), b.Env)
	b.Cleanup(func() {
		h.Release()
		if err := h.Store.Close(); err != nil {
			b.Errorf("after the case, Close of the handle with the held Commit failed: %v", err)
		}
	})
	h.Store = b.Traced("the held handle: ", h.Store)
	return h
}
