package replica

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/problemtracking/problems/conformance/harness"
	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/cases/steps"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// Brief is the time limit of a call while the replica receives nothing. A case waits for
// it a few times in vain.
const Brief = time.Second * bench.Slowness

// Cases are about stores with a replica for fail-over.
func Cases() []bench.Case {
	return []bench.Case{{
		ID: "CONF-002/replica",
		Rule: "While the replica receives nothing, no Commit, Confirm or Outcome says that a Change is safe, even if a View shows it. " +
			"What they say when it receives again holds after a fail-over.",
		Replicated: true,
		Run:        func(b *bench.Bench) { replicate(b).resume(false) },
	}, {
		ID:         "CONF-002/replica/cancelled",
		Rule:       "When an operator cancels a call's wait for the replica, the call does not say that a Change is safe either.",
		Replicated: true,
		Run:        replicaCancelled,
	}, {
		ID: "CONF-002/take-over",
		Rule: "When the replica takes over after receiving nothing for a while, it has every acknowledged or confirmed Change. " +
			"Of each other Change it has all or nothing, and Outcome settles it.",
		Replicated: true,
		Run:        takeOver,
	}, {
		ID: "CONF-004",
		Rule: "When the replica takes over without a Change of an earlier View, Confirm fails with Conflict for this View. " +
			"For a View after that it returns nil.",
		Replicated: true,
		Run:        confirmAfterCancelledWait,
	}, {
		ID:         "CONF-001/replica",
		Rule:       "Confirm waits for the replica, fails with Unavailable soon after its context ended, and returns nil when the replica receives again.",
		Replicated: true,
		Run:        cutFromReplica,
	}, {
		ID: "FEED-004/replica",
		Rule: "While the replica receives nothing, Feed returns no entry that the replica lacks. " +
			"The returned entries have the same numbers after a fail-over.",
		Replicated: true,
		Run:        func(b *bench.Bench) { feedAcrossTakeOver(b, false) },
	}, {
		ID:         "FEED-004/replica/cancelled",
		Rule:       "When an operator cancels the waits for the replica, Feed returns no entry that the replica lacks either.",
		Replicated: true,
		Run:        func(b *bench.Bench) { feedAcrossTakeOver(b, true) },
	}}
}

func replicaCancelled(b *bench.Bench) {
	r := replicate(b)
	if r.CancelWaits == nil {
		b.Engine.Waive("nobody can cancel the wait for the replica")
	}
	r.resume(true)
}

// feedAcrossTakeOver reads the feed before, while and after the replica receives nothing,
// and once more when it has taken over.
func feedAcrossTakeOver(b *bench.Bench, cancel bool) {
	r := replicate(b)
	if cancel && r.CancelWaits == nil {
		b.Engine.Waive("nobody can cancel the wait for the replica")
	}
	r.follow()
	r.Freeze()
	r.commitInVain(cancel)
	r.followInVain(cancel)
	r.Thaw()
	r.follow()
	d := r.next()
	d.receipt, d.safe = r.Commit(d.Change), "Commit"
	r.follow()
	r.Freeze()
	r.commitInVain(cancel)
	r.followInVain(cancel)
	r.takeOver()
}

func takeOver(b *bench.Bench) {
	r := replicate(b)
	r.Freeze()
	r.commitInVain(r.CancelWaits != nil)
	r.confirmInVain(r.CancelWaits != nil)
	r.takeOver()
}

func confirmAfterCancelledWait(b *bench.Bench) {
	r := replicate(b)
	r.Freeze()
	r.commitInVain(r.CancelWaits != nil)
	r.confirmFromBefore()
}

func cutFromReplica(b *bench.Bench) {
	r := replicate(b)
	r.Freeze()
	r.commitInVain(r.CancelWaits != nil)
	r.confirmCancelled()
	r.confirmAcross()
	r.takeOver()
}

// replicated is a case of a store with a replica.
type replicated struct {
	*bench.Bench
	harness.Replication
	handles []*bench.Bench // on the store, until the replica has taken over
	common  problem.ID
	spare   []problem.ID  // reserved before the replica is frozen: Reserve may write
	history store.History // of the last View
	read    []event.Entry // of the feed, so far
	all     []*doubt
}

