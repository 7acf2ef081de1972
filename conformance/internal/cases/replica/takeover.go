package replica

import (
	"math"

	"github.com/problemtracking/problems/conformance/harness"
	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/cases/steps"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
)

// successor has the replica take over.
func (r *replicated) successor() *bench.Bench {
	r.Helper()
	successor := *r.Bench
	successor.Store = r.Traced("after the take-over: ", r.Opened("TakeOver", r.Engine.Harness(), func(harness.T, harness.Env) store.Store { return r.TakeOver() }))
	r.Cleanup(func() {
		if err := successor.Store.Close(); err != nil {
			r.Errorf("after the case, Close failed: %v", err)
		}
	})
	return &successor
}

// confirmFromBefore confirms, after the fail-over, a View from before it, and then a new
// View.
func (r *replicated) confirmFromBefore() {
	r.Helper()
	for _, handle := range r.handles {
		r.look(handle)
	}
	before := r.history
	successor := r.successor()
	found, err := successor.Held()
	r.Must("reading what is stored after the take-over", err)
	lost := 0
	for _, d := range r.all {
		if d.shown && !r.holds(found, d) {
			lost++
		}
	}
	r.Logf("the replica has taken over without %d Changes that Views had shown", lost)
	if err := successor.Store.Confirm(r.Ctx, before); lost > 0 || err != nil {
		r.Fails("Confirm of what a View had shown before the take-over", fault.Conflict, err)
	}
	r.look(successor)
	r.again("Confirm after the take-over", func() error { return successor.Store.Confirm(r.Ctx, r.history) })
}

// takeOver has the replica take over, and compares its content with the promises.
func (r *replicated) takeOver() {
	r.Helper()
	successor := r.successor()
	found, err := successor.Held()
	r.Must("reading what is stored after the take-over", err)
	entries, err := successor.Store.Feed(r.Ctx, 1, math.MaxInt32, math.MaxInt64)
	r.Must("Feed after the take-over", err)
	r.stillHas(entries)
	for _, d := range r.all {
		is := r.holds(found, d)
		if d.safe != "" && !is {
			r.Failf("a Change is LOST by the take-over of which %s had said that it is stored", d.safe)
		}
		if d.never {
			_, err := successor.Store.Commit(r.Ctx, d.Change)
			r.Fails("the Commit of a batch that was ruled out before the take-over", fault.Abandoned, err)
		}
		receipt, stored, err := successor.Store.Outcome(r.Ctx, d.Batch, r.Now())
		r.Must("Outcome after the take-over", err)
		r.settled(d, receipt, stored)
		r.Equal("whether the batch is stored, by Outcome after the take-over", is, stored)
	}
	for _, d := range r.all {
		receipt, err := successor.Store.Commit(r.Ctx, d.Change)
		if d.never {
			r.Fails("the Commit of a batch that was ruled out", fault.Abandoned, err)
			continue
		}
		r.Must("the repeated Commit after the take-over", err)
		r.Equal("the Receipt of a repeated Commit", d.receipt, receipt)
	}
	again, err := successor.Held()
	r.Must("reading what is stored", err)
	r.Equal("what is stored after repeated Commits", found, again)
	for _, one := range found.Dossiers {
		if id := successor.Reserve(); id <= one.ID {
			r.Failf("Reserve returned %d where problem %d is there", id, one.ID)
		}
	}
	p := successor.Create()
	steps.Confirm(successor, "what the replica has stored since it took over")
	_, err = steps.GlanceAt(successor, p.ID)
	r.Must("View", err)
}
