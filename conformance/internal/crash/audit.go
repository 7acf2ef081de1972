package crash

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"slices"

	"github.com/problemtracking/problems/conformance/harness"
	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/model"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// crashed is a case with a store used by killed children.
type crashed struct {
	*bench.Bench
	common  problem.ID
	mine    []written  // Changes of the case itself
	done    []*attempt // the children's attempts
	ruled   []ident.ID
	highest int64 // the highest acknowledged position

	catalogue int64 // its version, as it was shown and then confirmed

	read map[int64]ident.ID // the batches in the feed by their numbers, as the children have read them
}

// written is a stored Change, with its position in the order.
type written struct {
	store.Change
	position int64
}

// attempt is a Change tried by a child.
type attempt struct {
	harness.Statement // the last one
	store.Change
	vouched bool // visible in a View, and then confirmed as safe by the store
	stored  bool // once it is settled
}

// acknowledged and refused report the child's last Statement about it.
func (d *attempt) acknowledged() bool { return d.Phase == harness.Acknowledged }
func (d *attempt) refused() bool      { return d.Phase == harness.Refused }

// enter commits a Change of the case's own.
func (c *crashed) enter(change store.Change) store.Receipt {
	c.Helper()
	receipt := c.Commit(change)
	c.mine = append(c.mine, written{change, receipt.Position})
	c.highest = max(c.highest, receipt.Position)
	return receipt
}

// round lets a child commit until it is killed, and opens the store again.
func (c *crashed) round(spec harness.CrashSpec) {
	c.Helper()
	spec.Problem = c.common
	for _, one := range crash(c.Bench, spec) {
		c.book(one)
	}
}

// book notes a Statement.
func (c *crashed) book(one harness.Statement) {
	c.Helper()
	expected := one.Kind == string(fault.Unavailable) || one.Kind == string(fault.UnknownOutcome) && one.Action != harness.Confirming || one.Doomed && one.Kind == string(fault.Conflict)
	switch {
	case one.Why != "" && !expected:
		c.Failf("a child that had no reason to fail failed to %s: %s", one.Action, one.Why)
	case one.Doomed && one.Phase == harness.Acknowledged:
		c.Failf("a Change was stored that creates a problem which is there")
	}
	switch {
	case one.Action == harness.Ruling && one.Phase == harness.Acknowledged:
		c.ruled = append(c.ruled, one.Batch)
	case one.Sight():
		c.catalogue = max(c.catalogue, one.Catalogue)
		c.bookEntry(one)
		if i := slices.IndexFunc(c.done, func(d *attempt) bool { return d.Change.Batch == one.Batch }); i >= 0 {
			c.done[i].vouched = true
		}
	case one.Action != harness.Committing:
	case one.Phase == harness.Tried:
		c.done = append(c.done, &attempt{Statement: one, Change: changeOf(one, c.common)})
	default:
		i := slices.IndexFunc(c.done, func(d *attempt) bool { return d.Change.Batch == one.Batch })
		if i < 0 {
			return // it was never tried
		}
		c.done[i].Statement = one
		c.highest = max(c.highest, one.Position)
	}
}

// bookEntry notes an entry of the feed that a child has read.
func (c *crashed) bookEntry(one harness.Statement) {
	c.Helper()
	if one.Action != harness.Following {
		return
	}
	if c.read == nil {
		c.read = make(map[int64]ident.ID)
	}
	if batch, known := c.read[one.Number]; known && batch != one.Batch {
		c.Failf("the number %d was read in the feed with the batch %s, and with the batch %s", one.Number, bench.Short(batch), bench.Short(one.Batch))
	}
	c.read[one.Number] = one.Batch
}

// counts has the outcomes of the children's Changes.
type counts struct {
	own, ownLost          int // the case's own, from before the child, and the missing ones
	acknowledged, refused int
	openStored, openNot   int // of those neither acknowledged nor refused
	vouched               int // not acknowledged, but shown, and then said to be safe

	lost        int // acknowledged, and not there
	takenBack   int // not acknowledged, but shown and said to be safe, and not there
	resurrected int // refused, and there
	duplicate   int // there more than once
	torn        int // there in part
	phantom     int // there, though nobody tried
}

func (k counts) String() string {
	return fmt.Sprintf("of %d Changes from before the child, %d are LOST; of %d acknowledged Changes, %d are LOST; of %d that were not, but shown and then confirmed, %d are TAKEN BACK; of %d refused ones, %d are RESURRECTED; of %d that were neither, %d are stored; "+
		"%d are DUPLICATE, %d TORN, %d PHANTOM",
		k.own, k.ownLost, k.acknowledged, k.lost, k.vouched, k.takenBack, k.refused, k.resurrected, k.openStored+k.openNot, k.openStored, k.duplicate, k.torn, k.phantom)
}

// wrong is how many Changes are not as was said.
func (k counts) wrong() int {
	return k.ownLost + k.lost + k.takenBack + k.resurrected + k.duplicate + k.torn + k.phantom
}

// audit compares the children's Statements with the content of the store.
func (c *crashed) audit() (k counts) {
	c.Helper()
	shown, err := c.Held()
	c.Must("reading what is stored", err)
	found := make(map[ident.ID]int)    // comments and log entries
	there := make(map[problem.ID]bool) // problems
	bare := make(map[problem.ID]bool)  // problems without either
	for _, d := range shown.Dossiers {
		there[d.ID] = true
		for _, comment := range d.Comments {
			found[comment.ID]++
		}
		for _, entry := range d.Log {
			found[entry.ID]++
		}
		if len(d.Comments)+len(d.Log) == 0 && d.ID != c.common {
			bare[d.ID] = true
		}
	}
	for _, own := range c.mine {
		k.enterOwn(own.Change, found, there)
		for part := range parts(own.Change) {
			delete(found, part)
		}
	}
	for _, d := range c.done {
		var times []int
		for part := range parts(d.Change) {
			times = append(times, found[part])
			delete(found, part)
		}
		k.enter(d, times...)
		delete(bare, d.Problems[0])
		delete(bare, d.Problems[1])
	}
	k.phantom += len(bare) + len(found)
	return k
}

