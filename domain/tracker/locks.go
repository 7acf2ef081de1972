package tracker

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"sync"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
)

// queue lets one writer at a time at each place, so that within this process
// nobody decides from a snapshot that the next one is about to outdate.
type queue struct {
	mu     sync.Mutex
	places map[slot]*place
	// room is how many may be at a place of the kind at a time; nil: one.
	room func(slotKind) int
}

// place is a lock that can be waited for with a context. Those who wait get it in the
// order in which they came.
type place struct {
	free    chan any // holds, for each who may come in, what the one before has left
	waiting int      // how many have or want it; at 0 it is removed, with what is left
}

// turn is the right to be at places until it is given back.
type turn struct {
	queue *queue
	slots []slot
	// found is what the one before has left at the only place, if somebody waited for it
	// ever since; left is what is left there for the next.
	found, left any
}

func newQueue() *queue { return &queue{places: make(map[slot]*place)} }

// slot names a place.
type slot struct {
	kind slotKind
	name string
	user ident.ID
	id   problem.ID
}

// slotKind orders slots of different kinds.
type slotKind int

const (
	slotKey       slotKind = iota // an idempotency key of a user
	slotFamily                    // a directed family, to whoever adds to it
	slotProblem                   // a problem
	slotCatalogue                 // metadata, users and tokens
	slotQueries                   // the saved queries of a user
	slotSearcher                  // the searches of a user
	slotSearch                    // all searches
)

func problemSlot(id problem.ID) slot { return slot{kind: slotProblem, id: id} }

func compareSlots(a, b slot) int {
	return cmp.Or(cmp.Compare(a.kind, b.kind), strings.Compare(a.name, b.name), a.user.Compare(b.user), cmp.Compare(a.id, b.id))
}

// enter waits until all the given slots are free and takes them. The order is
// the same for everyone, so that nobody waits in a circle. When ctx ends first, the
// error is of kind fault.Unavailable.
func (q *queue) enter(ctx context.Context, slots ...slot) (*turn, error) {
	slices.SortFunc(slots, compareSlots)
	t := &turn{queue: q, slots: slices.Compact(slots)}
	for i, s := range t.slots {
		found, err := q.take(ctx, s)
		if err != nil {
			q.give(t.slots[:i], nil)
			return nil, err
		}
		if len(t.slots) == 1 {
			t.found = found
		}
	}
	return t, nil
}

// taken reports whether one would have to wait at the place.
func (q *queue) taken(s slot) bool {
	q.mu.Lock()
	defer q.mu.Unlock()
	p := q.places[s]
	return p != nil && len(p.free) == 0
}

// leave gives the places back.
func (t *turn) leave() {
	if len(t.slots) != 1 {
		t.left = nil
	}
	t.queue.give(t.slots, t.left)
}

func (q *queue) take(ctx context.Context, s slot) (found any, err error) {
	q.mu.Lock()
	p := q.places[s]
	if p == nil {
		p = newPlace(q.roomAt(s.kind))
		q.places[s] = p
	}
	p.waiting++
	q.mu.Unlock()
	select {
	case found = <-p.free: // nobody is there
		return found, nil
	default:
	}
	select {
	case found = <-p.free:
		return found, nil
	case <-ctx.Done():
		q.mu.Lock()
		q.forget(s, p)
		q.mu.Unlock()
		return nil, fault.Wrap(fault.Unavailable, ctx.Err(), "the request ended while it waited for its turn; nothing was changed")
	}
}

func (q *queue) roomAt(kind slotKind) int {
	if q.room == nil {
		return 1
	}
	return q.room(kind)
}

func newPlace(room int) *place {
	p := &place{free: make(chan any, room)}
	for range room {
		p.free <- nil
	}
	return p
}

func (q *queue) give(slots []slot, left any) {
	q.mu.Lock()
	defer q.mu.Unlock()
	for _, s := range slots {
		p := q.places[s]
		p.free <- left
		q.forget(s, p)
	}
}

func (q *queue) forget(s slot, p *place) {
	if p.waiting--; p.waiting == 0 {
		delete(q.places, s)
	}
}
