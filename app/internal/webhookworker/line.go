package webhookworker

import (
	"context"
	"time"

	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/webhook"
)

// line is one webhook in a round.
type line struct {
	webhook.Webhook
	p         webhook.Progress
	stopped   bool
	queue     []queued     // the events to deliver next
	scanned   event.Cursor // up to which the events are in the queue, or not for this webhook
	live      bool         // it gets the further events with the tail
	waiting   bool         // in catchUp
	dropped   bool         // the queue was dropped, to be read again for the next attempt
	readied   bool         // in ready
	busy      bool         // a message is under way
	cancel    context.CancelFunc
	before    *line     // an earlier state of the webhook with a message still under way
	due       time.Time // of the next attempt
	ahead     ahead
	dirty     bool      // its progress is to be stored,
	urgent    bool      // at the next tick
	storedAt  time.Time // or some time after this
	settledAt time.Time
}

// queued is an event to deliver.
type queued struct {
	tracker.PublishedEvent
	message func() webhook.Message
	matched time.Time // when the predicate was evaluated
	unread  error     // the predicate needs a damaged problem; nil: it is satisfied
}

// begin returns the line of a webhook with new settings. old is its line before, if any: it
// may know more of the progress than the store.
func (r *round) begin(w webhook.Webhook, old *line) *line {
	l := &line{Webhook: w, settledAt: time.Now()}
	if old != nil {
		l.Progress = old.p
		if l.before = old; !old.busy {
			l.before = old.before
		}
		old.stopped = true
	}
	l.p = l.Current()
	l.dirty = old != nil && old.dirty
	l.urgent = l.dirty
	l.scanned = l.p.Cursor
	l.due = time.Now().Add(l.p.Wait(r.Now()))
	if from := r.from(l.ID); l.due.Before(from) {
		l.due = from
	}
	return l
}

// stop ends the delivery to a webhook, with a reason.
func (r *round) stop(l *line, reason string) {
	l.p = l.p.Stop(reason)
	l.dirty, l.urgent = true, true
	r.ended(l)
}

// ended notes that the webhook has got its last event, until somebody starts it anew. No
// person did that, so the audit log does not have it.
func (r *round) ended(l *line) {
	l.stopped = true
	r.Logger.Warn("a webhook gets no more events", "webhook", l.ID.String(), "state", string(l.p.State), "reason", l.p.Reason)
}

// queue puts the line where it can go on: to the ready ones, to those that have to read the
// feed, or to both.
func (r *round) queue(l *line) {
	if l.stopped || r.lines[l.ID] != l {
		return
	}
	due := !time.Now().Before(l.due)
	if due && len(l.queue) > 0 && !l.busy && !l.readied && l.before == nil {
		l.readied = true
		r.ready[group(l)] = append(r.ready[group(l)], l)
	}
	if len(l.queue) <= mostQueued/2 && !l.live && !l.waiting && (due || !l.dropped) {
		l.waiting, l.dropped = true, false
		r.catchUp = append(r.catchUp, l)
	}
}

// group is 1 for a webhook with a failed attempt.
func group(l *line) int {
	if l.p.Failures > 0 {
		return 1
	}
	return 0
}
