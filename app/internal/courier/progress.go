package courier

import (
	"context"
	"time"

	"github.com/problemtracking/problems/domain/store"
)

// changed returns the progress to store: of some lines at a time, in turn.
func (r *round) changed() []store.PutProgress {
	var all []store.PutProgress
	now := time.Now()
	begin := r.turn
	for i := range r.order {
		at := (begin + i) % len(r.order)
		if len(all) == mostStored {
			r.turn = at
			break
		}
		l := r.order[at]
		if len(l.queue) == 0 && !l.busy && !l.stopped && l.scanned != l.p.Cursor && now.Sub(l.settledAt) >= settleEvery {
			l.p, l.dirty, l.settledAt = l.p.Settle(l.scanned), true, now
		}
		if l.dirty {
			all = append(all, store.PutProgress{Webhook: l.ID, Progress: l.p})
		}
	}
	return all
}

// stored notes that progress was stored.
func (r *round) stored(progress []store.PutProgress) {
	for _, p := range progress {
		r.lines[p.Webhook].dirty = false
	}
}

// release stores the progress of all webhooks, and gives the lease back.
func (r *round) release(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, calls)
	defer cancel()
	for {
		progress := r.changed()
		if len(progress) < mostStored {
			return r.desk.Release(ctx, progress)
		}
		if held, err := r.desk.Renew(ctx, progress); !held || err != nil {
			return err
		}
		r.stored(progress)
	}
}
