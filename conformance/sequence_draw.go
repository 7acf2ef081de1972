package conformance

import (
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
)

// mood is what sequences are drawn by.
type mood struct {
	steps    int // at least
	problems int // how many there come to be, about
	restored int // of 100 sequences, how many begin with an Archive
	refused  int // of 100 Changes, how many are given a reason to be refused
	reopened int // of 100 steps, how many open the store again, if it is durable
}

// drawer draws a sequence. What comes next depends on the model, so that it
// means something, and never on a store under test: numbers of problems are
// drawn, too.
type drawer struct {
	*rand.Rand
	mood
	b       *bench // makes values
	past    *past
	drawn   sequence
	batches []ident.ID // of all Changes
	moments []time.Time
	last    problem.ID // number
	users   []ident.ID
	objects []metadata.Content
	texts   []string
	names   []string // of keywords
}

// draw returns a sequence of sensible steps.
func (m mood) draw(b *bench) sequence {
	d := &drawer{
		Rand:    b.random(),
		mood:    m,
		b:       b,
		past:    newPast(),
		users:   []ident.ID{b.ID(), b.ID(), b.ID()},
		objects: []metadata.Content{b.objects(), b.objects()},
		texts:   hurtful(),
	}
	for range 5 {
		d.names = append(d.names, d.text(255))
	}
	if d.percent(m.restored) {
		d.add(restores{d.holdings(1 + d.IntN(3))})
	}
	for len(d.drawn) < m.steps {
		d.add(d.next()...)
	}
	return d.drawn
}

// add appends what is sensible of the steps.
func (d *drawer) add(steps ...step) {
	for _, s := range steps {
		if s, ok := s.within(d.past); ok {
			s.happen(d.past)
			d.drawn = append(d.drawn, s)
		}
	}
}

// next draws what comes next: mostly a Commit.
func (d *drawer) next() []step {
	if d.percent(d.reopened) && d.b.h.Caps.Durable == Yes {
		return []step{reopens{}}
	}
	switch n := d.IntN(24); {
	case n == 0:
		return []step{reserves{}}
	case n == 1 && d.oneIn(3):
		return []step{restores{d.holdings(1)}}
	case n == 2: // ruled out before it comes
		change := d.change()
		return []step{asks{change.Batch, d.b.Now()}, commits{change}}
	case n <= 4 && len(d.batches) > 0:
		return []step{repeats{pick(d, d.batches)}}
	case n <= 6 && len(d.batches) > 0:
		return []step{asks{pick(d, d.batches), d.b.Now()}}
	}
	return []step{commits{d.change()}}
}

// change draws a Change.
func (d *drawer) change() store.Change {
	c := d.b.change()
	d.batches, d.moments = append(d.batches, c.Batch), append(d.moments, c.At)
	if d.oneIn(8) {
		c.Author = ident.None
	}
	ids := d.numbers()
	if len(ids) == 0 && d.oneIn(3) { // a store without problems can have a past
		c.Effects = []store.Effect{store.MoveFamily{Family: d.directed().Forward}}
		c.Expect = []store.Expectation{store.StoreEmpty{}}
		return c
	}
	if len(ids) == 0 || len(ids) < d.problems && d.oneIn(3) {
		p := d.problem(d.number())
		ids = append(ids, p.ID)
		c.Effects = append(c.Effects, store.CreateProblem{Problem: p})
	}
	for range d.IntN(6) {
		d.effects(&c, pick(d, ids), pick(d, ids))
	}
	for range d.IntN(3) {
		c.Log = append(c.Log, d.entry(pick(d, ids)))
	}
	for range d.IntN(3) {
		c.Expect = append(c.Expect, d.expectation(pick(d, ids), 0))
	}
	if d.percent(d.refused) {
		d.spoil(&c, pick(d, ids), pick(d, ids))
	}
	return c
}

// spoil gives the Change a reason to be refused.
func (d *drawer) spoil(c *store.Change, id, other problem.ID) {
	at := d.IntN(len(c.Effects) + 1)
	insert := func(e ...store.Effect) { c.Effects = slices.Insert(c.Effects, at, e...) }
	switch d.IntN(8) {
	case 0:
		insert(unknownEffect{})
	case 1:
		c.Expect = append(c.Expect, unknownExpectation{})
	case 2:
		insert(store.CreateProblem{Problem: d.problem(id)})
	case 3:
		insert(store.UpdateProblem{Problem: d.problem(d.number())})
	case 4:
		side := store.PutRelationship{Relationship: d.side(id, other)}
		insert(side, side)
	case 5:
		c.Expect = append(c.Expect, store.ProblemAt{ID: d.number(), Revision: int64(d.IntN(2))})
	default:
		c.Expect = append(c.Expect, d.expectation(id, 1))
	}
}

