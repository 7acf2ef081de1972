package webhookworker

import (
	"context"
	"fmt"
	"time"

	"github.com/problemtracking/problems/domain/webhook"
)

// send sends the next message of each ready target, up to the bounds. A stale list of webhooks
// may have a deleted one: so nothing is sent before it was read again.
func (r *round) send() {
	if r.stale || r.hold.lost() || r.ctx.Err() != nil {
		return
	}
	for g, bound := range [2]int{most, mostFailing} {
		for len(r.ready[g]) > 0 && r.out[g] < bound {
			t := r.ready[g][0]
			r.ready[g] = r.ready[g][1:]
			if t.readied = false; t.stopped || r.targets[t.ID] != t || len(t.queue) == 0 {
				continue
			}
			if t.outdated(0) { // by a long pause, or by a wait for a place
				t.drop()
				r.queue(t)
				continue
			}
			r.start(t, g)
		}
	}
}

func (r *round) start(t *target, group int) {
	ctx, cancel := context.WithCancel(r.ctx)
	t.busy, t.cancel = true, cancel
	r.out[group]++
	next, endpoint := t.queue[0], t.Endpoint
	if next.unread != nil {
		cancel()
		r.results <- result{t, next, r.unread(t, next), nil, group}
		return
	}
	go func() {
		defer cancel()
		attempt, err := r.Service.Send(ctx, endpoint, next.message())
		r.results <- result{t, next, attempt, err, group}
	}()
}

// unread returns the failed attempt for an event whose predicate needs a damaged problem. The
// schedule of attempts holds for it: the problem may be repaired.
func (r *round) unread(t *target, of queued) webhook.Attempt {
	text := fmt.Sprintf("nothing was sent: the predicate cannot be evaluated, since problem %d, or one related to it, is damaged", of.Problem)
	if last := len(t.progress.Deliveries) - 1; t.progress.Failures == 0 || last < 0 || t.progress.Deliveries[last].Error != text {
		r.Logger.Error("a webhook waits, and will be tried again: its predicate needs a problem that cannot be read, or one related to it",
			"webhook", t.ID.String(), "problem", int64(of.Problem), "error", of.unread.Error())
	}
	return webhook.Attempt{At: r.Now(), Err: text}
}

// rereadAfter is the time after which a predicate is evaluated again for the events in the queue: it
// counts at the time when they are sent (D40).
const rereadAfter = time.Minute

// outdated reports whether the next event was matched with the predicate too long ago, once a
// pause is over: it was behind a failing event, or behind those that a slow receiver took.
func (t *target) outdated(pause time.Duration) bool {
	return t.Predicate != "" && len(t.queue) > 0 && time.Since(t.queue[0].matched)+pause >= rereadAfter
}

// drop empties the queue, to be read again for the next attempt.
func (t *target) drop() { t.queue, t.scanned, t.live, t.dropped = nil, t.progress.Cursor, false, true }

// result is the end of an attempt.
type result struct {
	target  *target
	event   queued
	attempt webhook.Attempt
	err     error // the message was not signed; nil: it was sent
	group   int
}

// settle notes the end of an attempt.
func (r *round) settle(done result) {
	r.out[done.group]--
	t := done.target
	t.busy = false
	now := r.targets[t.ID]
	if now == nil {
		return // it was deleted
	}
	if now != t { // it has other settings by now: this attempt does not count
		if now.before == t {
			now.before = nil
			r.queue(now)
		}
		return
	}
	t.urgent = t.urgent || t.progress.Failures > 0 || !done.attempt.Succeeded()
	t.progress = t.progress.After(t.OnFailure, done.event.Cursor, done.event.Type, done.attempt)
	t.dirty = true
	r.counts.Add(t.progress.Deliveries[len(t.progress.Deliveries)-1].Outcome)
	if t.progress.State != webhook.Active && !t.stopped {
		r.ended(t)
	}
	if t.progress.Cursor == done.event.Cursor {
		t.queue = t.queue[1:]
	}
	pause := t.progress.Wait(done.attempt.At.Add(done.attempt.Duration))
	t.due = time.Now().Add(pause)
	if t.outdated(pause) || len(t.queue) > 0 && t.queue[0].unread != nil {
		t.drop()
	}
	r.queue(t)
}
