package conformance

import (
	"context"
	"errors"
	"math/bits"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// both is a Store whose calls go to one of two handles on the same data.
type both struct {
	handles [2]store.Store
	calls   atomic.Uint64
}

var _ store.Store = (*both)(nil)

// next returns the handle of the next call. The order, that of Thue and Morse,
// never repeats itself, so that no case falls into step with it.
func (s *both) next() store.Store { return s.handles[bits.OnesCount64(s.calls.Add(1))%2] }

func (s *both) View(ctx context.Context, fn func(store.Reader) error) error {
	return s.next().View(ctx, fn)
}

// Reserve always asks the same handle: two may return the same number.
func (s *both) Reserve(ctx context.Context) (problem.ID, error) { return s.handles[0].Reserve(ctx) }

func (s *both) Commit(ctx context.Context, change store.Change) (store.Receipt, error) {
	return s.next().Commit(ctx, change)
}

func (s *both) Outcome(ctx context.Context, batch ident.ID, at time.Time) (store.Receipt, bool, error) {
	return s.next().Outcome(ctx, batch, at)
}

func (s *both) Confirm(ctx context.Context, shown store.History) error {
	return s.next().Confirm(ctx, shown)
}

func (s *both) Versions(ctx context.Context) (store.Versions, error) { return s.next().Versions(ctx) }

func (s *both) Restore(ctx context.Context, archive store.Archive) error {
	return s.next().Restore(ctx, archive)
}

func (s *both) Close() error { return errors.Join(s.handles[0].Close(), s.handles[1].Close()) }

// share gives a case of shared stores its second handle.
func (b *bench) share() {
	if b.c.Shared {
		b.store = &both{handles: [2]store.Store{b.store, b.traced("the other handle: ", b.opened("Peer", b.engine.Assistant("Peer"), b.h.Peer))}}
	}
}

// handles returns a bench for each of the two handles.
func (b *bench) handles() [2]*bench {
	one, two := *b, *b
	pair := b.store.(*both).handles
	one.store, two.store = pair[0], pair[1]
	return [2]*bench{&one, &two}
}
