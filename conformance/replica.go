package conformance

import (
	"context"
	"fmt"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// brief is the time that a call has while the replica receives nothing. A case
// waits for it a few times in vain.
const brief = time.Second * slowness

// replicaCases are about stores whose replica can take over.
func replicaCases() []Case {
	return []Case{{
		ID: "CONF-002/replica",
		Rule: "While the replica receives nothing, no Commit, Confirm or Outcome says that a Change is safe, whoever sees it. " +
			"What they say when it receives again holds after a fail-over.",
		Replicated: true,
		run:        func(b *bench) { replicate(b).resume(false) },
	}, {
		ID:         "CONF-002/replica/cancelled",
		Rule:       "A call whose wait for the replica was cancelled by an operator does not say that a Change is safe either.",
		Replicated: true,
		run: func(b *bench) {
			r := replicate(b)
			if r.CancelWaits == nil {
				b.engine.Waive("nobody can cancel the wait for the replica")
			}
			r.resume(true)
		},
	}, {
		ID: "CONF-002/take-over",
		Rule: "When the replica takes over that has received nothing for a while, it has every Change that was acknowledged or confirmed. " +
			"Of each other Change it has all or nothing, and Outcome settles it.",
		Replicated: true,
		run: func(b *bench) {
			r := replicate(b)
			r.Freeze()
			r.commitInVain(r.CancelWaits != nil)
			r.confirmInVain(r.CancelWaits != nil)
			r.takeOver()
		},
	}, {
		ID: "CONF-004",
		Rule: "When the replica takes over without a Change that a View has shown, Confirm fails with Conflict for that View. " +
			"For a View after that it returns nil.",
		Replicated: true,
		run: func(b *bench) {
			r := replicate(b)
			r.Freeze()
			r.commitInVain(r.CancelWaits != nil)
			r.confirmFromBefore()
		},
	}, {
		ID:         "CONF-001/replica",
		Rule:       "Confirm waits for the replica, fails with Unavailable soon after its context ended, and returns nil when the replica receives again.",
		Replicated: true,
		run: func(b *bench) {
			r := replicate(b)
			r.Freeze()
			r.commitInVain(r.CancelWaits != nil)
			r.confirmCancelled()
			r.confirmAcross()
			r.takeOver()
		},
	}}
}

// replicated is a case with a store that has a replica.
type replicated struct {
	*bench
	Replication
	handles []*bench // on the store, until the replica has taken over
	common  problem.ID
	spare   []problem.ID  // reserved before the replica is frozen: Reserve may write
	history store.History // of what was shown last
	all     []*doubt
}

// doubt is a Change of which it may be unknown what became of it.
type doubt struct {
	store.Change
	problem problem.ID    // that it creates
	receipt store.Receipt // that of its Commit, if that returned nil
	refused bool          // its Commit failed, and it is never stored
	shown   bool          // by a View
	safe    string        // who said that it is stored; empty if nobody did
	never   bool          // Outcome said that it never will be
}

// replicate makes the store of a case.
func replicate(b *bench) *replicated {
	b.Helper()
	r := &replicated{bench: b, Replication: b.h.Replicate(b.engine.Harness(), b.Env)}
	handles := []string{""}
	if b.h.Caps.Shared == Yes {
		handles = append(handles, "the other handle: ")
	}
	for _, name := range handles {
		handle := *b
		handle.store = b.traced(name, b.opened("Open", b.engine.Harness(), func(T, Env) store.Store { return r.Open() }))
		b.Cleanup(func() { _ = handle.store.Close() }) // the store may have ended without a warning
		r.handles = append(r.handles, &handle)
	}
	b.store = r.handles[0].store
	p := b.create()
	r.common = p.ID
	const changes = 8
	for range changes {
		r.spare = append(r.spare, b.reserve())
	}
	for range 2 {
		d := r.next()
		d.receipt, d.safe = b.commit(d.Change), "Commit"
	}
	return r
}

// next returns a Change that has not been committed, of several parts.
func (r *replicated) next() *doubt {
	id := r.spare[0]
	r.spare = r.spare[1:]
	d := &doubt{problem: id, Change: r.change(
		store.CreateProblem{Problem: r.problem(id)},
		store.AddComment{Problem: r.common, Comment: r.comment("of a Change in doubt")},
		store.PutKeyword{Problem: id, Keyword: problem.Keyword{Name: "half", Value: problem.Text("no")}},
	)}
	r.all = append(r.all, d)
	return d
}

// briefly returns a context that ends soon.
func (r *replicated) briefly() (context.Context, context.CancelFunc) {
	return context.WithTimeout(r.ctx, brief)
}

// waiting calls fn n times at once, with a context that ends soon. With cancel,
// the waits for the replica are cancelled meanwhile.
func (r *replicated) waiting(n int, cancel bool, fn func(ctx context.Context, i int) error) {
	r.Helper()
	ctx, stop := r.briefly()
	defer stop()
	r.alongside(n, func(i int) error { return fn(ctx, i) }, func(done <-chan struct{}) {
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
		_, err := r.handles[i%len(r.handles)].store.Commit(ctx, tried[i].Change)
		switch {
		case err == nil:
			return fmt.Errorf("a Commit returned nil while the replica received nothing")
		case fault.Is(err, fault.UnknownOutcome):
			return nil
		}
		tried[i].refused = true
		return failure("a Commit while the replica received nothing", fault.Unavailable, err)
	})
}

// look notes what a View of a handle shows, and returns how many Changes of it
// nobody has said to be safe. A store that shows nothing while its replica is away
// is fine.
func (r *replicated) look(handle *bench) (unsafe int) {
	r.Helper()
	ctx, stop := r.briefly()
	defer stop()
	var found holdings
	err := handle.store.View(ctx, func(reader store.Reader) (err error) {
		found, err = hold(ctx, reader)
		r.history = reader.History()
		return err
	})
	if fault.Is(err, fault.Unavailable) {
		return 0
	}
	r.must("View", err)
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
func (r *replicated) holds(found holdings, d *doubt) bool {
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
	switch {
	case parts != 0 && parts != len(d.Effects):
		r.failf("a Change of %d parts is there with %d of them", len(d.Effects), parts)
	case parts != 0 && d.refused:
		r.failf("a Commit failed with Unavailable, but its Change is stored")
	case parts != 0 && d.never:
		r.failf("Outcome said of a Change that it never will be stored, but it is")
	}
	return parts != 0
}

// confirmInVain looks and confirms while the replica receives nothing.
func (r *replicated) confirmInVain(cancel bool) {
	r.Helper()
	unsafe := 0 // a Confirm is about what any handle has shown
	for _, handle := range r.handles {
		unsafe = max(unsafe, r.look(handle))
	}
	r.Logf("while the replica receives nothing, Views show %d Changes that nobody said to be safe", unsafe)
	r.waiting(len(r.handles), cancel, func(ctx context.Context, i int) error {
		return r.unconfirmed(unsafe, r.handles[i].store.Confirm(ctx, r.history))
	})
}

// unconfirmed returns what is wrong with the answer of a Confirm while the replica
// receives nothing.
func (r *replicated) unconfirmed(unsafe int, err error) error {
	switch {
	case err == nil && unsafe > 0:
		return fmt.Errorf("Confirm returned nil while the replica received nothing, after a View had shown %d Changes that it does not have", unsafe)
	case err == nil:
		return nil
	}
	return failure("Confirm while the replica received nothing", fault.Unavailable, err)
}

// settleInVain asks for outcomes while the replica receives nothing, also for that
// of a batch which nobody has committed.
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
		_, stored, err := r.handles[i%len(r.handles)].store.Outcome(ctx, open[i].Batch, r.Now())
		switch {
		case err == nil && stored:
			return fmt.Errorf("Outcome said that a Change is stored while the replica received nothing, which does not have it")
		case err == nil:
			open[i].never = true
		case !fault.Is(err, fault.Unavailable) && !fault.Is(err, fault.UnknownOutcome):
			return failure("Outcome while the replica received nothing", fault.Unavailable, err)
		}
		return nil
	})
}

