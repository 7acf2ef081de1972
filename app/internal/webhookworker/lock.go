package webhookworker

import (
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/tracker/webhooks"
	"github.com/problemtracking/problems/domain/webhook"
)

// locks are the webhooks whose messages this server cannot sign. The goroutine of Run owns it,
// except for the number.
type locks struct {
	number atomic.Int64
	locked map[ident.ID]bool
	opened map[ident.ID]time.Time // when it was seen that the webhook got a secret of this server
}

// Locked returns the number of webhooks that this server leaves to a server with the key behind
// their secrets. It is 0 on a server that leaves the work to another one with the same key.
func (w *Worker) Locked() int64 { return w.locks.number.Load() }

// see takes note of all webhooks; none while another server delivers. The log gets a line when
// further ones are locked.
func (w *Worker) see(all []webhooks.Webhook) {
	locked := make(map[ident.ID]bool)
	var first *webhooks.Webhook // of the further ones
	for i, of := range all {
		if state, _ := of.StateFor(true); state == webhook.Active && of.Locked != nil {
			locked[of.ID] = true
			if first == nil && !w.locks.locked[of.ID] {
				first = &all[i]
			}
		}
	}
	w.locks.number.Store(int64(len(locked)))
	if len(all) == 0 {
		return
	}
	if first != nil {
		w.Logger.Warn("this server leaves webhooks to servers with the right key; without one, their events wait", "webhooks", len(locked), "first", first.ID.String(),
			"key", first.Secret.Key.String(), "error", first.Locked.Error())
	}
	opened := make(map[ident.ID]time.Time)
	for _, of := range all {
		if of.Locked != nil {
			continue
		}
		if at, ok := w.locks.opened[of.ID]; ok {
			opened[of.ID] = at
		} else if w.locks.locked[of.ID] {
			opened[of.ID] = time.Now()
		}
	}
	w.locks.locked, w.locks.opened = locked, opened
}

// from returns when this server may begin to deliver to a webhook. A server with an earlier key
// may still do so until it reads of the new secret, or loses its lease.
func (w *Worker) from(id ident.ID) time.Time {
	if at, ok := w.locks.opened[id]; ok && !w.Alone {
		return at.Add(lease.Patience)
	}
	return time.Time{}
}
