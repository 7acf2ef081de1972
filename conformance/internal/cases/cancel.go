package cases

import (
	"context"
	"fmt"
	"time"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
)

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
	for _, end := range ends(b) {
		change := b.Change(store.AddComment{Problem: p.ID, Comment: b.Comment(end.how)})
		before := b.Image()
		_, err := b.Store.Commit(end.ctx, change)
		b.Fails("Commit with a context that is "+end.how, fault.Unavailable, err)
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
	for _, c := range b.Load(p.ID, store.Comments).Comments {
		stored[c.ID] = true
	}
	for i, change := range changes {
		err := reported[i]
		is := stored[change.Effects[0].(store.AddComment).Comment.ID]
		switch {
		case fault.Is(err, fault.UnknownOutcome):
		case err == nil && !is:
			b.Failf("a Commit returned nil, but its comment is not stored")
		case err != nil && is:
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
		_, is, err := b.Store.Outcome(b.Ctx, change.Batch, b.Now())
		b.Must("Outcome", err)
		if is {
			want[change.Effects[0].(store.AddComment).Comment.ID] = true
		}
		switch err := reported[i]; {
		case fault.Is(err, fault.UnknownOutcome):
		case err == nil && !is:
			b.Failf("a Commit returned nil, but its batch is not stored")
		case err != nil && is:
			b.Failf("a Commit failed, but its batch is stored: %v", err)
		case err != nil:
			b.Fails("Commit whose deadline has passed", fault.Unavailable, err)
		}
	}
	found := make(map[ident.ID]bool)
	for _, c := range b.Load(p.ID, store.Comments).Comments {
		found[c.ID] = true
	}
	b.Equal("the comments that are stored, by what Outcome says", want, found)
}

func viewAfterContext(b *bench.Bench) {
	for _, end := range ends(b) {
		err := b.Store.View(end.ctx, func(r store.Reader) error {
			_, err := r.Versions(end.ctx)
			return err
		})
		b.Fails("View with a context that is "+end.how, fault.Unavailable, err)
	}
}

func contextEndsWithinView(b *bench.Bench) {
	p := b.Create()
	for _, reading := range readings(b, p.ID) {
		ctx, cancel := context.WithCancel(b.Ctx)
		err := b.Store.View(ctx, func(r store.Reader) error {
			if err := reading.do(b.Ctx, r); err != nil {
				return fmt.Errorf("before the end: %w", err)
			}
			cancel()
			return reading.do(ctx, r)
		})
		b.Fails(reading.method+" after the end of the context", fault.Unavailable, err)
	}
	b.Create()
}

func cancelAnyCall(b *bench.Bench) {
	for _, end := range ends(b) {
		for _, call := range calls(b, end.ctx) {
			b.Fails(call.method+" with a context that is "+end.how, fault.Unavailable, call.do())
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

// end is how a context ended.
type end struct {
	how string
	ctx context.Context
}

// ends returns ended contexts.
func ends(b *bench.Bench) []end {
	cancelled, cancel := context.WithCancel(b.Ctx)
	cancel()
	overdue, cancel := context.WithDeadline(b.Ctx, time.Unix(0, 0))
	b.Cleanup(cancel)
	return []end{{"cancelled", cancelled}, {"overdue", overdue}}
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
			_, err := b.Store.Commit(ctx, probe(b))
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

// reading is a call of one method of a Reader.
type reading struct {
	method string
	do     func(context.Context, store.Reader) error
}

// readings returns a reading by each method of a Reader. The problem has to
// exist.
func readings(b *bench.Bench, id problem.ID) []reading {
	all := &predicate.Plan{Root: predicate.Problem, Where: predicate.And{}, Slots: 1}
	catalogue := metadata.NewCatalogue(ident.Version{}, metadata.Content{})
	return []reading{
		{"Problem", func(ctx context.Context, r store.Reader) error {
			_, err := r.Problem(ctx, id, ident.None, bench.Everything)
			return err
		}},
		{"Problems", func(ctx context.Context, r store.Reader) error {
			_, err := r.Problems(ctx, []problem.ID{id}, ident.None, bench.Everything)
			return err
		}},
		{"Log", func(ctx context.Context, r store.Reader) error {
			_, err := r.Log(ctx, id, 0, 100, 1<<20)
			return err
		}},
		{"Comments", func(ctx context.Context, r store.Reader) error {
			_, err := r.Comments(ctx, id, 0, 100, 1<<20)
			return err
		}},
		{"Search", func(ctx context.Context, r store.Reader) error {
			// To ask for the catalogue would be to read something else first.
			_, err := r.Search(ctx, store.Query{Plan: all, Limit: 10, Catalogue: catalogue})
			return err
		}},
		{"Neighbours", func(ctx context.Context, r store.Reader) error {
			_, err := r.Neighbours(ctx, relationship.ParentOf, []problem.ID{id})
			return err
		}},
		{"Epoch", func(ctx context.Context, r store.Reader) error {
			_, err := r.Epoch(ctx, relationship.ParentOf)
			return err
		}},
		{"Catalogue", func(ctx context.Context, r store.Reader) error {
			_, err := r.Catalogue(ctx)
			return err
		}},
		{"Versions", func(ctx context.Context, r store.Reader) error {
			_, err := r.Versions(ctx)
			return err
		}},
		{"Dossiers", func(ctx context.Context, r store.Reader) error {
			_, err := r.Dossiers(ctx, 0, 100)
			return err
		}},
		{"Tokens", func(ctx context.Context, r store.Reader) error {
			_, err := r.Tokens(ctx)
			return err
		}},
		{"Audit", func(ctx context.Context, r store.Reader) error {
			_, err := r.Audit(ctx, 0, 10)
			return err
		}},
		{"Feed", func(ctx context.Context, r store.Reader) error {
			_, err := r.Feed(ctx, 1, 10, 1<<20)
			return err
		}},
		{"SavedQueries", func(ctx context.Context, r store.Reader) error {
			_, err := r.SavedQueries(ctx, ident.None)
			return err
		}},
		{"SavedQuery", func(ctx context.Context, r store.Reader) error {
			_, _, err := r.SavedQuery(ctx, b.Author)
			return err
		}},
		{"Webhooks", func(ctx context.Context, r store.Reader) error {
			_, err := r.Webhooks(ctx, 0, 10)
			return err
		}},
		{"Webhook", func(ctx context.Context, r store.Reader) error {
			_, _, err := r.Webhook(ctx, b.Author)
			return err
		}},
		{"Lease", func(ctx context.Context, r store.Reader) error {
			_, _, err := r.Lease(ctx, "work")
			return err
		}},
		{"Reply", func(ctx context.Context, r store.Reader) error {
			_, _, err := r.Reply(ctx, ident.None, "key")
			return err
		}},
		{"Oldest", func(ctx context.Context, r store.Reader) error {
			_, _, err := r.Oldest(ctx)
			return err
		}},
	}
}