// resume has a store go through a time in which its replica receives nothing, and
// then the replica take over.
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
			receipt, stored, err := handle.store.Outcome(r.ctx, d.Batch, r.Now())
			if err == nil {
				r.settled(d, receipt, stored)
			}
			return err
		})
	}
	d := r.next()
	d.receipt, d.safe = r.commit(d.Change), "Commit"
	r.takeOver()
}

// settled holds what Outcome said against what is known of the Change.
func (r *replicated) settled(d *doubt, receipt store.Receipt, stored bool) {
	r.Helper()
	switch {
	case stored && d.refused:
		r.failf("a Commit failed with Unavailable, but Outcome says that its Change is stored")
	case stored && d.never:
		r.failf("Outcome says that a batch is stored of which it has said that it never will be")
	case !stored && d.safe != "":
		r.failf("Outcome says that a batch never will be stored of which %s has said that it is", d.safe)
	case stored && d.receipt.Position != 0:
		r.equal("the Receipt", d.receipt, receipt)
	}
	if stored {
		d.receipt, d.safe = receipt, "Outcome"
	}
	d.never = !stored
}

// confirmed looks through each handle, and has confirmed what it shows.
func (r *replicated) confirmed() {
	r.Helper()
	for _, handle := range r.handles {
		r.look(handle)
		r.again("Confirm", func() error { return handle.store.Confirm(r.ctx, r.history) })
		r.trust()
	}
}

