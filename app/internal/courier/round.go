package courier

import (
	"context"
	"errors"
	"time"

	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/webhook"
)

// Bounds of a round.
const (
	// tick is the time between two looks at all webhooks: for attempts that are due, and for
	// progress to store.
	tick = 250 * time.Millisecond
	// mostStored is the largest number of webhooks in one Change.
	mostStored = 200
	// mostQueued bounds the events in memory that wait for one webhook. The others stay in
	// the feed.
	mostQueued = 64
	// tailPage is the number of events in one read of the feed.
	tailPage = 500
	// most and mostFailing bound the messages under way. Webhooks with a failed attempt have
	// places of their own: their timeouts do not hold up the others.
	most        = 1024
	mostFailing = 64
	// settleEvery is the time after which a webhook without events gets the position up to
	// which there was none for it.
	settleEvery = time.Minute
)

// round is one time with the lease. All of it belongs to one goroutine, but for the
// messages under way.
type round struct {
	*Courier
	desk    *tracker.Courier
	ctx     context.Context // ends with the lease
	end     context.CancelFunc
	guard   *time.Timer // ends ctx unless the lease was renewed; nil: no other server can take it
	renewed time.Time   // when the latest renewal began

	lines   map[ident.ID]*line
	order   []*line
	catchUp []*line // to read the feed for
	ready   [2][]*line
	out     [2]int // messages under way; those of failing webhooks second
	results chan result
	pages   chan page
	tail    event.Cursor // up to which all live lines have their events
	head    int64        // the number of the newest known entry
	stale   bool         // the webhooks have to be read again
	turn    int          // the place in order of the first line to store
}

// line is one webhook in a round.
type line struct {
	webhook.Webhook
	p         webhook.Progress
	stopped   bool
	queue     []queued     // the events to deliver next
	scanned   event.Cursor // up to which the events are in the queue, or not for this webhook
	live      bool         // it gets the further events with the tail
	waiting   bool         // in catchUp
	readied   bool         // in ready
	busy      bool         // a message is under way
	cancel    context.CancelFunc
	before    *line     // an earlier state of the webhook with a message still under way
	due       time.Time // of the next attempt
	dirty     bool
	settledAt time.Time
}

// queued is an event to deliver.
type queued struct {
	tracker.PublishedEvent
	data func() []byte
}

// result is the end of an attempt.
type result struct {
	line    *line
	event   queued
	attempt webhook.Attempt
	group   int
}

// The ends of a round.
var (
	// errLost: another server has the lease, or may have it.
	errLost = errors.New("another server delivers webhooks")
	// errIdle: there is no webhook.
	errIdle = errors.New("there is no webhook")
)

