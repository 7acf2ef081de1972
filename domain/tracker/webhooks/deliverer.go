package webhooks

import (
	"context"
	"slices"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
	"github.com/problemtracking/problems/domain/tracker/internal/holder"
	"github.com/problemtracking/problems/domain/webhook"
)

// webhookLease begins the name of the lease of the delivery of webhooks. The identifier of the
// key behind their secrets follows: no server holds up webhooks whose messages it cannot sign.
const webhookLease = "webhooks "

// Deliverer is one server's part in the delivery of webhooks (D40). Of all servers with the
// same key, one delivers at a time: it holds the lease. Renew is for one goroutine at a time, not
// during Take or Release. Follow is for any goroutine, and all other methods are for one.
type Deliverer struct {
	service *Service
	alone   bool
	key     webhook.KeyID
	lease   holder.Holder // of the webhooks with this key
	needed  bool          // the latest Take has found a webhook whose messages this server can sign
	plans   map[question]compiled
}

// question is a predicate in the view of a user. Endpoints with the same one share the answer.
type question struct {
	owner     ident.ID
	predicate string
}

// compiled is the plan of a question for a moment.
type compiled struct {
	at   time.Time
	plan *predicate.Plan
	err  error
}

// planFor is the time for which a plan is used again. So NOW() is the moment of the
// evaluation, or up to this time before.
const planFor = time.Second

// plan returns the plan of an endpoint.
func (d *Deliverer) plan(e webhook.Endpoint, now time.Time) (*predicate.Plan, error) {
	q := question{e.Owner, e.Predicate}
	known, ok := d.plans[q]
	if age := now.Sub(known.at); !ok || age < 0 || age > planFor {
		known = compiled{at: now}
		known.plan, known.err = e.Plan(now, d.service.core.Zone)
		if d.plans == nil || len(d.plans) > 2*webhook.Most {
			d.plans = make(map[question]compiled)
		}
		d.plans[q] = known
	}
	return known.plan, known.err
}

// NewDeliverer returns a Deliverer without the lease. alone is true when no other
// server can use the store: then a lease is that of a server that has ended.
func (s *Service) NewDeliverer(alone bool) *Deliverer {
	return &Deliverer{service: s, alone: alone}
}

// Take takes the lease if it is free and there is a webhook whose messages this server can sign.
// now is a time by a clock that nobody sets: see lease.Watch. all are the webhooks, as Webhooks
// returns them; none while another server has the lease.
func (d *Deliverer) Take(ctx context.Context, now time.Time) (taken bool, all []Webhook, err error) {
	var current lease.Lease
	d.needed = false
	err = d.service.core.Store.View(ctx, func(r store.Reader) error {
		some, err := r.Webhooks(ctx, 0, 1)
		if len(some) == 0 || err != nil {
			return err
		}
		key, err := d.service.core.ServiceKey()
		if err == nil {
			d.use(key.ID())
			var ok bool
			if current, ok, err = d.lease.Read(ctx, r); err != nil {
				return err
			}
			if d.needed = !d.lease.Free(current, ok, now); d.needed {
				return nil
			}
		}
		stored, err := r.Webhooks(ctx, 0, webhook.MostStored)
		all = d.service.seen(stored)
		return err
	})
	if slices.ContainsFunc(all, func(one Webhook) bool { return one.Locked == nil }) && err == nil {
		d.needed = true
		taken, err = d.lease.Take(ctx, current, "")
	}
	return taken, all, err
}

// Key identifies the key of the lease.
func (d *Deliverer) Key() webhook.KeyID { return d.key }

// use has the lease be that of the webhooks with a key.
func (d *Deliverer) use(key webhook.KeyID) {
	if d.key != key {
		d.key, d.lease = key, holder.New(webhookLease+key.String(), d.alone, d.service.core.Moment, d.service.core.Commit)
	}
}

// Rest waits if the latest Take has found no webhook whose messages this server can sign: for a
// time, until ctx ends, or until somebody makes a webhook or a secret through the Service.
func (d *Deliverer) Rest(ctx context.Context, pause time.Duration) {
	if d.needed {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, pause)
	defer cancel()
	select {
	case <-d.service.made:
	case <-ctx.Done():
	}
}

// Renew renews the lease, and stores the progress of webhooks with it. held is false when
// another server has the lease: nothing is stored then. An error leaves open who has it.
func (d *Deliverer) Renew(ctx context.Context, progress []store.PutProgress) (held bool, err error) {
	return d.lease.Renew(ctx, "", progressEffects(progress)...)
}

// Release stores the progress of webhooks and gives the lease back.
func (d *Deliverer) Release(ctx context.Context, progress []store.PutProgress) error {
	return d.lease.Release(ctx, "", progressEffects(progress)...)
}

// progressEffects returns the effects that store the progress, in the order of the webhooks.
func progressEffects(progress []store.PutProgress) []store.Effect {
	slices.SortFunc(progress, func(a, b store.PutProgress) int { return a.Webhook.Compare(b.Webhook) })
	effects := make([]store.Effect, len(progress))
	for i, p := range progress {
		effects[i] = p
	}
	return effects
}

// Webhooks returns all webhooks, and whether the owner of each is active. A webhook whose messages
// this server cannot sign is Locked.
func (d *Deliverer) Webhooks(ctx context.Context) (all []Webhook, ownerActive func(Webhook) bool, err error) {
	a, err := d.service.List(ctx)
	return a.Value, func(e Webhook) bool {
		owner, known := a.Catalogue.User(e.Owner)
		return known && !owner.Inactive
	}, err
}