// trust takes for safe what was shown before a Confirm that returned nil.
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
		case r.ctx.Err() != nil:
			r.failf("%s did not succeed any more after the replica received again: %v", name, err)
		case !fault.Is(err, fault.UnknownOutcome):
			r.fails(name+" after the replica received again", fault.Unavailable, err)
		}
		<-pace.C
	}
}

// confirmCancelled has contexts end while Confirm waits for the replica.
func (r *replicated) confirmCancelled() {
	r.Helper()
	for _, handle := range r.handles {
		unsafe := r.look(handle)
		ctx, cancel := context.WithCancel(r.ctx)
		timer := time.AfterFunc(brief/4, cancel)
		err := r.unconfirmed(unsafe, handle.store.Confirm(ctx, r.history))
		timer.Stop()
		cancel()
		if err != nil {
			r.failf("with a context that is cancelled meanwhile, %v", err)
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
	r.alongside(len(r.handles), func(i int) error {
		errs[i] = r.handles[i].store.Confirm(r.ctx, r.history)
		return nil
	}, func(done <-chan struct{}) {
		select {
		case <-done:
		case <-time.After(brief / 4):
		}
		r.Thaw()
	})
	for _, err := range errs {
		if err == nil {
			r.trust() // each of them has looked before
			continue
		}
		r.fails("Confirm that waits for the replica", fault.Unavailable, err)
	}
	r.confirmed()
}

// successor has the replica take over.
func (r *replicated) successor() *bench {
	r.Helper()
	successor := *r.bench
	successor.store = r.traced("after the take-over: ", r.opened("TakeOver", r.engine.Harness(), func(T, Env) store.Store { return r.TakeOver() }))
	r.Cleanup(func() {
		if err := successor.store.Close(); err != nil {
			r.Errorf("after the case, Close failed: %v", err)
		}
	})
	return &successor
}

// confirmFromBefore has what was shown before the replica took over be confirmed after
// that, and then what is shown now.
func (r *replicated) confirmFromBefore() {
	r.Helper()
	for _, handle := range r.handles {
		r.look(handle)
	}
	before := r.history
	successor := r.successor()
	found, err := successor.held()
	r.must("reading what is stored after the take-over", err)
	lost := 0
	for _, d := range r.all {
		if d.shown && !r.holds(found, d) {
			lost++
		}
	}
	r.Logf("the replica has taken over without %d Changes that Views had shown", lost)
	if err := successor.store.Confirm(r.ctx, before); lost > 0 || err != nil {
		r.fails("Confirm of what a View had shown before the take-over", fault.Conflict, err)
	}
	r.look(successor)
	r.again("Confirm after the take-over", func() error { return successor.store.Confirm(r.ctx, r.history) })
}

// takeOver has the replica take over, and holds it against what was said.
func (r *replicated) takeOver() {
	r.Helper()
	successor := r.successor()
	found, err := successor.held()
	r.must("reading what is stored after the take-over", err)
	for _, d := range r.all {
		is := r.holds(found, d)
		if d.safe != "" && !is {
			r.failf("a Change is LOST by the take-over of which %s had said that it is stored", d.safe)
		}
		if d.never {
			_, err := successor.store.Commit(r.ctx, d.Change)
			r.fails("the Commit of a batch that was ruled out before the take-over", fault.Abandoned, err)
		}
		receipt, stored, err := successor.store.Outcome(r.ctx, d.Batch, r.Now())
		r.must("Outcome after the take-over", err)
		r.settled(d, receipt, stored)
		r.equal("whether the batch is stored, by Outcome after the take-over", is, stored)
	}
	for _, d := range r.all {
		receipt, err := successor.store.Commit(r.ctx, d.Change)
		if d.never {
			r.fails("the Commit of a batch that was ruled out", fault.Abandoned, err)
			continue
		}
		r.must("the repeated Commit after the take-over", err)
		r.equal("the Receipt of a repeated Commit", d.receipt, receipt)
	}
	again, err := successor.held()
	r.must("reading what is stored", err)
	r.equal("what is stored after repeated Commits", found, again)
	for _, one := range found.Dossiers {
		if id := successor.reserve(); id <= one.ID {
			r.failf("Reserve returned %d where problem %d is there", id, one.ID)
		}
	}
	p := successor.create()
	confirm(successor, "what the replica has stored since it took over")
	_, err = glanceAt(successor, p.ID)
	r.must("View", err)
}
