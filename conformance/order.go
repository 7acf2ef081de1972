package conformance

import (
	"fmt"
	"slices"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/domain/store"
)

func orderCases() []Case {
	return []Case{{
		ID:   "COM-008/within",
		Rule: "Within one Change, log entries, comments and savepoints keep its order, though times and identifiers run backwards.",
		run: func(b *bench) {
			p, q := b.create(), b.create()
			change := b.change()
			want := history{}
			for i, id := range b.backwards(20) {
				next := want.append(b, p, id, i, &change)
				change.Effects = append(change.Effects, store.AddComment{Problem: q.ID, Comment: next})
			}
			b.commit(change)
			want.check(b, p.ID)
		},
	}, {
		ID:   "COM-008/between",
		Rule: "Log entries, comments and savepoints come in the order of their Commits, though times and identifiers run backwards.",
		run: func(b *bench) {
			p, q := b.create(), b.create()
			want := history{}
			for i, id := range b.backwards(20) {
				change := b.change()
				change.At = change.At.Add(-time.Duration(i) * time.Hour)
				want.append(b, p, id, i, &change)
				b.commit(change)
				b.do(store.AddComment{Problem: q.ID, Comment: b.comment("between")})
			}
			want.check(b, p.ID)
		},
	}, {
		ID:   "COM-008/same-moment",
		Rule: "Log entries, comments and savepoints of one time and batch keep the order of their Commits.",
		run: func(b *bench) {
			p := b.create()
			at := b.Now()
			want := history{}
			ids := b.backwards(10)
			slices.Reverse(ids[3:7])
			for _, id := range ids {
				change := b.change()
				change.At = at
				want.append(b, p, id, 0, &change)
				b.commit(change)
			}
			want.check(b, p.ID)
		},
	}, {
		ID:   "COM-008/at-once",
		Rule: "While several writers append to one problem, whoever looks again sees what he saw before, and then what is new.",
		run: func(b *bench) {
			const rounds = 10
			p := b.create()
			var left atomic.Int64
			left.Store(writers)
			b.together(writers+2, func(who int) error {
				if who < writers {
					defer left.Add(-1)
					for range rounds {
						change := b.change()
						new(history).append(b, p, b.ID(), who, &change)
						if _, err := b.store.Commit(b.ctx, change); err != nil {
							return fmt.Errorf("Commit: %w", err)
						}
					}
					return nil
				}
				var before history
				for {
					if err := b.going(); err != nil {
						return err
					}
					ended := left.Load() == 0
					now, err := b.history(p.ID)
					if err != nil {
						return fmt.Errorf("View: %w", err)
					}
					if d := difference(before, now.first(before)); d != "" {
						return fmt.Errorf("what was seen before is now another: %s", d)
					}
					if ended {
						return nil
					}
					before = now
				}
			})
			s, err := b.history(p.ID)
			b.must("View", err)
			b.equal("the number of log entries", writers*rounds, len(s.Log))
			b.equal("the number of comments", writers*rounds, len(s.Comments))
			b.equal("the number of savepoints", writers*rounds, len(s.Savepoints))
		},
	}, {
		ID:      "COM-008/reopened",
		Rule:    "The order of log entries, comments and savepoints goes on where it was when the store is opened again.",
		Durable: true,
		run: func(b *bench) {
			p := b.create()
			want := history{}
			for i, id := range b.backwards(6) {
				change := b.change()
				want.append(b, p, id, i, &change)
				b.commit(change)
				b.reopen()
			}
			want.check(b, p.ID)
		},
	}}
}