// doubt is a Change with a possibly unknown outcome.
type doubt struct {
	store.Change
	problem problem.ID    // the problem of the Change
	receipt store.Receipt // of its Commit, if it returned nil
	refused bool          // its Commit failed, and it is never stored
	shown   bool          // by a View
	safe    string        // the source of the promise; empty if there is none
	never   bool          // Outcome ruled it out
}

// replicate makes the store of a case.
func replicate(b *bench.Bench) *replicated {
	b.Helper()
	r := &replicated{Bench: b, Replication: b.H.Replicate(b.Engine.Harness(), b.Env)}
	handles := []string{""}
	if b.H.Caps.Shared == harness.Yes {
		handles = append(handles, "the other handle: ")
	}
	for _, name := range handles {
		handle := *b
		handle.Store = b.Traced(name, b.Opened("Open", b.Engine.Harness(), func(harness.T, harness.Env) store.Store { return r.Replication.Open() }))
		b.Cleanup(func() { _ = handle.Store.Close() }) // the store may have ended without a warning
		r.handles = append(r.handles, &handle)
	}
	b.Store = r.handles[0].Store
	p := b.Create()
	r.common = p.ID
	const changes = 12
	for range changes {
		r.spare = append(r.spare, b.Reserve())
	}
	for range 2 {
		d := r.next()
		d.receipt, d.safe = b.Commit(d.Change), "Commit"
	}
	return r
}

// next returns a new Change of several parts.
func (r *replicated) next() *doubt {
	id := r.spare[0]
	r.spare = r.spare[1:]
	d := &doubt{problem: id, Change: r.Change(
		store.CreateProblem{Problem: r.Problem(id)},
		store.AddComment{Problem: r.common, Comment: r.Comment("of a Change in doubt")},
		store.PutKeyword{Problem: id, Keyword: problem.Keyword{Name: "half", Value: problem.Text("no")}},
		store.Publish{Event: r.Happening(id)},
	)}
	r.all = append(r.all, d)
	return d
}

// briefly returns a context with a short time limit.
func (r *replicated) briefly() (context.Context, context.CancelFunc) {
	return context.WithTimeout(r.Ctx, Brief)
}

// waiting calls fn n times at once, with a context of a short time limit. With cancel,
// the waits for the replica are cancelled meanwhile.
func (r *replicated) waiting(n int, cancel bool, fn func(ctx context.Context, i int) error) {
	r.Helper()
	ctx, stop := r.briefly()
	defer stop()
	r.Alongside(n, func(i int) error { return fn(ctx, i) }, func(done <-chan struct{}) {
		if !cancel {
			return
		}
		pace := time.NewTicker(5 * time.Millisecond)
		defer pace.Stop()
		for {
			select {
			case <-done:
				return
			case <-pace.C:
				r.CancelWaits()
			}
		}
	})
}

// commitInVain commits while the replica receives nothing.
func (r *replicated) commitInVain(cancel bool) {
	r.Helper()
	var tried []*doubt
	for range 4 {
		tried = append(tried, r.next())
	}
	r.waiting(len(tried), cancel, func(ctx context.Context, i int) error {
		_, err := r.handles[i%len(r.handles)].Store.Commit(ctx, tried[i].Change)
		switch {
		case err == nil:
			return fmt.Errorf("a Commit returned nil while the replica received nothing")
		case fault.Is(err, fault.UnknownOutcome):
			return nil
		}
		tried[i].refused = true
		return bench.Failure("a Commit while the replica received nothing", fault.Unavailable, err)
	})
}

// look notes the Changes in a View of a handle, and returns the number of those without a
// promise. A store may show nothing while its replica is away.
func (r *replicated) look(handle *bench.Bench) (unsafe int) {
	r.Helper()
	ctx, stop := r.briefly()
	defer stop()
	var found bench.Holdings
	err := handle.Store.View(ctx, func(reader store.Reader) (err error) {
		found, err = bench.Hold(ctx, reader)
		r.history = reader.History()
		return err
	})
	if fault.Is(err, fault.Unavailable) {
		return 0
	}
	r.Must("View", err)
	for _, d := range r.all {
		if !r.holds(found, d) {
			continue
		}
		d.shown = true
		if d.safe == "" {
			unsafe++
		}
	}
	return unsafe
}

