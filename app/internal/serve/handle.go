package serve

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"go.uber.org/fx"

	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

const (
	// firstTry is how long the start waits for a store before the service listens
	// without it.
	firstTry = 3 * time.Second
	// nextTry is the pause before the next try to open a store.
	nextTry = time.Second
)

// opener opens a store.
type opener func(context.Context) (store.Store, error)

// handle is a store known when the service is put together, and opened later. Until it is
// open and seeded, calls fail with fault.Unavailable: a store without its first token would
// refuse that token.
type handle struct {
	open opener
	// waits is true for a store that may be away at the start.
	waits  bool
	ctx    context.Context // of the opener
	cancel context.CancelFunc
	opened atomic.Pointer[store.Store]
	seeded atomic.Bool
	tries  sync.WaitGroup
	ended  chan error // gets how the try under way has ended
}

// newHandle returns a store that opens when the service starts and closes when it stops.
func newHandle(lc fx.Lifecycle, start starting, waits bool, open opener) *handle {
	h := &handle{open: open, waits: waits, ended: make(chan error, 1)}
	h.ctx, h.cancel = context.WithCancel(start)
	lc.Append(fx.Hook{OnStart: h.start, OnStop: h.stop})
	return h
}

// current returns the store, or nil as long as it is not open.
func (h *handle) current() store.Store {
	if s := h.opened.Load(); s != nil {
		return *s
	}
	return nil
}

// start opens the store. It also returns nil for a store worth waiting for.
func (h *handle) start(context.Context) error {
	h.try()
	var limit <-chan time.Time // nil: for as long as it takes
	if h.waits {
		limit = time.After(firstTry)
	}
	select {
	case err := <-h.ended:
		if h.worthWaiting(err) {
			h.ended <- err
			return nil
		}
		return err
	case <-limit:
		return nil
	}
}

func (h *handle) try() {
	h.tries.Go(func() {
		s, err := h.open(h.ctx)
		if err == nil {
			h.opened.Store(&s)
		}
		h.ended <- err
	})
}

// wait returns when the store is open. Otherwise its error is beyond waiting. It calls
// away, at least once, with the reason of the wait.
func (h *handle) wait(away func(error)) error {
	var err error
	select {
	case err = <-h.ended:
	default:
		away(fmt.Errorf("no answer within %s", firstTry))
		err = <-h.ended
	}
	for h.worthWaiting(err) {
		away(err)
		if err := h.pause(); err != nil {
			return err
		}
		h.try()
		err = <-h.ended
	}
	return err
}

// pause waits for the time of the next try. It fails when the service is to end.
func (h *handle) pause() error {
	select {
	case <-time.After(nextTry):
		return nil
	case <-h.ctx.Done():
		return h.ctx.Err()
	}
}

// worthWaiting reports whether the store is away only for now.
func (h *handle) worthWaiting(err error) bool {
	return h.waits && h.ctx.Err() == nil && (fault.Is(err, fault.Unavailable) || fault.Is(err, fault.UnknownOutcome))
}

// isOpen reports whether the store can be used.
func (h *handle) isOpen() bool { return h.opened.Load() != nil }

func (h *handle) stop(context.Context) error {
	h.cancel()
	h.tries.Wait()
	return h.Close()
}

var errNotOpen = errors.New("the store is not open yet")

// seeding is the key of a context whose calls need no seed.
type seeding struct{}

// forSeed returns the context for calls that seed the store.
func (h *handle) forSeed() context.Context { return context.WithValue(h.ctx, seeding{}, true) }

func (h *handle) store(ctx context.Context) (store.Store, error) {
	if s := h.opened.Load(); s != nil && (h.seeded.Load() || ctx.Value(seeding{}) != nil) {
		return *s, nil
	}
	return nil, fault.Wrap(fault.Unavailable, errNotOpen, "the service waits for its store; try again")
}

// Host returns the host of the store, or "" without one.
func (h *handle) Host() string {
	s := h.opened.Load()
	if s == nil {
		return ""
	}
	if of, ok := (*s).(interface{ Host() string }); ok {
		return of.Host()
	}
	return ""
}

// View implements store.Store, as do the methods below.
func (h *handle) View(ctx context.Context, fn func(store.Reader) error) error {
	s, err := h.store(ctx)
	if err != nil {
		return err
	}
	return s.View(ctx, fn)
}

func (h *handle) Versions(ctx context.Context) (store.Versions, error) {
	s, err := h.store(ctx)
	if err != nil {
		return store.Versions{}, err
	}
	return s.Versions(ctx)
}

func (h *handle) Reserve(ctx context.Context) (problem.ID, error) {
	s, err := h.store(ctx)
	if err != nil {
		return 0, err
	}
	return s.Reserve(ctx)
}

func (h *handle) Commit(ctx context.Context, change store.Change) (store.Receipt, error) {
	s, err := h.store(ctx)
	if err != nil {
		return store.Receipt{}, err
	}
	return s.Commit(ctx, change)
}

func (h *handle) Outcome(ctx context.Context, batch ident.ID, at time.Time) (store.Receipt, bool, error) {
	s, err := h.store(ctx)
	if err != nil {
		return store.Receipt{}, false, err
	}
	return s.Outcome(ctx, batch, at)
}

func (h *handle) Confirm(ctx context.Context, shown store.History) error {
	s, err := h.store(ctx)
	if err != nil {
		return err
	}
	return s.Confirm(ctx, shown)
}

func (h *handle) Feed(ctx context.Context, from int64, limit int, budget int64) ([]event.Entry, error) {
	s, err := h.store(ctx)
	if err != nil {
		return nil, err
	}
	return s.Feed(ctx, from, limit, budget)
}

func (h *handle) FeedEnds(ctx context.Context) (oldest, newest event.Entry, err error) {
	s, err := h.store(ctx)
	if err != nil {
		return event.Entry{}, event.Entry{}, err
	}
	return s.FeedEnds(ctx)
}

func (h *handle) Restore(ctx context.Context, archive store.Archive) error {
	s, err := h.store(ctx)
	if err != nil {
		return err
	}
	return s.Restore(ctx, archive)
}

// Close closes the store, if it was opened.
func (h *handle) Close() error {
	if s := h.opened.Load(); s != nil {
		return (*s).Close()
	}
	return nil
}