// expectation draws an expectation that holds, if it is not off by anything.
func (d *drawer) expectation(id problem.ID, off int64) store.Expectation {
	now := d.past.model.now
	family := d.directed().Forward
	switch d.IntN(9) {
	case 0:
		return store.CatalogueAt{Version: d.version(now.versions.Catalogue, off)}
	case 1:
		return store.FamilyAt{Family: family, Epoch: d.version(now.epochs[family], off)}
	case 2:
		return store.AccessAt{Version: d.version(now.versions.Access, off)}
	case 3:
		return d.unused(off)
	case 4:
		if off != 0 || now.expect(store.StoreEmpty{}) == nil {
			return store.StoreEmpty{}
		}
	case 5:
		return d.stateUnused(off)
	}
	p, ok := now.problems[id]
	if !ok { // yet
		return store.CatalogueAt{Version: d.version(now.versions.Catalogue, off)}
	}
	at := d.version(ident.Version{Number: p.Revision, Batch: now.batches[id]}, off)
	return store.ProblemAt{ID: id, Revision: at.Number, Batch: at.Batch}
}

// version returns the version, or one that is off: by its number, or by its batch
// alone.
func (d *drawer) version(v ident.Version, off int64) ident.Version {
	if off != 0 && d.oneIn(2) {
		return ident.Version{Number: v.Number, Batch: d.b.ID()}
	}
	return ident.Version{Number: v.Number + off, Batch: v.Batch}
}

// unused draws the expectation that a key is unused, where it can be about a reply
// that has just expired, or is about to if it is off.
func (d *drawer) unused(off int64) store.Expectation {
	kept := d.past.model.now.replies
	if len(kept) == 0 {
		return store.KeyUnused{User: pick(d, d.users), Key: d.key(), Since: d.b.Now()}
	}
	r := kept[pick(d, slices.SortedFunc(maps.Keys(kept), replyKey.compare))]
	return store.KeyUnused{User: r.User, Key: r.Key, Since: r.Created.Add(time.Duration(1-off) * time.Millisecond)}
}

// stateUnused draws the expectation that a state is unused: one that no problem is
// in, or that one is in if it is off.
func (d *drawer) stateUnused(off int64) store.Expectation {
	now := d.past.model.now
	state := d.state()
	if numbers := d.numbers(); off != 0 && len(numbers) > 0 {
		return store.StateUnused{State: now.problems[pick(d, numbers)].State}
	}
	if expected := (store.StateUnused{State: state}); now.expect(expected) == nil {
		return expected
	}
	return store.StateUnused{State: d.b.ID()}
}

// numbers returns those of the problems that there are.
func (d *drawer) numbers() []problem.ID {
	return slices.Sorted(maps.Keys(d.past.model.now.problems))
}

// number returns one that no problem has.
func (d *drawer) number() problem.ID {
	d.last++
	if d.oneIn(10) {
		d.last += problem.ID(d.IntN(1000))
	}
	return d.last
}

// holdings draws what an Archive holds.
func (d *drawer) holdings(problems int) holdings {
	var ids []problem.ID
	for range problems {
		ids = append(ids, d.number())
	}
	h := d.b.holdings(ids...)
	if d.oneIn(4) {
		h.Tokens = nil
	}
	if d.oneIn(4) {
		h.Metadata = metadata.Content{}
	}
	if d.oneIn(4) {
		h.Queries, h.Audit = nil, nil
	}
	return h
}

func (d *drawer) directed() relationship.Family {
	return pick(d, slices.DeleteFunc(relationship.Families(), func(f relationship.Family) bool { return !f.Directed() }))
}

func (d *drawer) oneIn(n int) bool { return d.IntN(n) == 0 }

func (d *drawer) percent(n int) bool { return d.IntN(100) < n }

func pick[T any](d *drawer, from []T) T { return from[d.IntN(len(from))] }