// holds reports whether a Change is there, and ends the case if half of it is.
func (r *replicated) holds(found bench.Holdings, d *doubt) bool {
	r.Helper()
	parts := 0
	for _, one := range found.Dossiers {
		if one.ID == d.problem {
			parts += 1 + len(one.Keywords)
		}
		for _, comment := range one.Comments {
			if comment.ID == d.Effects[1].(store.AddComment).Comment.ID {
				parts++
			}
		}
	}
	for _, e := range found.Feed {
		if e.Batch == d.Batch {
			parts++
		}
	}
	switch {
	case parts != 0 && parts != len(d.Effects):
		r.Failf("a Change of %d parts is there with %d of them", len(d.Effects), parts)
	case parts != 0 && d.refused:
		r.Failf("a Commit failed with Unavailable, but its Change is stored")
	case parts != 0 && d.never:
		r.Failf("Outcome said of a Change that it never will be stored, but it is")
	}
	return parts != 0
}

// confirmInVain looks and confirms while the replica receives nothing.
func (r *replicated) confirmInVain(cancel bool) {
	r.Helper()
	unsafe := 0 // a Confirm covers the Views of all handles
	for _, handle := range r.handles {
		unsafe = max(unsafe, r.look(handle))
	}
	r.Logf("while the replica receives nothing, Views show %d Changes that nobody said to be safe", unsafe)
	r.waiting(len(r.handles), cancel, func(ctx context.Context, i int) error {
		return r.unconfirmed(unsafe, r.handles[i].Store.Confirm(ctx, r.history))
	})
}

// unconfirmed returns an error for a wrong answer of Confirm while the replica receives
// nothing.
func (r *replicated) unconfirmed(unsafe int, err error) error {
	switch {
	case err == nil && unsafe > 0:
		return fmt.Errorf("Confirm returned nil while the replica received nothing, after a View had shown %d Changes that it does not have", unsafe)
	case err == nil:
		return nil
	}
	return bench.Failure("Confirm while the replica received nothing", fault.Unavailable, err)
}

// followInVain reads the feed while the replica receives nothing.
func (r *replicated) followInVain(cancel bool) {
	r.Helper()
	safe := make(map[ident.ID]bool)
	for _, d := range r.all {
		safe[d.Batch] = d.safe != ""
	}
	r.waiting(len(r.handles), cancel, func(ctx context.Context, i int) error {
		entries, err := r.handles[i].Store.Feed(ctx, 1, math.MaxInt32, math.MaxInt64)
		if err != nil {
			return bench.Failure("Feed while the replica received nothing", fault.Unavailable, err)
		}
		for _, e := range entries {
			if !safe[e.Batch] {
				return fmt.Errorf("Feed returned entry %d while the replica received nothing, which does not have it", e.Number)
			}
		}
		return nil
	})
}

// follow reads the feed through each handle, and marks its Changes as safe.
func (r *replicated) follow() {
	r.Helper()
	for _, handle := range r.handles {
		var entries []event.Entry
		r.again("Feed", func() (err error) {
			entries, err = handle.Store.Feed(r.Ctx, 1, math.MaxInt32, math.MaxInt64)
			return err
		})
		r.stillHas(entries)
		r.read = entries
		for _, d := range r.all {
			if d.safe == "" && slices.ContainsFunc(entries, func(e event.Entry) bool { return e.Batch == d.Batch }) {
				d.safe = "Feed"
			}
		}
	}
}

// stillHas ends the case unless the feed begins with the entries that were read before.
func (r *replicated) stillHas(entries []event.Entry) {
	r.Helper()
	if len(entries) < len(r.read) {
		r.Failf("the feed has %d entries where %d were read before", len(entries), len(r.read))
	}
	r.Equal("the entries of the feed that were read before", r.read, entries[:len(r.read):len(r.read)])
}

// settleInVain asks for outcomes while the replica receives nothing, also for that of an
// unknown batch.
func (r *replicated) settleInVain(cancel bool) {
	r.Helper()
	r.next()
	var open []*doubt
	for _, d := range r.all {
		if d.safe == "" {
			open = append(open, d)
		}
	}
	r.waiting(len(open), cancel, func(ctx context.Context, i int) error {
		_, stored, err := r.handles[i%len(r.handles)].Store.Outcome(ctx, open[i].Batch, r.Now())
		switch {
		case err == nil && stored:
			return fmt.Errorf("Outcome said that a Change is stored while the replica received nothing, which does not have it")
		case err == nil:
			open[i].never = true
		case !fault.Is(err, fault.Unavailable) && !fault.Is(err, fault.UnknownOutcome):
			return bench.Failure("Outcome while the replica received nothing", fault.Unavailable, err)
		}
		return nil
	})
}