// deliver delivers while it has the lease, until ctx ends.
func (c *Courier) deliver(ctx context.Context, desk *tracker.Courier, until time.Time) error {
	round := &round{Courier: c, desk: desk, renewed: until.Add(-lease.Hold), results: make(chan result, most+mostFailing), pages: make(chan page)}
	round.ctx, round.end = context.WithCancel(ctx)
	if !c.Alone {
		round.guard = time.AfterFunc(time.Until(until), round.end)
		defer round.guard.Stop()
	}
	err := round.run()
	round.end()
	for round.out[0]+round.out[1] > 0 { // their requests have ended with ctx
		if done := <-round.results; done.attempt.Succeeded() {
			round.settle(done)
		} else {
			round.out[done.group]--
		}
	}
	if err == nil || errors.Is(err, errIdle) { // nil: the server stops
		return round.release(context.WithoutCancel(ctx))
	}
	if errors.Is(err, errLost) {
		return nil
	}
	return err
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

// run returns nil when the server stops.
func (r *round) run() error {
	f, err := r.desk.Follow(r.ctx, nil, tailPage)
	if err != nil {
		return err
	}
	r.tail = f.Position()
	r.head = r.tail.Number
	if err := r.load(); err != nil {
		f.Close()
		return err
	}
	go read(r.ctx, f, r.pages)
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for {
		if err := r.catch(); err != nil {
			return err
		}
		r.send()
		var more <-chan time.Time
		if len(r.catchUp) > 0 {
			more = time.After(0)
		}
		select {
		case <-r.ctx.Done():
			if !r.lost() {
				return nil
			}
			return errLost
		case p := <-r.pages:
			if err := r.take(p); err != nil {
				return err
			}
		case done := <-r.results:
			r.settle(done)
		case <-ticker.C:
			if err := r.tick(); err != nil {
				return err
			}
		case <-more:
		}
	}
}

// lost reports whether the lease may be that of another server by now.
func (r *round) lost() bool { return !r.Alone && time.Since(r.renewed) >= lease.Hold }

// load reads the webhooks again. A webhook with other settings begins anew behind its
// progress.
func (r *round) load() error {
	all, ownerActive, err := r.desk.Webhooks(r.ctx)
	if err != nil {
		return err
	}
	r.stale = false
	lines, order := make(map[ident.ID]*line, len(all)), make([]*line, 0, len(all))
	for _, w := range all {
		active := ownerActive(w)
		l := r.lines[w.ID]
		if l == nil || l.Version != w.Version {
			l = r.begin(w, l)
		}
		if l.stopped = !w.Active || l.p.State != webhook.Active; !l.stopped && !active {
			r.stop(l, webhook.OwnerInactive)
		}
		lines[w.ID] = l
		order = append(order, l)
	}
	for id, old := range r.lines {
		if lines[id] != old && old.busy {
			old.cancel()
		}
	}
	r.lines, r.order = lines, order
	for _, l := range order {
		r.queue(l)
	}
	if len(order) == 0 {
		return errIdle
	}
	return nil
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
	l.scanned = l.p.Cursor
	l.due = time.Now().Add(l.p.Wait(r.Now()))
	return l
}

// stop ends the delivery to a webhook, with a reason.
func (r *round) stop(l *line, reason string) {
	l.p, l.stopped, l.dirty = l.p.Stop(reason), true, true
}

// queue puts the line where it can go on: to the ready ones, or to those that have to read
// the feed.
func (r *round) queue(l *line) {
	switch {
	case l.stopped || l.busy || r.lines[l.ID] != l:
	case len(l.queue) > 0:
		if !l.readied && l.before == nil && !time.Now().Before(l.due) {
			l.readied = true
			r.ready[group(l)] = append(r.ready[group(l)], l)
		}
	case !l.live && !l.waiting:
		l.waiting = true
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

// catch reads the feed for one line behind the tail.
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
	f, err := r.desk.Follow(r.ctx, &l.scanned, mostQueued)
	if fault.Is(err, fault.CursorGone) {
		r.stop(l, webhook.CursorGone)
		return nil
	}
	if err != nil {
		return r.later(l, err)
	}
	defer f.Close()
	p, err := f.Next(r.ctx)
	if err != nil {
		return r.later(l, err)
	}
	if len(p.Events) == 0 {
		return r.later(l, fault.New(fault.Unavailable, "the feed has not come as far as its tail"))
	}
	events, next := p.Events, p.Next
	for i, v := range events {
		if behind(r.tail, v.Cursor) { // comes with the tail
			events, next = events[:i], r.tail
			break
		}
	}
	if err := r.match(page{events: events, next: next, catalogue: p.Catalogue}, []*line{l}); err != nil {
		return r.later(l, err)
	}
	l.live = !behind(l.scanned, r.tail)
	r.queue(l)
	return nil
}

// later tries the line again, unless the lease is lost.
func (r *round) later(l *line, err error) error {
	if r.ctx.Err() != nil {
		return nil
	}
	l.waiting = true
	r.catchUp = append(r.catchUp, l)
	if away(err) {
		sleep(r.ctx, tick)
		return nil
	}
	return err
}

// behind reports whether a cursor is in front of another one.
func behind(a, b event.Cursor) bool {
	return a.Number < b.Number || a.Number == b.Number && a.Index < b.Index
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
		if !away(err) {
			return err
		}
		sleep(r.ctx, tick)
	}
	r.tail, r.head = p.next, max(r.head, p.next.Number)
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

// reload is load, that is tried again after a failure of the store.
func (r *round) reload() error {
	err := r.load()
	if away(err) || r.ctx.Err() != nil {
		return nil // the next tick tries again
	}
	return err
}

// match adds the events of a page to the queues of the lines. A line with a full queue
// reads the rest later. After an error no line has changed.
func (r *round) match(p page, lines []*line) error {
	endpoints := make([]webhook.Endpoint, len(lines))
	for i, l := range lines {
		endpoints[i] = l.Endpoint
	}
	all, err := r.desk.Match(r.ctx, p.events, endpoints)
	if err != nil {
		return err
	}
	for i, l := range lines {
		if all[i].Err != nil {
			r.stop(l, "its predicate cannot be evaluated: "+all[i].Err.Error())
			continue
		}
		r.fill(l, all[i].Events, p)
	}
	return nil
}

// fill adds events to the queue of a line, until it is full.
func (r *round) fill(l *line, events []tracker.PublishedEvent, p page) {
	for _, v := range events {
		if !behind(l.scanned, v.Cursor) {
			continue // the line has read ahead of the tail
		}
		if len(l.queue) >= mostQueued {
			l.live = false
			return
		}
		l.queue = append(l.queue, queued{v, func() []byte { return r.Encode(p.catalogue, v) }})
		l.scanned = v.Cursor
	}
	if behind(l.scanned, p.next) {
		l.scanned = p.next
	}
}

// send sends the next message of each ready line, up to the bounds.
func (r *round) send() {
	if r.lost() || r.ctx.Err() != nil {
		return
	}
	for g, bound := range [2]int{most, mostFailing} {
		for len(r.ready[g]) > 0 && r.out[g] < bound {
			l := r.ready[g][0]
			r.ready[g] = r.ready[g][1:]
			if l.readied = false; l.stopped || r.lines[l.ID] != l || len(l.queue) == 0 {
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
	go func() {
		defer cancel()
		m := webhook.NewMessage(next.Cursor, next.Type, next.At, next.data())
		r.results <- result{l, next, r.Service.SendWebhook(ctx, endpoint, m), group}
	}()
}

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
	l.p = l.p.After(l.OnFailure, done.event.Cursor, done.event.Type, done.attempt)
	l.dirty = true
	r.counts.add(l.p.Deliveries[len(l.p.Deliveries)-1].Outcome)
	if l.p.State != webhook.Active {
		l.stopped = true
		r.Logger.Warn("a webhook gets no more events", "webhook", l.ID.String(), "reason", l.p.Reason)
	}
	if l.p.Cursor == done.event.Cursor {
		l.queue = l.queue[1:]
	}
	l.due = time.Now().Add(l.p.Wait(done.attempt.At.Add(done.attempt.Duration)))
	r.queue(l)
}

// tick stores the progress, renews the lease, and looks for attempts that are due.
func (r *round) tick() error {
	if r.stale {
		if err := r.reload(); err != nil {
			return err
		}
	}
	changed := r.changed()
	if len(changed) > 0 || !r.Alone && time.Since(r.renewed) >= lease.Renewal {
		if err := r.renew(changed); err != nil {
			return err
		}
	}
	for _, l := range r.order {
		r.queue(l)
	}
	r.report()
	return nil
}

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

// renew renews the lease, with progress to store.
func (r *round) renew(progress []store.PutProgress) error {
	begun := time.Now()
	ctx, cancel := context.WithTimeout(r.ctx, calls)
	defer cancel()
	held, err := r.desk.Renew(ctx, progress)
	switch {
	case err != nil && r.ctx.Err() != nil, away(err):
		return nil // the guard ends the round in time
	case err != nil:
		return err
	case !held:
		return errLost
	}
	r.renewed = begun
	if r.guard != nil {
		r.guard.Reset(time.Until(begun.Add(lease.Hold)))
	}
	r.stored(progress)
	return nil
}

// stored notes that progress was stored.
func (r *round) stored(progress []store.PutProgress) {
	for _, p := range progress {
		r.lines[p.Webhook].dirty = false
	}
}

// report publishes the state of all webhooks.
func (r *round) report() {
	all := make([]Stat, 0, len(r.order))
	for _, l := range r.order {
		s := Stat{Webhook: l.ID.String(), Failures: l.p.Failures, Active: !l.stopped, Pending: int64(len(l.queue))}
		if len(l.queue) > 0 {
			s.Oldest = l.queue[0].At
		}
		if !l.live {
			s.Pending += r.head - l.scanned.Number
		}
		all = append(all, s)
	}
	r.stats.Store(&all)
}