// Pace is the time between two pages of the feed under load. So the predicates of all
// webhooks are evaluated for several events at a time.
const Pace = 50 * time.Millisecond

// Follow returns a Follower of all events behind a cursor, or with nil from now on.
func (d *Deliverer) Follow(ctx context.Context, after *event.Cursor, limit int) (*tracker.Follower, error) {
	cmd := tracker.Follow{Now: after == nil, Limit: limit, Pace: Pace}
	if after != nil {
		cmd.After = *after
	}
	// Every webhook was made by an administrator, so it may get all events.
	return d.service.tracker.As(tracker.Caller{Scope: access.Admin}).Follow(ctx, cmd)
}

// Matches are the events for one endpoint, or why its predicate cannot be evaluated.
type Matches struct {
	Events []tracker.PublishedEvent
	Err    error
	// Unread has the problems among Events for which the predicate cannot be evaluated: they,
	// or related ones, are damaged.
	Unread map[problem.ID]error
}

// Match returns the events for each of the endpoints. Predicates are evaluated for the
// owners of the endpoints, at this moment.
func (d *Deliverer) Match(ctx context.Context, events []tracker.PublishedEvent, endpoints []webhook.Endpoint) ([]Matches, error) {
	all, unread, err := d.match(ctx, events, endpoints)
	if err != nil || unread == nil {
		return all, err
	}
	return d.matchDamaged(ctx, events, endpoints, unread)
}

// match is Match in one View. unread says why a problem cannot be read. Other errors say
// nothing about a problem.
func (d *Deliverer) match(ctx context.Context, events []tracker.PublishedEvent, endpoints []webhook.Endpoint) (all []Matches, unread, err error) {
	all = make([]Matches, len(endpoints))
	var owners []*asked
	byOwner := make(map[ident.ID]*asked)
	now := d.service.core.Time()
	for i, e := range endpoints {
		if e.Predicate == "" {
			all[i].Events = wanted(e, events)
			continue
		}
		plan, err := d.plan(e, now)
		if err != nil {
			all[i].Err = err
			continue
		}
		of := byOwner[e.Owner]
		if of == nil {
			of = &asked{as: d.service.core.As(e.Owner), known: make(map[string]int)}
			byOwner[e.Owner] = of
			owners = append(owners, of)
		}
		of.ask(e.Predicate, plan, i)
	}
	if len(owners) == 0 {
		return all, nil, nil
	}
	err = d.service.core.Store.View(ctx, func(r store.Reader) error {
		catalogue, err := d.service.core.Catalogues.Now(ctx, r)
		if err != nil {
			return err
		}
		for _, of := range owners {
			if err := of.answer(ctx, r, catalogue, events, endpoints, all); err != nil {
				if fault.Is(err, fault.Internal) {
					unread = err
				}
				return err
			}
		}
		return nil
	})
	if unread != nil {
		return nil, unread, nil
	}
	return all, nil, err
}

// wanted returns the events for an endpoint, as far as no predicate is needed.
func wanted(e webhook.Endpoint, events []tracker.PublishedEvent) (found []tracker.PublishedEvent) {
	if len(e.Types) == 0 {
		return events // of many endpoints: a page is large, and nobody changes it
	}
	for _, v := range events {
		if e.Wants(v.Event) {
			found = append(found, v)
		}
	}
	return found
}

// asked are the plans of one owner's endpoints, each once.
type asked struct {
	as     core.Reads     // of the owner
	known  map[string]int // the place of the plan of a predicate
	plans  []*predicate.Plan
	places [][]int // of the endpoints with each plan
}

// ask adds the plan of the endpoint at a place.
func (of *asked) ask(text string, plan *predicate.Plan, place int) {
	at, known := of.known[text]
	if !known {
		at = len(of.plans)
		of.known[text] = at
		of.plans, of.places = append(of.plans, plan), append(of.places, nil)
	}
	of.places[at] = append(of.places[at], place)
}

// answer finds the events for the endpoints of the owner. Few events satisfy most plans, so
// only these are looked at for each endpoint.
func (of *asked) answer(ctx context.Context, r store.Reader, c *metadata.Catalogue, events []tracker.PublishedEvent, endpoints []webhook.Endpoint, all []Matches) error {
	byProblem := make(map[problem.ID][]int) // the places of events, in their order
	var ids []problem.ID
	for i, v := range events {
		if !of.wants(v.Event, endpoints) {
			continue
		}
		if byProblem[v.Problem] == nil {
			ids = append(ids, v.Problem)
		}
		byProblem[v.Problem] = append(byProblem[v.Problem], i)
	}
	slices.Sort(ids)
	results, err := of.as.AmongAll(ctx, r, c, of.plans, ids)
	if err != nil {
		return err
	}
	for i, found := range results {
		var satisfy []int // the places of events
		for id := range found.IDs {
			satisfy = append(satisfy, byProblem[id]...)
		}
		slices.Sort(satisfy)
		for _, place := range of.places[i] {
			m, e := &all[place], endpoints[place]
			m.Err = found.Err
			for _, at := range satisfy {
				if v := events[at]; found.Err == nil && e.Wants(v.Event) {
					m.Events = append(m.Events, v)
				}
			}
		}
	}
	return nil
}

// wants reports whether one of the endpoints gets an event, as far as no predicate is needed.
func (of *asked) wants(v event.Event, endpoints []webhook.Endpoint) bool {
	return slices.ContainsFunc(of.places, func(places []int) bool {
		return slices.ContainsFunc(places, func(place int) bool { return endpoints[place].Wants(v) })
	})
}
