package conformance

import (
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
)

func outcomeCases() []Case {
	return []Case{{
		ID:   "OUT-001",
		Rule: "Outcome returns the Receipt and true for a batch that is stored, however often it is asked, and changes nothing.",
		run: func(b *bench) {
			_, change := oneOfEach(b)
			receipt := b.commit(change)
			before := b.image()
			for range 3 {
				again, stored, err := b.store.Outcome(b.ctx, change.Batch, b.Now())
				b.must("Outcome", err)
				b.equal("whether the batch is stored", true, stored)
				b.equal("the Receipt", receipt, again)
			}
			b.equal("what is stored", before, b.image())
		},
	}, {
		ID:      "OUT-001/reopened",
		Rule:    "Outcome returns the Receipt and true for a batch that was stored before the store was opened again.",
		Durable: true,
		run: func(b *bench) {
			_, change := oneOfEach(b)
			receipt := b.commit(change)
			b.reopen()
			again, stored, err := b.store.Outcome(b.ctx, change.Batch, b.Now())
			b.must("Outcome", err)
			b.equal("whether the batch is stored", true, stored)
			b.equal("the Receipt", receipt, again)
		},
	}, {
		ID:   "OUT-002",
		Rule: "Outcome returns false for a batch that is not stored, however often it is asked, and changes nothing that can be read.",
		run: func(b *bench) {
			b.furnished()
			before := b.image()
			batch := ruledOut(b)
			for range 3 {
				_, stored, err := b.store.Outcome(b.ctx, batch, b.Now())
				b.must("Outcome", err)
				b.equal("whether the batch is stored", false, stored)
			}
			b.equal("what is stored", before, b.image())
		},
	}, {
		ID:   "OUT-002/refused",
		Rule: "A batch whose Commit was refused is not stored.",
		run: func(b *bench) {
			change := b.change(store.CreateProblem{Problem: b.create()})
			b.refuse("a problem with the number of another", fault.Conflict, change)
			_, stored, err := b.store.Outcome(b.ctx, change.Batch, b.Now())
			b.must("Outcome", err)
			b.equal("whether the batch is stored", false, stored)
		},
	}, {
		ID:   "OUT-002/race",
		Rule: "When Outcome and Commit of one batch meet, either the Commit wins and Outcome says so, or Outcome says that it will never be, and so it is.",
		run: func(b *bench) {
			p := b.create()
			want := make(map[ident.ID]bool)
			for range 40 {
				change := b.change(store.AddComment{Problem: p.ID, Comment: b.comment("maybe")})
				var stored [2]bool
				var errs [3]error
				b.together(3, func(who int) error {
					if who == 0 {
						_, errs[0] = b.store.Commit(b.ctx, change)
						return nil
					}
					_, stored[who-1], errs[who] = b.store.Outcome(b.ctx, change.Batch, change.At)
					return errs[who]
				})
				if stored[0] != stored[1] {
					b.failf("two calls of Outcome contradict each other")
				}
				if stored[0] {
					b.must("the Commit that Outcome says is stored", errs[0])
				} else {
					b.fails("the Commit that Outcome says is not stored", fault.Abandoned, errs[0])
				}
				want[change.Effects[0].(store.AddComment).Comment.ID] = stored[0]
			}
			for _, c := range b.load(p.ID, store.Comments).Comments {
				if !want[c.ID] {
					b.failf("a comment of a batch that never will be is stored")
				}
				delete(want, c.ID)
			}
			for _, stored := range want {
				if stored {
					b.failf("a comment of a batch that is stored is missing")
				}
			}
		},
	}, {
		ID:   "COM-006",
		Rule: "A Commit whose Batch Outcome has ruled out fails with Abandoned and stores nothing, however often it is tried.",
		run: func(b *bench) {
			_, change := oneOfEach(b)
			change.Batch = ruledOut(b)
			for range 3 {
				b.refuse("a batch that was ruled out", fault.Abandoned, change)
			}
		},
	}, {
		ID:   "COM-006/kept",
		Rule: "A ruling outlives an Expire with a time that is not later than its own.",
		run: func(b *bench) {
			p, batch, at := b.create(), b.ID(), b.Now().Add(time.Hour)
			if _, _, err := b.store.Outcome(b.ctx, batch, at); err != nil {
				b.must("Outcome", err)
			}
			b.do(store.Expire{Before: at})
			change := b.change(store.AddComment{Problem: p.ID, Comment: b.comment("never")})
			change.Batch = batch
			b.refuse("a batch that was ruled out", fault.Abandoned, change)
		},
	}, {
		ID:      "COM-006/reopened",
		Rule:    "A ruling is kept when the store is opened again.",
		Durable: true,
		run: func(b *bench) {
			p := b.create()
			change := b.change(store.AddComment{Problem: p.ID, Comment: b.comment("never")})
			change.Batch = ruledOut(b)
			b.reopen()
			b.refuse("a batch that was ruled out", fault.Abandoned, change)
		},
	}, {
		ID:   "COM-006/other-batches",
		Rule: "A ruling concerns one batch alone.",
		run: func(b *bench) {
			p := b.create()
			for range 5 {
				ruledOut(b)
				comment := b.comment("after a ruling")
				does(b, []store.Effect{store.AddComment{Problem: p.ID, Comment: comment}}, func(want *image) {
					edit(want, p.ID, func(s *store.Snapshot) { s.Comments = append(s.Comments, comment) })
				})
			}
		},
	}}
}
