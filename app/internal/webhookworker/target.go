package webhookworker

import (
	"context"
	"time"

	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/webhook"
)

// target is one webhook in a round.
type target struct {
	webhook.Endpoint
	progress  webhook.Progress   // by now; the store may have an earlier one
	stopped   bool               // it gets no more events
	queue     []queued           // the events to deliver next
	scanned   event.Cursor       // up to which the events are in the queue, or not for this webhook
	live      bool               // it gets the further events with the tail
	waiting   bool               // in catchUp
	dropped   bool               // the queue was dropped, to be read again for the next attempt
	readied   bool               // in ready
	busy      bool               // a message is under way
	cancel    context.CancelFunc // ends the latest attempt
	before    *target            // an earlier state of the webhook with a message still under way
	due       time.Time          // of the next attempt
	ahead     ahead              // the first event behind a position, as the latest look found it
	dirty     bool               // the progress is to be stored: storeEvery after storedAt
	urgent    bool               // at the next tick instead
	storedAt  time.Time          // of the progress, by this round
	settledAt time.Time          // when the progress last moved up to scanned without an event
}

// queued is an event to deliver.
type queued struct {
	tracker.PublishedEvent
	message func() webhook.Message
	matched time.Time // when the predicate was evaluated
	unread  error     // the predicate needs a damaged problem; nil: it is satisfied
}

// begin returns the target of a webhook with new settings. old is its target before, if any: it
// may know more of the progress than the store.
func (r *round) begin(w webhook.Webhook, old *target) *target {
	t := &target{Endpoint: w.Endpoint, settledAt: time.Now()}
	if old != nil {
		w.Progress = old.progress
		if t.before = old; !old.busy {
			t.before = old.before
		}
		old.stopped = true
	}
	t.progress = w.Current()
	t.dirty = old != nil && old.dirty
	t.urgent = t.dirty
	t.scanned = t.progress.Cursor
	t.due = time.Now().Add(t.progress.Wait(r.Now()))
	if from := r.from(t.ID); t.due.Before(from) {
		t.due = from
	}
	return t
}

// stop ends the delivery to a webhook, with a reason.
func (r *round) stop(t *target, reason string) {
	t.progress = t.progress.Stop(reason)
	t.dirty, t.urgent = true, true
	r.ended(t)
}

// ended notes that the webhook has got its last event, until somebody starts it anew. No
// person did that, so the audit log does not have it.
func (r *round) ended(t *target) {
	t.stopped = true
	r.Logger.Warn("a webhook gets no more events", "webhook", t.ID.String(), "state", string(t.progress.State), "reason", t.progress.Reason)
}

// queue puts the target where it can go on: to the ready ones, to those that have to read the
// feed, or to both.
func (r *round) queue(t *target) {
	if t.stopped || r.targets[t.ID] != t {
		return
	}
	due := !time.Now().Before(t.due)
	if due && len(t.queue) > 0 && !t.busy && !t.readied && t.before == nil {
		t.readied = true
		r.ready[group(t)] = append(r.ready[group(t)], t)
	}
	if len(t.queue) <= mostQueued/2 && !t.live && !t.waiting && (due || !t.dropped) {
		t.waiting, t.dropped = true, false
		r.catchUp = append(r.catchUp, t)
	}
}

// group is 1 for a webhook with a failed attempt.
func group(t *target) int {
	if t.progress.Failures > 0 {
		return 1
	}
	return 0
}
