package sequence

import (
	"maps"
	"math/rand/v2"
	"slices"
	"time"

	"github.com/problemtracking/problems/conformance/harness"
	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// mood is the weight of the kinds of steps in a sequence.
type mood struct {
	steps    int // at least
	problems int // how many there come to be, about
	restored int // of 100 sequences, how many begin with an Archive
	refused  int // of 100 Changes, how many are given a reason to be refused
	reopened int // of 100 steps, how many open the store again, if it is durable
}

// drawer draws a sequence. The next step depends on the model, so it is meaningful, and
// never on a store under test: even numbers of problems are drawn.
type drawer struct {
	*rand.Rand
	mood
	b       *bench.Bench // makes values
	past    *past
	drawn   Sequence
	batches []ident.ID // of all Changes
	moments []time.Time
	last    problem.ID // number
	users   []ident.ID
	objects []metadata.Content
	texts   []string
	names   []string // of keywords
}

// Draw returns a sequence of sensible steps.
func (m mood) Draw(b *bench.Bench) Sequence {
	d := &drawer{
		Rand:    b.Random(),
		mood:    m,
		b:       b,
		past:    NewPast(),
		users:   []ident.ID{b.ID(), b.ID(), b.ID()},
		objects: []metadata.Content{b.Objects(), b.Objects()},
		texts:   hurtful(),
	}
	for range 5 {
		d.names = append(d.names, d.text(255))
	}
	if d.percent(m.restored) {
		d.Add(Restores{d.Holdings(1 + d.IntN(3))})
	}
	for len(d.drawn) < m.steps {
		d.Add(d.next()...)
	}
	return d.drawn
}

// Add appends the sensible ones of the steps.
func (d *drawer) Add(steps ...Step) {
	for _, s := range steps {
		if s, ok := s.within(d.past); ok {
			s.Happen(d.past)
			d.drawn = append(d.drawn, s)
		}
	}
}

// next draws the next step, mostly a Commit.
func (d *drawer) next() []Step {
	if d.percent(d.reopened) && d.b.H.Caps.Durable == harness.Yes {
		return []Step{Reopens{}}
	}
	switch n := d.IntN(24); {
	case n == 0:
		return []Step{Reserves{}}
	case n == 1 && d.oneIn(3):
		return []Step{Restores{d.Holdings(1)}}
	case n == 2: // ruled out before it comes
		change := d.Change()
		return []Step{Asks{change.Batch, d.b.Now()}, Commits{change}}
	case n <= 4 && len(d.batches) > 0:
		return []Step{Repeats{pick(d, d.batches)}}
	case n <= 6 && len(d.batches) > 0:
		return []Step{Asks{pick(d, d.batches), d.b.Now()}}
	}
	return []Step{Commits{d.Change()}}
}

// Change draws a Change.
func (d *drawer) Change() store.Change {
	c := d.b.Change()
	d.batches, d.moments = append(d.batches, c.Batch), append(d.moments, c.At)
	if d.oneIn(8) {
		c.Author = ident.None
	}
	if d.oneIn(2) {
		c.Via = ident.None
	}
	ids := d.numbers()
	if len(ids) == 0 && d.oneIn(3) { // a store without problems can have a past
		c.Effects = []store.Effect{d.lease(&c)}
		c.Expect = append(c.Expect, store.StoreEmpty{})
		return c
	}
	if len(ids) == 0 || len(ids) < d.problems && d.oneIn(3) {
		p := d.Problem(d.number())
		ids = append(ids, p.ID)
		c.Effects = append(c.Effects, store.CreateProblem{Problem: p})
	}
	for range d.IntN(6) {
		d.effects(&c, pick(d, ids), pick(d, ids))
	}
	for range d.IntN(3) {
		c.Log = append(c.Log, d.Entry(pick(d, ids)))
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
		insert(bench.UnknownEffect{})
	case 1:
		c.Expect = append(c.Expect, bench.UnknownExpectation{})
	case 2:
		insert(store.CreateProblem{Problem: d.Problem(id)})
	case 3:
		insert(store.UpdateProblem{Problem: d.Problem(d.number())})
	case 4:
		side := store.PutRelationship{Relationship: d.side(id, other)}
		insert(side, side)
	case 5:
		c.Expect = append(c.Expect, store.ProblemAt{ID: d.number(), Revision: int64(d.IntN(2))})
	default:
		c.Expect = append(c.Expect, d.expectation(id, 1))
	}
}

// expectation draws an expectation. It holds unless it is off.
func (d *drawer) expectation(id problem.ID, off int64) store.Expectation {
	now := d.past.model.Now
	switch d.IntN(10) {
	case 0:
		return store.CatalogueAt{Version: d.version(now.Counters.Catalogue, off)}
	case 1:
		return store.AccessAt{Version: d.version(now.Counters.Access, off)}
	case 2:
		return d.unused(off)
	case 3:
		if off != 0 || now.Expect(store.StoreEmpty{}) == nil {
			return store.StoreEmpty{}
		}
	case 4:
		return d.stateUnused(off)
	case 6:
		if known := now.AllWebhooks; len(known) > 0 {
			w := pick(d, known)
			if off != 0 {
				w.Version = d.b.ID()
			}
			return store.WebhookAt{ID: w.ID, Version: w.Version}
		}
	}
	p, ok := now.AllProblems[id]
	if !ok { // yet
		return store.CatalogueAt{Version: d.version(now.Counters.Catalogue, off)}
	}
	at := d.version(ident.Version{Number: p.Revision, Batch: now.Batches[id]}, off)
	return store.ProblemAt{ID: id, Revision: at.Number, Batch: at.Batch}
}

// version returns the version, or a wrong one: by its number, or by its batch alone.
func (d *drawer) version(v ident.Version, off int64) ident.Version {
	if off != 0 && d.oneIn(2) {
		return ident.Version{Number: v.Number, Batch: d.b.ID()}
	}
	return ident.Version{Number: v.Number + off, Batch: v.Batch}
}

// unused draws the expectation of an unused key. If possible, its reply has just expired,
// or is about to expire if it is off.
func (d *drawer) unused(off int64) store.Expectation {
	kept := d.past.model.Now.Replies
	if len(kept) == 0 {
		return store.KeyUnused{User: pick(d, d.users), Key: d.key(), Since: d.b.Now()}
	}
	r := kept[pick(d, slices.SortedFunc(maps.Keys(kept), bench.ReplyKey.Compare))]
	return store.KeyUnused{User: r.User, Key: r.Key, Since: r.Created.Add(time.Duration(1-off) * time.Millisecond)}
}

// stateUnused draws the expectation of an unused state: of a state without problems, or
// with one if it is off.
func (d *drawer) stateUnused(off int64) store.Expectation {
	now := d.past.model.Now
	state := d.state()
	if numbers := d.numbers(); off != 0 && len(numbers) > 0 {
		return store.StateUnused{State: now.AllProblems[pick(d, numbers)].State}
	}
	if expected := (store.StateUnused{State: state}); now.Expect(expected) == nil {
		return expected
	}
	return store.StateUnused{State: d.b.ID()}
}

// numbers returns the existing problems.
func (d *drawer) numbers() []problem.ID {
	return slices.Sorted(maps.Keys(d.past.model.Now.AllProblems))
}

// number returns an unused number.
func (d *drawer) number() problem.ID {
	d.last++
	if d.oneIn(10) {
		d.last += problem.ID(d.IntN(1000))
	}
	return d.last
}

// Holdings draws the content of an Archive.
func (d *drawer) Holdings(problems int) bench.Holdings {
	var ids []problem.ID
	for range problems {
		ids = append(ids, d.number())
	}
	h := d.b.Holdings(ids...)
	if d.oneIn(4) {
		h.Tokens = nil
	}
	if d.oneIn(4) {
		h.Metadata = metadata.Content{}
	}
	if d.oneIn(4) {
		h.Queries, h.Webhooks, h.Audit = nil, nil, nil
	}
	if d.oneIn(4) {
		h.Feed = nil
	}
	return h
}

func (d *drawer) oneIn(n int) bool { return d.IntN(n) == 0 }

func (d *drawer) percent(n int) bool { return d.IntN(100) < n }

func pick[T any](d *drawer, from []T) T { return from[d.IntN(len(from))] }
