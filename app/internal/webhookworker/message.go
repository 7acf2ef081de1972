package webhookworker

import (
	"context"
	"fmt"
	"sync"
	"time"

	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/webhook"
)

// messages are the messages about the events of a page. Each is made when the first webhook
// needs it, and shared by all webhooks.
type messages struct {
	*Worker
	catalogue *metadata.Catalogue
	known     map[event.Cursor]func() webhook.Message
}

// of returns a function for the message about an event, for many goroutines.
func (m messages) of(v tracker.PublishedEvent) func() webhook.Message {
	made := m.known[v.Cursor]
	if made == nil {
		encode, catalogue := m.Encode, m.catalogue // m would keep all messages of the page
		made = sync.OnceValue(func() webhook.Message {
			return webhook.NewMessage(v.Cursor, v.Type, v.At, encode(catalogue, v))
		})
		m.known[v.Cursor] = made
	}
	return made
}

// result is the end of an attempt.
type result struct {
	line    *line
	event   queued
	attempt webhook.Attempt
	err     error // the message was not signed; nil: it was sent
	group   int
}

// send sends the next message of each ready line, up to the bounds. A stale list of webhooks
// may have a deleted one: so nothing is sent before it was read again.
func (r *round) send() {
	if r.stale || r.hold.lost() || r.ctx.Err() != nil {
		return
	}
	for g, bound := range [2]int{most, mostFailing} {
		for len(r.ready[g]) > 0 && r.out[g] < bound {
			l := r.ready[g][0]
			r.ready[g] = r.ready[g][1:]
			if l.readied = false; l.stopped || r.lines[l.ID] != l || len(l.queue) == 0 {
				continue
			}
			if l.outdated(0) { // by a long pause, or by a wait for a place
				l.drop()
				r.queue(l)
				continue
			}
			r.start(l, g)
		}
	}
}

func (r *round) start(l *line, group int) {
	ctx, cancel := context.WithCancel(r.ctx)
	l.busy, l.cancel = true, cancel
	r.out[group]++
	next, endpoint := l.queue[0], l.Endpoint
	if next.unread != nil {
		cancel()
		r.results <- result{l, next, r.unread(l, next), nil, group}
		return
	}
	go func() {
		defer cancel()
		attempt, err := r.Service.Send(ctx, endpoint, next.message())
		r.results <- result{l, next, attempt, err, group}
	}()
}

// unread returns the failed attempt for an event whose predicate needs a damaged problem. The
// schedule of attempts holds for it: the problem may be repaired.
func (r *round) unread(l *line, of queued) webhook.Attempt {
	text := fmt.Sprintf("nothing was sent: the predicate cannot be evaluated, since problem %d, or one related to it, is damaged", of.Problem)
	if last := len(l.p.Deliveries) - 1; l.p.Failures == 0 || last < 0 || l.p.Deliveries[last].Error != text {
		r.Logger.Error("a webhook waits, and will be tried again: its predicate needs a problem that cannot be read, or one related to it",
			"webhook", l.ID.String(), "problem", int64(of.Problem), "error", of.unread.Error())
	}
	return webhook.Attempt{At: r.Now(), Err: text}
}

// rereadAfter is the time after which a predicate is evaluated again for the events in the queue: it
// counts at the time when they are sent (D40).
const rereadAfter = time.Minute

// outdated reports whether the next event was matched with the predicate too long ago, once a
// pause is over: it was behind a failing event, or behind those that a slow receiver took.
func (l *line) outdated(pause time.Duration) bool {
	return l.Predicate != "" && len(l.queue) > 0 && time.Since(l.queue[0].matched)+pause >= rereadAfter
}

// drop empties the queue, to be read again for the next attempt.
func (l *line) drop() { l.queue, l.scanned, l.live, l.dropped = nil, l.p.Cursor, false, true }

// settle notes the end of an attempt.
func (r *round) settle(done result) {
	r.out[done.group]--
	l := done.line
	l.busy = false
	now := r.lines[l.ID]
	if now == nil {
		return // it was deleted
	}
	if now != l { // it has other settings by now: this attempt does not count
		if now.before == l {
			now.before = nil
			r.queue(now)
		}
		return
	}
	l.urgent = l.urgent || l.p.Failures > 0 || !done.attempt.Succeeded()
	l.p = l.p.After(l.OnFailure, done.event.Cursor, done.event.Type, done.attempt)
	l.dirty = true
	r.counts.Add(l.p.Deliveries[len(l.p.Deliveries)-1].Outcome)
	if l.p.State != webhook.Active && !l.stopped {
		r.ended(l)
	}
	if l.p.Cursor == done.event.Cursor {
		l.queue = l.queue[1:]
	}
	pause := l.p.Wait(done.attempt.At.Add(done.attempt.Duration))
	l.due = time.Now().Add(pause)
	if l.outdated(pause) || len(l.queue) > 0 && l.queue[0].unread != nil {
		l.drop()
	}
	r.queue(l)
}
