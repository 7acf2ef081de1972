package webhookworker

import (
	"context"
	"slices"
	"time"

	"github.com/problemtracking/problems/app/internal/background"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/webhooks"
	"github.com/problemtracking/problems/domain/webhook"
)

// page is some events of the feed behind those before.
type page struct {
	events    []tracker.PublishedEvent
	next      event.Cursor
	catalogue *metadata.Catalogue
	err       error // ends the reading
}

// read reads the feed behind the position of the Follower, and hands on its pages.
func read(ctx context.Context, f *tracker.Follower, pages chan<- page) {
	defer f.Close()
	hand := func(p page) bool {
		select {
		case pages <- p:
			return true
		case <-ctx.Done():
			return false
		}
	}
	for ctx.Err() == nil {
		p, err := f.Next(ctx)
		switch {
		case fault.Is(err, fault.CursorGone): // the store was set back
			hand(page{err: err})
			return
		case err != nil:
			background.Sleep(ctx, afterFailure)
		case len(p.Events) > 0:
			if !hand(page{events: p.Events, next: p.Next, catalogue: p.Catalogue}) {
				return
			}
			background.Sleep(ctx, webhooks.Pace)
		default:
			_ = f.Wait(ctx) // fails at the end of ctx alone
		}
	}
}

// catch reads a page of the feed behind the position of one target, for all waiting targets with a
// position on this page.
func (r *round) catch() error {
	if len(r.catchUp) == 0 {
		return nil
	}
	t := r.catchUp[0]
	r.catchUp = r.catchUp[1:]
	t.waiting = false
	if t.stopped || r.targets[t.ID] != t {
		return nil
	}
	if !behind(t.scanned, r.tail) {
		t.live = true
		return nil
	}
	p, err := r.pageBehind(t)
	if fault.Is(err, fault.CursorGone) {
		r.stop(t, webhook.CursorGone)
		return nil
	}
	if err != nil {
		return r.later(err, t)
	}
	targets := append(r.waitingOn(p, t.scanned), t)
	if err := r.match(p, targets); err != nil {
		return r.later(err, targets...)
	}
	for _, t := range targets {
		t.live = !behind(t.scanned, r.tail)
		if last := len(p.events) - 1; last >= 0 {
			t.ahead.at = p.events[last].At // until a look finds the one behind it
		}
		r.queue(t)
	}
	return nil
}

// pageBehind reads the page behind the position of a target, up to the tail. It is small for a
// target alone that gets all events: its queue has no room for more.
func (r *round) pageBehind(t *target) (page, error) {
	limit := tailPage
	if len(r.catchUp) == 0 && t.Predicate == "" {
		limit = mostQueued
	}
	f, err := r.deliverer.Follow(r.ctx, &t.scanned, limit)
	if err != nil {
		return page{}, err
	}
	defer f.Close()
	p, err := f.Next(r.ctx)
	if err != nil {
		return page{}, err
	}
	if len(p.Events) == 0 {
		return page{}, fault.New(fault.Unavailable, "the feed has not come as far as its tail")
	}
	for i, v := range p.Events {
		if behind(r.tail, v.Cursor) { // comes with the tail
			return page{events: p.Events[:i], next: r.tail, catalogue: p.Catalogue}, nil
		}
	}
	return page{events: p.Events, next: p.Next, catalogue: p.Catalogue}, nil
}

// waitingOn takes the targets with a position on a page out of catchUp. The page begins behind
// the cursor.
func (r *round) waitingOn(p page, begin event.Cursor) (targets []*target) {
	r.catchUp = slices.DeleteFunc(r.catchUp, func(t *target) bool {
		if t.stopped || r.targets[t.ID] != t || behind(t.scanned, begin) || !behind(t.scanned, p.next) {
			return false
		}
		t.waiting = false
		targets = append(targets, t)
		return true
	})
	return targets
}

// later tries targets again, unless the lease is lost.
func (r *round) later(err error, targets ...*target) error {
	if r.ctx.Err() != nil {
		return nil
	}
	for _, t := range targets {
		t.waiting = true
	}
	r.catchUp = append(r.catchUp, targets...)
	if background.Away(err) {
		background.Sleep(r.ctx, tick)
		return nil
	}
	return err
}

// behind reports whether a cursor is in front of another one.
func behind(a, b event.Cursor) bool {
	return a.Compare(b) < 0
}

// take gives the events of the tail to all live targets.
func (r *round) take(p page) error {
	if p.err != nil {
		return p.err
	}
	var live []*target
	for _, t := range r.order {
		if t.live && !t.stopped {
			live = append(live, t)
		}
	}
	for len(live) > 0 {
		err := r.match(p, live)
		if err == nil {
			break
		}
		if r.ctx.Err() != nil {
			return nil
		}
		if !background.Away(err) {
			return err
		}
		background.Sleep(r.ctx, tick)
	}
	r.tail = p.next
	for _, t := range live {
		r.queue(t)
	}
	for _, v := range p.events {
		if v.Kind == audit.Webhook || v.Kind == audit.User {
			r.stale = true
		}
	}
	if r.stale {
		return r.reload()
	}
	return nil
}

// match adds the events of a page to the queues of the targets. A target with a full queue
// reads the rest later. After an error no target has changed.
func (r *round) match(p page, targets []*target) error {
	endpoints := make([]webhook.Endpoint, len(targets))
	for i, t := range targets {
		endpoints[i] = t.Endpoint
	}
	all, err := r.deliverer.Match(r.ctx, p.events, endpoints)
	if err != nil {
		return err
	}
	shared := messages{r.Worker, p.catalogue, make(map[event.Cursor]func() webhook.Message)}
	for i, t := range targets {
		if all[i].Err != nil {
			r.stop(t, "its predicate cannot be evaluated: "+all[i].Err.Error())
			continue
		}
		t.fill(all[i], p.next, shared)
	}
	return nil
}

// fill adds events to the queue of a target, until it is full. They are those for the target up to
// the position next. Events of damaged problems are among them. The failed attempts belong to
// one event. When another one comes first, because the predicate leaves the former out by now,
// they do not count for it.
func (t *target) fill(found webhooks.Matches, next event.Cursor, shared messages) {
	now := time.Now()
	for _, v := range found.Events {
		if !behind(t.scanned, v.Cursor) {
			continue // the target has read ahead of the tail
		}
		if len(t.queue) >= mostQueued {
			t.live = false
			return
		}
		if last := len(t.progress.Deliveries) - 1; len(t.queue) == 0 && t.progress.Failures > 0 && last >= 0 && t.progress.Deliveries[last].Event != v.Cursor {
			t.progress = t.progress.Settle(t.progress.Cursor)
			t.due, t.dirty = time.Now(), true
		}
		t.queue = append(t.queue, queued{v, shared.of(v), now, found.Unread[v.Problem]})
		t.scanned = v.Cursor
	}
	if behind(t.scanned, next) {
		t.scanned = next
	}
}
