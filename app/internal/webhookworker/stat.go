package webhookworker

import (
	"time"

	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
)

// Stat is the state of one webhook on the delivering server.
type Stat struct {
	Webhook string // its identifier
	// Pending counts the entries of the feed, or the events for the webhook, that wait.
	Pending int64
	// Oldest is the time of the oldest waiting event; zero: none waits.
	Oldest time.Time
	// Failures counts the failed attempts for the event that waits.
	Failures int
	// Active is false once nothing is delivered any more.
	Active bool
}

// Stats returns the state of all webhooks; none on a server that does not deliver.
func (w *Worker) Stats() []Stat {
	if all := w.stats.Load(); all != nil {
		return *all
	}
	return nil
}

// ahead is the time of the first event behind a position of the feed.
type ahead struct {
	target *target
	of     event.Cursor
	at     time.Time // zero: the feed has lost the position
}

// mostLooks bounds the reads of the feed in one look.
const mostLooks = 16

// look begins to read the time of the first event behind the targets without it: some targets at a
// time, and beside the deliveries. The store may be slow.
func (r *round) look() {
	if r.looking {
		return
	}
	var wanted []ahead
	for _, t := range r.order {
		if len(t.queue) == 0 && behind(t.scanned, r.tail) && t.ahead.of != t.scanned && len(wanted) < mostLooks {
			wanted = append(wanted, ahead{target: t, of: t.scanned})
		}
	}
	if len(wanted) == 0 {
		return
	}
	r.looking = true
	go func() {
		for i := range wanted {
			var err error
			if wanted[i].at, err = r.timeBehind(wanted[i].of); err != nil && !fault.Is(err, fault.CursorGone) {
				wanted = wanted[:i] // a later look tries again
				break
			}
		}
		r.looks <- wanted
	}()
}

// looked notes the result of a look.
func (r *round) looked(found []ahead) {
	r.looking = false
	for _, a := range found {
		a.target.ahead = a
	}
}

// timeBehind returns the time of the first event behind a cursor; zero when there is none.
func (r *round) timeBehind(c event.Cursor) (time.Time, error) {
	f, err := r.deliverer.Follow(r.ctx, &c, 1)
	if err != nil {
		return time.Time{}, err
	}
	defer f.Close()
	p, err := f.Next(r.ctx)
	if err != nil || len(p.Events) == 0 {
		return time.Time{}, err
	}
	return p.Events[0].At, nil
}

// report publishes the state of all webhooks.
func (r *round) report() {
	all := make([]Stat, len(r.order))
	for i, t := range r.order {
		all[i] = t.stat(r.tail)
	}
	r.stats.Store(&all)
}

// stat returns the state of the webhook, with the feed up to the tail. A stopped webhook gets
// no further events into its queue: they wait in the feed.
func (t *target) stat(tail event.Cursor) Stat {
	s := Stat{Webhook: t.ID.String(), Failures: t.progress.Failures, Active: !t.stopped, Pending: int64(len(t.queue))}
	if behind(t.scanned, tail) {
		entries := tail.Number - t.scanned.Number
		if t.scanned.Index == 0 && t.scanned.Number > 0 {
			entries++ // it is in front of its entry
		}
		s.Pending += max(1, entries)
		s.Oldest = t.ahead.at // or that of an event just before, until the next look
	} else {
		t.ahead = ahead{}
	}
	if len(t.queue) > 0 {
		s.Oldest = t.queue[0].At
	}
	return s
}
