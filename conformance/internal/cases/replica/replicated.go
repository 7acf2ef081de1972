package replica

import (
	"math"
	"slices"
	"time"

	"github.com/problemtracking/problems/conformance/harness"
	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

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
