package webhookworker

import (
	"context"
	"time"

	"github.com/problemtracking/problems/app/internal/background"
	"github.com/problemtracking/problems/domain/store"
)

// storeEvery is the least time between two times that the progress of a webhook is stored,
// while all goes well. After a death, what came since then comes again.
const storeEvery = time.Second

// storing is progress on its way to the store.
type storing struct {
	progress []store.PutProgress
	stored   bool
	err      error
}

// store begins to store the progress that is due, beside the deliveries. The store may be
// slow.
func (r *round) store() {
	if r.storing {
		return
	}
	changed := r.changed(false)
	if len(changed) == 0 {
		return
	}
	r.storing = true
	go func() {
		s := storing{progress: changed}
		s.stored, s.err = r.hold.renew(r.ctx, changed)
		r.stores <- s
	}()
}

// stored notes the end of storing.
func (r *round) stored(s storing) error {
	r.storing = false
	if !s.stored {
		for _, p := range s.progress {
			if t := r.targets[p.Webhook]; t != nil {
				t.dirty, t.urgent = true, true
			}
		}
	}
	return s.err
}

// changed returns the progress to store: of some targets at a time, in turn. all includes that
// which is not due yet. From now on the targets count as stored.
func (r *round) changed(all bool) []store.PutProgress {
	var changed []store.PutProgress
	now := time.Now()
	begin := r.turn
	for i := range r.order {
		at := (begin + i) % len(r.order)
		if len(changed) == mostStored {
			r.turn = at
			break
		}
		t := r.order[at]
		if len(t.queue) == 0 && !t.busy && !t.stopped && t.scanned != t.progress.Cursor && now.Sub(t.settledAt) >= settleEvery {
			t.progress, t.dirty, t.settledAt = t.progress.Settle(t.scanned), true, now
		}
		if t.dirty && (all || t.urgent || now.Sub(t.storedAt) >= storeEvery) {
			changed = append(changed, store.PutProgress{Webhook: t.ID, Progress: t.progress})
			t.dirty, t.urgent, t.storedAt = false, false, now
		}
	}
	return changed
}

// release stores the progress of all webhooks, and gives the lease back.
func (r *round) release(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, background.Calls)
	defer cancel()
	for {
		changed := r.changed(true)
		if len(changed) < mostStored {
			return r.deliverer.Release(ctx, changed)
		}
		if held, err := r.deliverer.Renew(ctx, changed); !held || err != nil {
			return err
		}
	}
}