// resume stops the replica for a time, lets it receive again, and has it take over.
func (r *replicated) resume(cancel bool) {
	r.Helper()
	r.Freeze()
	r.commitInVain(cancel)
	r.confirmInVain(cancel)
	r.settleInVain(cancel)
	r.Thaw()
	r.confirmed()
	for i, d := range r.all {
		handle := r.handles[i%len(r.handles)]
		r.again("Outcome", func() error {
			receipt, stored, err := handle.Store.Outcome(r.Ctx, d.Batch, r.Now())
			if err == nil {
				r.settled(d, receipt, stored)
			}
			return err
		})
	}
	d := r.next()
	d.receipt, d.safe = r.Commit(d.Change), "Commit"
	r.takeOver()
}

// settled compares the answer of Outcome with the knowledge of the Change.
func (r *replicated) settled(d *doubt, receipt store.Receipt, stored bool) {
	r.Helper()
	switch {
	case stored && d.refused:
		r.Failf("a Commit failed with Unavailable, but Outcome says that its Change is stored")
	case stored && d.never:
		r.Failf("Outcome says that a batch is stored of which it has said that it never will be")
	case !stored && d.safe != "":
		r.Failf("Outcome says that a batch never will be stored of which %s has said that it is", d.safe)
	case stored && d.receipt.Position != 0:
		r.Equal("the Receipt", d.receipt, receipt)
	}
	if stored {
		d.receipt, d.safe = receipt, "Outcome"
	}
	d.never = !stored
}

// confirmed looks through each handle, and confirms the View.
func (r *replicated) confirmed() {
	r.Helper()
	for _, handle := range r.handles {
		r.look(handle)
		r.again("Confirm", func() error { return handle.Store.Confirm(r.Ctx, r.history) })
		r.trust()
	}
}

// trust marks as safe everything shown before a successful Confirm.
func (r *replicated) trust() {
	for _, d := range r.all {
		if d.shown && d.safe == "" {
			d.safe = "Confirm"
		}
	}
}

// again makes a call until it succeeds, since the replica receives again: but it
// may take a moment until the store knows.
func (r *replicated) again(name string, call func() error) {
	r.Helper()
	pace := time.NewTicker(10 * time.Millisecond)
	defer pace.Stop()
	for {
		err := call()
		switch {
		case err == nil:
			return
		case r.Ctx.Err() != nil:
			r.Failf("%s did not succeed any more after the replica received again: %v", name, err)
		case !fault.Is(err, fault.UnknownOutcome):
			r.Fails(name+" after the replica received again", fault.Unavailable, err)
		}
		<-pace.C
	}
}

// confirmCancelled has contexts end while Confirm waits for the replica.
func (r *replicated) confirmCancelled() {
	r.Helper()
	for _, handle := range r.handles {
		unsafe := r.look(handle)
		ctx, cancel := context.WithCancel(r.Ctx)
		timer := time.AfterFunc(Brief/4, cancel)
		err := r.unconfirmed(unsafe, handle.Store.Confirm(ctx, r.history))
		timer.Stop()
		cancel()
		if err != nil {
			r.Failf("with a context that is cancelled meanwhile, %v", err)
		}
	}
}

// confirmAcross has a Confirm wait while the replica begins to receive again.
func (r *replicated) confirmAcross() {
	r.Helper()
	for _, handle := range r.handles {
		r.look(handle)
	}
	errs := make([]error, len(r.handles))
	r.Alongside(len(r.handles), func(i int) error {
		errs[i] = r.handles[i].Store.Confirm(r.Ctx, r.history)
		return nil
	}, func(done <-chan struct{}) {
		select {
		case <-done:
		case <-time.After(Brief / 4):
		}
		r.Thaw()
	})
	for _, err := range errs {
		if err == nil {
			r.trust() // each of them has looked before
			continue
		}
		r.Fails("Confirm that waits for the replica", fault.Unavailable, err)
	}
	r.confirmed()
}

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
