package replica

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
)

// briefly returns a context with a short time limit.
func (r *replicated) briefly() (context.Context, context.CancelFunc) {
	return context.WithTimeout(r.Ctx, Brief)
}

// waiting calls fn n times at once, with a context of a short time limit. With cancel,
// the waits for the replica are cancelled meanwhile.
func (r *replicated) waiting(n int, cancel bool, fn func(ctx context.Context, i int) error) {
	r.Helper()
	ctx, stop := r.briefly()
	defer stop()
	r.Alongside(n, func(i int) error { return fn(ctx, i) }, func(done <-chan struct{}) {
		if !cancel {
			return
		}
		pace := time.NewTicker(5 * time.Millisecond)
		defer pace.Stop()
		for {
			select {
			case <-done:
				return
			case <-pace.C:
				r.CancelWaits()
			}
		}
	})
}

// commitInVain commits while the replica receives nothing.
func (r *replicated) commitInVain(cancel bool) {
	r.Helper()
	var tried []*doubt
	for range 4 {
		tried = append(tried, r.next())
	}
	r.waiting(len(tried), cancel, func(ctx context.Context, i int) error {
		_, err := r.handles[i%len(r.handles)].Store.Commit(ctx, tried[i].Change)
		switch {
		case err == nil:
			return fmt.Errorf("a Commit returned nil while the replica received nothing")
		case fault.Is(err, fault.UnknownOutcome):
			return nil
		}
		tried[i].refused = true
		return bench.Failure("a Commit while the replica received nothing", fault.Unavailable, err)
	})
}

// confirmInVain looks and confirms while the replica receives nothing.
func (r *replicated) confirmInVain(cancel bool) {
	r.Helper()
	unsafe := 0 // a Confirm covers the Views of all handles
	for _, handle := range r.handles {
		unsafe = max(unsafe, r.look(handle))
	}
	r.Logf("while the replica receives nothing, Views show %d Changes that nobody said to be safe", unsafe)
	r.waiting(len(r.handles), cancel, func(ctx context.Context, i int) error {
		return r.unconfirmed(unsafe, r.handles[i].Store.Confirm(ctx, r.history))
	})
}

// unconfirmed returns an error for a wrong answer of Confirm while the replica receives
// nothing.
func (r *replicated) unconfirmed(unsafe int, err error) error {
	switch {
	case err == nil && unsafe > 0:
		return fmt.Errorf("Confirm returned nil while the replica received nothing, after a View had shown %d Changes that the replica lacks", unsafe)
	case err == nil:
		return nil
	}
	return bench.Failure("Confirm while the replica received nothing", fault.Unavailable, err)
}

// followInVain reads the feed while the replica receives nothing.
func (r *replicated) followInVain(cancel bool) {
	r.Helper()
	safe := make(map[ident.ID]bool)
	for _, d := range r.all {
		safe[d.Batch] = d.safe != ""
	}
	r.waiting(len(r.handles), cancel, func(ctx context.Context, i int) error {
		entries, err := r.handles[i].Store.Feed(ctx, 1, math.MaxInt32, math.MaxInt64)
		if err != nil {
			return bench.Failure("Feed while the replica received nothing", fault.Unavailable, err)
		}
		for _, e := range entries {
			if !safe[e.Batch] {
				return fmt.Errorf("Feed returned entry %d, which the replica lacks, while it received nothing", e.Number)
			}
		}
		return nil
	})
}

// settleInVain asks for outcomes while the replica receives nothing, also for that of an
// unknown batch.
func (r *replicated) settleInVain(cancel bool) {
	r.Helper()
	r.next()
	var open []*doubt
	for _, d := range r.all {
		if d.safe == "" {
			open = append(open, d)
		}
	}
	r.waiting(len(open), cancel, func(ctx context.Context, i int) error {
		_, stored, err := r.handles[i%len(r.handles)].Store.Outcome(ctx, open[i].Batch, r.Now())
		switch {
		case err == nil && stored:
			return fmt.Errorf("Outcome said that a Change is stored which the replica lacks, while it received nothing")
		case err == nil:
			open[i].never = true
		case !fault.Is(err, fault.Unavailable) && !fault.Is(err, fault.UnknownOutcome):
			return bench.Failure("Outcome while the replica received nothing", fault.Unavailable, err)
		}
		return nil
	})
}

// resume stops the replica for a time, lets it receive again, and has it take over.
func (r *replicated) resume(cancel bool) {
	r.Helper()
	r.Freeze()
	r.commitInVain(cancel)
	r.confirmInVain(cancel)
	r.settleInVain(cancel)
	r.Thaw()
	r.confirmed()
	for i, d := range r.all {
		handle := r.handles[i%len(r.handles)]
		r.again("Outcome", func() error {
			receipt, stored, err := handle.Store.Outcome(r.Ctx, d.Batch, r.Now())
			if err == nil {
				r.settled(d, receipt, stored)
			}
			return err
		})
	}
	d := r.next()
	d.receipt, d.safe = r.Commit(d.Change), "Commit"
	r.takeOver()
}

// confirmCancelled has contexts end while Confirm waits for the replica.
func (r *replicated) confirmCancelled() {
	r.Helper()
	for _, handle := range r.handles {
		unsafe := r.look(handle)
		ctx, cancel := context.WithCancel(r.Ctx)
		timer := time.AfterFunc(Brief/4, cancel)
		err := r.unconfirmed(unsafe, handle.Store.Confirm(ctx, r.history))
		timer.Stop()
		cancel()
		if err != nil {
			r.Failf("with a context that is cancelled meanwhile, %v", err)
		}
	}
}

// confirmAcross has a Confirm wait while the replica begins to receive again.
func (r *replicated) confirmAcross() {
	r.Helper()
	for _, handle := range r.handles {
		r.look(handle)
	}
	errs := make([]error, len(r.handles))
	r.Alongside(len(r.handles), func(i int) error {
		errs[i] = r.handles[i].Store.Confirm(r.Ctx, r.history)
		return nil
	}, func(done <-chan struct{}) {
		select {
		case <-done:
		case <-time.After(Brief / 4):
		}
		r.Thaw()
	})
	for _, err := range errs {
		if err == nil {
			r.trust() // each of them has looked before
			continue
		}
		r.Fails("Confirm that waits for the replica", fault.Unavailable, err)
	}
	r.confirmed()
}
