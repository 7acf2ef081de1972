package handles

import (
	"context"
	"fmt"
	"time"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/cases/steps"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// Cancel returns the cases about calls with an ended context, and about the kinds of errors.
func Cancel() []bench.Case {
	return []bench.Case{{
		ID:   "COM-009",
		Rule: "A Commit with an already ended context fails with Unavailable and stores nothing; its batch stays free.",
		Run:  cancelledBeforeCommit,
	}, {
		ID:   "COM-010",
		Rule: "Commit reports the true outcome, whenever its context ends: nil for a stored Change; an error for one never to be stored, except for UnknownOutcome.",
		Run:  cancelledDuringCommit,
	}, {
		ID:   "COM-010/deadline",
		Rule: "After its deadline, a Commit reports the true outcome, or UnknownOutcome: no other error, if the Change is or will be stored.",
		Run:  deadlineDuringCommit,
	}, {
		ID:   "VIEW-004/before",
		Rule: "A View with an ended context fails with Unavailable.",
		Run:  viewAfterContext,
	}, {
		ID:   "VIEW-004/within",
		Rule: "When the context ends within a View, the next read fails with Unavailable, and so does View.",
		Run:  contextEndsWithinView,
	}, {
		ID:   "ERR-001/cancelled",
		Rule: "The errors of calls with an ended context are faults, of the kind Unavailable, and leave the store usable.",
		Run:  cancelAnyCall,
	}, {
		ID:   "ERR-001/not-found",
		Rule: "The error of a missing problem is a fault, also as returned by View.",
		Run:  notFound,
	}}
}

func cancelledBeforeCommit(b *bench.Bench) {
	p := b.Create()
	for _, end := range steps.Ends(b) {
		change := b.Change(store.AddComment{Problem: p.ID, Comment: b.Comment(end.How)})
		before := b.Image()
		_, err := b.Store.Commit(end.Ctx, change)
		b.Fails("Commit with a context that is "+end.How, fault.Unavailable, err)
		b.Equal("what is stored", before, b.Image())
		b.Commit(change)
		if bench.Difference(before, b.Image()) == "" {
			b.Failf("the Change was not stored under the same batch afterwards")
		}
	}
}

func cancelledDuringCommit(b *bench.Bench) {
	const rounds = 10
	p := b.Create()
	reported := make([]error, rounds*bench.Writers)
	changes := make([]store.Change, rounds*bench.Writers)
	for i := 0; i < len(changes); i += bench.Writers {
		var contexts [bench.Writers]context.Context
		var cancels [bench.Writers]context.CancelFunc
		for j := range bench.Writers {
			contexts[j], cancels[j] = context.WithCancel(b.Ctx)
			changes[i+j] = b.Change(store.AddComment{Problem: p.ID, Comment: b.Comment("maybe")})
		}
		// Two goroutines share each Change: one commits it, and the other ends its context.
		b.Together(2*bench.Writers, func(who int) error {
			if j := who / 2; who%2 == 0 {
				cancels[j]()
			} else {
				_, reported[i+j] = b.Store.Commit(contexts[j], changes[i+j])
			}
			return nil
		})
	}
	stored := make(map[ident.ID]bool)
	for _, c := range b.Load(p.ID, snapshot.Comments).Comments {
		stored[c.ID] = true
	}
	for i, change := range changes {
		err := reported[i]
		isStored := stored[change.Effects[0].(store.AddComment).Comment.ID]
		switch {
		case fault.Is(err, fault.UnknownOutcome):
		case err == nil && !isStored:
			b.Failf("a Commit returned nil, but its comment is not stored")
		case err != nil && isStored:
			b.Failf("a Commit failed, but its comment is stored: %v", err)
		case err != nil:
			b.Fails("Commit with a context that was cancelled", fault.Unavailable, err)
		}
	}
}

func deadlineDuringCommit(b *bench.Bench) {
	// Some deadline passes at each stage of a Commit, however fast the store is.
	const rounds, shortest = 16, 50 * time.Microsecond
	p := b.Create()
	reported := make([]error, rounds*bench.Writers)
	changes := make([]store.Change, rounds*bench.Writers)
	limit := shortest
	for i := 0; i < len(changes); i += bench.Writers {
		for j := range bench.Writers {
			changes[i+j] = b.Change(store.AddComment{Problem: p.ID, Comment: b.Comment("maybe")})
		}
		b.Together(bench.Writers, func(j int) error {
			ctx, cancel := context.WithTimeout(b.Ctx, limit)
			defer cancel()
			_, reported[i+j] = b.Store.Commit(ctx, changes[i+j])
			return nil
		})
		limit += limit / 2
	}
	want := make(map[ident.ID]bool)
	for i, change := range changes {
		_, isStored, err := b.Store.Outcome(b.Ctx, change.Batch, b.Now())
		b.Must("Outcome", err)
		if isStored {
			want[change.Effects[0].(store.AddComment).Comment.ID] = true
		}
		switch err := reported[i]; {
		case fault.Is(err, fault.UnknownOutcome):
		case err == nil && !isStored:
			b.Failf("a Commit returned nil, but its batch is not stored")
		case err != nil && isStored:
			b.Failf("a Commit failed, but its batch is stored: %v", err)
		case err != nil:
			b.Fails("Commit whose deadline has passed", fault.Unavailable, err)
		}
	}
	found := make(map[ident.ID]bool)
	for _, c := range b.Load(p.ID, snapshot.Comments).Comments {
		found[c.ID] = true
	}
	b.Equal("the stored comments, by Outcome", want, found)
}

func viewAfterContext(b *bench.Bench) {
	for _, end := range steps.Ends(b) {
		err := b.Store.View(end.Ctx, func(r store.Reader) error {
			_, err := r.Versions(end.Ctx)
			return err
		})
		b.Fails("View with a context that is "+end.How, fault.Unavailable, err)
	}
}

func contextEndsWithinView(b *bench.Bench) {
	p := b.Create()
	for _, reading := range steps.Readings(b, p.ID) {
		ctx, cancel := context.WithCancel(b.Ctx)
		err := b.Store.View(ctx, func(r store.Reader) error {
			if err := reading.Do(b.Ctx, r); err != nil {
				return fmt.Errorf("before the end: %w", err)
			}
			cancel()
			return reading.Do(ctx, r)
		})
		b.Fails(reading.Method+" after the end of the context", fault.Unavailable, err)
	}
	b.Create()
}

func cancelAnyCall(b *bench.Bench) {
	for _, end := range steps.Ends(b) {
		for _, call := range calls(b, end.Ctx) {
			b.Fails(call.method+" with a context that is "+end.How, fault.Unavailable, call.do())
		}
	}
	b.Create()
}

func notFound(b *bench.Bench) {
	err := b.Store.View(b.Ctx, func(r store.Reader) error {
		_, err := r.Problem(b.Ctx, 1, ident.None, 0)
		return err
	})
	b.Fails("Problem", fault.ProblemNotFound, err)
}

// call is a call of one method of a store.
type call struct {
	method string
	do     func() error
}

// calls returns a call of each fallible method of the store. Each of them succeeds with a
// live context.
func calls(b *bench.Bench, ctx context.Context) []call {
	return []call{
		{"View", func() error {
			return b.Store.View(ctx, func(r store.Reader) error {
				_, err := r.Versions(ctx)
				return err
			})
		}},
		{"Reserve", func() error {
			_, err := b.Store.Reserve(ctx)
			return err
		}},
		{"Commit", func() error {
			_, err := b.Store.Commit(ctx, steps.Probe(b))
			return err
		}},
		{"Outcome", func() error {
			_, _, err := b.Store.Outcome(ctx, b.ID(), b.Now())
			return err
		}},
		{"Confirm", func() error { return b.Store.Confirm(ctx, 0) }},
		{"Versions", func() error {
			_, err := b.Store.Versions(ctx)
			return err
		}},
		{"Feed", func() error {
			_, err := b.Store.Feed(ctx, 1, 1, 1)
			return err
		}},
		{"FeedEnds", func() error {
			_, _, err := b.Store.FeedEnds(ctx)
			return err
		}},
		{"Restore", func() error {
			return b.Store.Restore(ctx, bench.Holdings{}.Archive())
		}},
	}
}