// parts are the identifiers of a Change's parts, to find them. Numbers of problems are
// not among them: a number reserved in vain is reserved again.
func parts(change store.Change) iter.Seq[ident.ID] {
	return func(yield func(ident.ID) bool) {
		for _, effect := range change.Effects {
			if e, ok := effect.(store.AddComment); ok && !yield(e.Comment.ID) {
				return
			}
		}
		for _, entry := range change.Log {
			if !yield(entry.ID) {
				return
			}
		}
	}
}

// enterOwn notes a Change of the case itself, with its problem, or its comments and log
// entries.
func (k *counts) enterOwn(change store.Change, found map[ident.ID]int, there map[problem.ID]bool) {
	var times []int
	for _, effect := range change.Effects {
		if e, ok := effect.(store.CreateProblem); ok && there[e.Problem.ID] {
			times = append(times, 1)
		} else if ok {
			times = append(times, 0)
		}
	}
	for part := range parts(change) {
		times = append(times, found[part])
	}
	k.own++
	switch least, most := slices.Min(times), slices.Max(times); {
	case least == 0:
		k.ownLost++
	case most > 1:
		k.duplicate++
	}
}

// enter notes a Change, with the number of times each part is there.
func (k *counts) enter(d *attempt, times ...int) {
	least, most := slices.Min(times), slices.Max(times)
	switch {
	case d.acknowledged():
		k.acknowledged++
	case d.refused():
		k.refused++
	case most > 0:
		k.openStored++
	default:
		k.openNot++
	}
	if d.vouched && !d.acknowledged() {
		k.vouched++
	}
	switch {
	case most > 1:
		k.duplicate++
	case d.acknowledged() && most == 0:
		k.lost++
	case d.vouched && most == 0:
		k.takenBack++
	case d.refused() && most > 0:
		k.resurrected++
	case least != most:
		k.torn++
	}
}

// verify ends the case unless the store agrees with the Statements of the children.
func (c *crashed) verify() {
	c.Helper()
	k := c.audit()
	c.Logf("%v", k)
	if k.wrong() > 0 {
		c.Failf("%v", k)
	}
	if v := c.Versions().Catalogue.Number; v < c.catalogue {
		c.Failf("the catalogue has the version %d where %d was shown and then confirmed", v, c.catalogue)
	}
}

// settle asks for the outcomes of the Changes, and compares them with the children's
// Statements.
func (c *crashed) settle() {
	c.Helper()
	for _, d := range c.done {
		receipt, stored, err := c.Store.Outcome(c.Ctx, d.Change.Batch, d.At)
		c.Must("Outcome", err)
		switch {
		case d.acknowledged() && !stored:
			c.Failf("Outcome says of an acknowledged batch that it never will be stored")
		case d.acknowledged() && receipt != store.Receipt{Batch: d.Change.Batch, Position: d.Position}:
			c.Failf("Outcome returns the Receipt %v of a batch whose Commit returned the position %d", receipt, d.Position)
		case d.refused() && stored:
			c.Failf("Outcome says of a refused batch that it is stored")
		case stored:
			c.Equal("the batch of the Receipt", d.Change.Batch, receipt.Batch)
		}
		d.stored, d.Position = stored, receipt.Position
	}
}

// byBatch returns the entries of a feed without their numbers. Concurrent Changes can have
// another order in it than their positions.
func byBatch(feed []event.Entry) []event.Entry {
	for i := range feed {
		feed[i].Number = 0
	}
	slices.SortFunc(feed, func(a, b event.Entry) int { return a.Batch.Compare(b.Batch) })
	return feed
}

// Whole ends the case unless the store shows all stored Changes, in the order of their
// positions, and nothing of the others.
func (c *crashed) Whole() {
	c.Helper()
	all := slices.Clone(c.mine)
	for _, d := range c.done {
		if d.stored {
			all = append(all, written{d.Change, d.Position})
		}
	}
	slices.SortFunc(all, func(a, b written) int { return cmp.Compare(a.position, b.position) })
	want := model.NewModel()
	for _, w := range all {
		if _, err := want.Commit(context.Background(), w.Change); err != nil {
			c.Failf("the Changes that are stored cannot follow each other in the order of their positions: at position %d, %v", w.position, err)
		}
	}
	var expected bench.Holdings
	c.Must("reading the model", want.View(c.Ctx, func(r store.Reader) (err error) {
		expected, err = bench.Hold(c.Ctx, r)
		return err
	}))
	got, err := c.Held()
	c.Must("reading what is stored", err)
	for i, e := range got.Feed {
		c.Equal("the number of an entry of the feed", int64(i+1), e.Number)
	}
	expected.Feed, got.Feed = byBatch(expected.Feed), byBatch(got.Feed)
	c.Equal("what is stored", expected, got)
	c.View(func(r store.Reader) error {
		for _, d := range c.done {
			reply, ok, err := r.Reply(c.Ctx, idOf(d.Statement, 1), d.Change.Batch.String())
			if err != nil {
				return err
			}
			if replies := d.Only == "" || d.Only == "reply"; ok != (replies && d.stored) || ok && string(reply.Body) != string(d.Change.Batch[:]) {
				return fmt.Errorf("the reply of a Change is not what is kept with it")
			}
		}
		return nil
	})
}
