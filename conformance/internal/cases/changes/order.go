package changes

import (
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/store"
)

// Order are about the order of log entries, comments and savepoints.
func Order() []bench.Case {
	return []bench.Case{{
		ID:   "COM-008/within",
		Rule: "Within one Change, log entries, comments and savepoints keep its order, though times and identifiers run backwards.",
		Run:  orderWithinChange,
	}, {
		ID:   "COM-008/between",
		Rule: "Log entries, comments and savepoints come in the order of their Commits, though times and identifiers run backwards.",
		Run:  orderBetweenChanges,
	}, {
		ID:   "COM-008/same-moment",
		Rule: "Log entries, comments and savepoints of one time and batch keep the order of their Commits.",
		Run:  sameMoment,
	}, {
		ID:   "COM-008/at-once",
		Rule: "While several writers append to one problem, each reader sees the earlier entries first, and then the new ones.",
		Run:  orderAtOnce,
	}, {
		ID:      "COM-008/reopened",
		Rule:    "The order of log entries, comments and savepoints goes on where it was when the store is opened again.",
		Durable: true,
		Run:     orderAfterReopening,
	}}
}

func orderWithinChange(b *bench.Bench) {
	p, q := b.Create(), b.Create()
	change := b.Change()
	want := bench.History{}
	for i, id := range b.Backwards(20) {
		next := want.Append(b, p, id, i, &change)
		change.Effects = append(change.Effects, store.AddComment{Problem: q.ID, Comment: next})
	}
	b.Commit(change)
	want.Check(b, p.ID)
}

func orderBetweenChanges(b *bench.Bench) {
	p, q := b.Create(), b.Create()
	want := bench.History{}
	for i, id := range b.Backwards(20) {
		change := b.Change()
		change.At = change.At.Add(-time.Duration(i) * time.Hour)
		want.Append(b, p, id, i, &change)
		b.Commit(change)
		b.Do(store.AddComment{Problem: q.ID, Comment: b.Comment("between")})
	}
	want.Check(b, p.ID)
}

func sameMoment(b *bench.Bench) {
	p := b.Create()
	at := b.Now()
	want := bench.History{}
	ids := b.Backwards(10)
	slices.Reverse(ids[3:7])
	for _, id := range ids {
		change := b.Change()
		change.At = at
		want.Append(b, p, id, 0, &change)
		b.Commit(change)
	}
	want.Check(b, p.ID)
}

func orderAtOnce(b *bench.Bench) {
	const rounds = 10
	p := b.Create()
	var left atomic.Int64
	left.Store(bench.Writers)
	b.Together(bench.Writers+2, func(who int) error {
		if who < bench.Writers {
			defer left.Add(-1)
			for range rounds {
				change := b.Change()
				new(bench.History).Append(b, p, b.ID(), who, &change)
				if _, err := b.Store.Commit(b.Ctx, change); err != nil {
					return fmt.Errorf("Commit: %w", err)
				}
			}
			return nil
		}
		var before bench.History
		for {
			if err := b.Going(); err != nil {
				return err
			}
			ended := left.Load() == 0
			now, err := b.History(p.ID)
			if err != nil {
				return fmt.Errorf("View: %w", err)
			}
			if d := bench.Difference(before, now.First(before)); d != "" {
				return fmt.Errorf("what was seen before is now another: %s", d)
			}
			if ended {
				return nil
			}
			before = now
		}
	})
	s, err := b.History(p.ID)
	b.Must("View", err)
	b.Equal("the number of log entries", bench.Writers*rounds, len(s.Log))
	b.Equal("the number of comments", bench.Writers*rounds, len(s.Comments))
	b.Equal("the number of savepoints", bench.Writers*rounds, len(s.Savepoints))
}

func orderAfterReopening(b *bench.Bench) {
	p := b.Create()
	want := bench.History{}
	for i, id := range b.Backwards(6) {
		change := b.Change()
		want.Append(b, p, id, i, &change)
		b.Commit(change)
		b.Reopen()
	}
	want.Check(b, p.ID)
}
