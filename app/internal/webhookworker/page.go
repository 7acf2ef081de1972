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

// catch reads a page of the feed behind the position of one line, for all waiting lines with a
// position on this page.
func (r *round) catch() error {
	if len(r.catchUp) == 0 {
		return nil
	}
	l := r.catchUp[0]
	r.catchUp = r.catchUp[1:]
	l.waiting = false
	if l.stopped || r.lines[l.ID] != l {
		return nil
	}
	if !behind(l.scanned, r.tail) {
		l.live = true
		return nil
	}
	p, err := r.pageBehind(l)
	if fault.Is(err, fault.CursorGone) {
		r.stop(l, webhook.CursorGone)
		return nil
	}
	if err != nil {
		return r.later(err, l)
	}
	lines := append(r.waitingOn(p, l.scanned), l)
	if err := r.match(p, lines); err != nil {
		return r.later(err, lines...)
	}
	for _, l := range lines {
		l.live = !behind(l.scanned, r.tail)
		if last := len(p.events) - 1; last >= 0 {
			l.ahead.at = p.events[last].At // until a look finds the one behind it
		}
		r.queue(l)
	}
	return nil
}

// pageBehind reads the page behind the position of a line, up to the tail. It is small for a
// line alone that gets all events: its queue has no room for more.
func (r *round) pageBehind(l *line) (page, error) {
	limit := tailPage
	if len(r.catchUp) == 0 && l.Predicate == "" {
		limit = mostQueued
	}
	f, err := r.deliverer.Follow(r.ctx, &l.scanned, limit)
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

// waitingOn takes the lines with a position on a page out of catchUp. The page begins behind
// the cursor.
func (r *round) waitingOn(p page, begin event.Cursor) (lines []*line) {
	r.catchUp = slices.DeleteFunc(r.catchUp, func(l *line) bool {
		if l.stopped || r.lines[l.ID] != l || behind(l.scanned, begin) || !behind(l.scanned, p.next) {
			return false
		}
		l.waiting = false
		lines = append(lines, l)
		return true
	})
	return lines
}

// later tries lines again, unless the lease is lost.
func (r *round) later(err error, lines ...*line) error {
	if r.ctx.Err() != nil {
		return nil
	}
	for _, l := range lines {
		l.waiting = true
	}
	r.catchUp = append(r.catchUp, lines...)
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

// take gives the events of the tail to all live lines.
func (r *round) take(p page) error {
	if p.err != nil {
		return p.err
	}
	var live []*line
	for _, l := range r.order {
		if l.live && !l.stopped {
			live = append(live, l)
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
	for _, l := range live {
		r.queue(l)
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

// match adds the events of a page to the queues of the lines. A line with a full queue
// reads the rest later. After an error no line has changed.
func (r *round) match(p page, lines []*line) error {
	endpoints := make([]webhook.Endpoint, len(lines))
	for i, l := range lines {
		endpoints[i] = l.Endpoint
	}
	all, err := r.deliverer.Match(r.ctx, p.events, endpoints)
	if err != nil {
		return err
	}
	shared := messages{r.Worker, p.catalogue, make(map[event.Cursor]func() webhook.Message)}
	for i, l := range lines {
		if all[i].Err != nil {
			r.stop(l, "its predicate cannot be evaluated: "+all[i].Err.Error())
			continue
		}
		l.fill(all[i], p.next, shared)
	}
	return nil
}

// fill adds events to the queue of a line, until it is full. They are those for the line up to
// the position next. Events of damaged problems are among them. The failed attempts belong to
// one event. When another one comes first, because the predicate leaves the former out by now,
// they do not count for it.
func (l *line) fill(found webhooks.Matches, next event.Cursor, shared messages) {
	now := time.Now()
	for _, v := range found.Events {
		if !behind(l.scanned, v.Cursor) {
			continue // the line has read ahead of the tail
		}
		if len(l.queue) >= mostQueued {
			l.live = false
			return
		}
		if last := len(l.p.Deliveries) - 1; len(l.queue) == 0 && l.p.Failures > 0 && last >= 0 && l.p.Deliveries[last].Event != v.Cursor {
			l.p = l.p.Settle(l.p.Cursor)
			l.due, l.dirty = time.Now(), true
		}
		l.queue = append(l.queue, queued{v, shared.of(v), now, found.Unread[v.Problem]})
		l.scanned = v.Cursor
	}
	if behind(l.scanned, next) {
		l.scanned = next
	}
}
