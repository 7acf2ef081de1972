package webhooks

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/webhook"
)

// mostDamaged is the largest number of damaged problems on a page of the feed. With more of
// them the store is at fault, and all webhooks wait (D40).
const mostDamaged = 20

// halving finds the damaged problems of a page by halves. Each half has a View of its own: a
// failed read may end it.
type halving struct {
	*Deliverer
	of        map[problem.ID][]tracker.PublishedEvent
	endpoints []webhook.Endpoint // with predicates
	found     []Matches          // of the endpoints, in any order
	damaged   []problem.ID
}

// matchDamaged is Match after match has failed with unread.
func (d *Deliverer) matchDamaged(ctx context.Context, events []tracker.PublishedEvent, endpoints []webhook.Endpoint, unread error) ([]Matches, error) {
	all := make([]Matches, len(endpoints))
	h := halving{Deliverer: d, of: make(map[problem.ID][]tracker.PublishedEvent)}
	var places []int
	for i, e := range endpoints {
		if e.Predicate == "" {
			all[i].Events = wanted(e, events)
			continue
		}
		h.endpoints, places = append(h.endpoints, e), append(places, i)
	}
	for _, v := range events {
		h.of[v.Problem] = append(h.of[v.Problem], v)
	}
	h.found = make([]Matches, len(h.endpoints))
	if err := h.halve(ctx, slices.Sorted(maps.Keys(h.of)), unread); err != nil {
		return nil, err
	}
	for _, id := range h.damaged {
		if err := h.each(ctx, id); err != nil {
			return nil, err
		}
	}
	for i, m := range h.found {
		slices.SortFunc(m.Events, func(a, b tracker.PublishedEvent) int { return a.Cursor.Compare(b.Cursor) })
		all[places[i]] = m
	}
	return all, nil
}

// halve matches the events of some problems by halves, after match has failed with unread for
// all of them. It leaves out damaged problems, and lists them.
func (h *halving) halve(ctx context.Context, ids []problem.ID, unread error) error {
	if len(h.damaged) == mostDamaged {
		return unread
	}
	if len(ids) == 1 {
		h.damaged = append(h.damaged, ids[0])
		return nil
	}
	half := len(ids) / 2
	for _, part := range [][]problem.ID{ids[:half], ids[half:]} {
		var events []tracker.PublishedEvent
		for _, id := range part {
			events = append(events, h.of[id]...)
		}
		found, unread, err := h.match(ctx, events, h.endpoints)
		if unread != nil {
			err = h.halve(ctx, part, unread)
		}
		if err != nil {
			return err
		}
		for i, m := range found {
			h.found[i].add(m)
		}
	}
	return nil
}

// each matches the events of a damaged problem for each endpoint apart. Not all predicates
// need the problem.
func (h *halving) each(ctx context.Context, id problem.ID) error {
	for i, e := range h.endpoints {
		found, unread, err := h.match(ctx, h.of[id], []webhook.Endpoint{e})
		switch {
		case err != nil:
			return err
		case unread != nil:
			h.found[i].add(Matches{Events: wanted(e, h.of[id]), Unread: map[problem.ID]error{id: unread}})
		default:
			h.found[i].add(found[0])
		}
	}
	return nil
}

// add adds the matches of events of other problems.
func (m *Matches) add(of Matches) {
	m.Events = append(m.Events, of.Events...)
	m.Err = cmp.Or(m.Err, of.Err)
	if m.Unread == nil {
		m.Unread = of.Unread
		return
	}
	maps.Copy(m.Unread, of.Unread)
}
