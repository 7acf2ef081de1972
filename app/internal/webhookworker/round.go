package webhookworker

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/problemtracking/problems/app/internal/background"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/tracker/webhooks"
	"github.com/problemtracking/problems/domain/webhook"
)

// Bounds of a round.
const (
	// tick is the time between two passes over all webhooks. A pass looks for due attempts
	// and for progress to store.
	tick = 250 * time.Millisecond
	// mostStored is the largest number of webhooks in one Change.
	mostStored = 200
	// mostQueued bounds the queue of one webhook in memory. Further events stay in the
	// feed.
	mostQueued = 64
	// tailPage is the number of events in one read of the feed.
	tailPage = 500
	// most and mostFailing bound the concurrent requests. Webhooks with a failed attempt
	// have a limit of their own: their timeouts do not hold up the others.
	most        = 1024
	mostFailing = 64
	// settleEvery is the interval at which a webhook without events moves to the position
	// of the latest look.
	settleEvery = time.Minute
)

// round is the work of a server from taking the lease to losing it. One goroutine owns it,
// except for the requests under way.
type round struct {
	*Worker
	deliverer *webhooks.Deliverer
	ctx       context.Context // ends with the lease
	end       context.CancelFunc
	hold      *hold

	targets map[ident.ID]*target
	order   []*target
	catchUp []*target // to read the feed for
	ready   [2][]*target
	out     [2]int // messages under way; those of failing webhooks second
	results chan result
	pages   chan page
	tail    event.Cursor // all live targets have the events up to here
	stale   bool         // the webhooks must be read again
	storing bool         // progress is on its way to the store
	stores  chan storing
	looking bool // a look is under way
	looks   chan []ahead
	turn    int // the place in order of the first target to store
}

// The reasons for the end of a round.
var (
	// errLost: another server has the lease, or may have it.
	errLost = errors.New("another server delivers webhooks")
	// errIdle: there is no webhook whose messages this server can sign.
	errIdle = errors.New("there is no webhook for this server")
)

// deliver delivers while it has the lease, taken at the given time, until ctx ends.
func (w *Worker) deliver(ctx context.Context, deliverer *webhooks.Deliverer, taken time.Time) error {
	round := &round{Worker: w, deliverer: deliverer, results: make(chan result, most+mostFailing), pages: make(chan page), looks: make(chan []ahead, 1), stores: make(chan storing, 1)}
	round.ctx, round.end = context.WithCancel(ctx)
	round.hold = newHold(deliverer, w.Alone, taken, round.end)
	var keeping sync.WaitGroup
	keeping.Go(func() { round.hold.keep(round.ctx) })
	err := round.run()
	round.end()
	round.hold.end()
	keeping.Wait()
	if round.storing { // it has ended with ctx
		_ = round.stored(<-round.stores)
	}
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

// run returns nil when the server stops.
func (r *round) run() error {
	f, err := r.deliverer.Follow(r.ctx, nil, tailPage)
	if err != nil {
		return err
	}
	r.tail = f.Position()
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
			if !r.hold.lost() {
				return nil
			}
			return errLost
		case p := <-r.pages:
			if err := r.take(p); err != nil {
				return err
			}
		case done := <-r.results:
			if done.err != nil {
				r.out[done.group]--
				return done.err
			}
			r.settle(done)
		case <-ticker.C:
			if err := r.tick(); err != nil {
				return err
			}
		case s := <-r.stores:
			if err := r.stored(s); err != nil {
				return err
			}
		case found := <-r.looks:
			r.looked(found)
		case <-more:
		}
	}
}

// load reads the webhooks again. A webhook with changed settings restarts from its stored
// progress. Those whose messages this server cannot sign are left to others.
func (r *round) load() error {
	all, ownerActive, err := r.deliverer.Webhooks(r.ctx)
	if err != nil {
		return err
	}
	r.stale = false
	r.see(all)
	targets, order := make(map[ident.ID]*target, len(all)), make([]*target, 0, len(all))
	for _, w := range all {
		if w.Locked != nil {
			continue
		}
		active := ownerActive(w)
		t := r.targets[w.ID]
		if t == nil || t.Version != w.Version {
			t = r.begin(w.Webhook, t)
		}
		if t.stopped = !w.Active || t.progress.State != webhook.Active; !t.stopped && !active {
			r.stop(t, webhook.OwnerInactive)
		}
		targets[w.ID] = t
		order = append(order, t)
	}
	for id, old := range r.targets {
		if targets[id] != old && old.busy {
			old.cancel()
		}
	}
	r.targets, r.order = targets, order
	for _, t := range order {
		r.queue(t)
	}
	if len(order) == 0 {
		return errIdle
	}
	return nil
}

// reload is load for a running round: after a failure of the store the next tick tries
// again.
func (r *round) reload() error {
	err := r.load()
	if background.Away(err) || r.ctx.Err() != nil {
		return nil // the next tick tries again
	}
	return err
}

// tick stores the progress and looks for due attempts.
func (r *round) tick() error {
	if r.stale {
		if err := r.reload(); err != nil {
			return err
		}
	}
	r.store()
	for _, t := range r.order {
		r.queue(t)
	}
	r.look()
	r.report()
	return nil
}
