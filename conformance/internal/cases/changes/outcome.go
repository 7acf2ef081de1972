package changes

import (
	"time"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/cases/steps"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// Outcome are about the answers of Outcome, and their consequences.
func Outcome() []bench.Case {
	return []bench.Case{{
		ID:   "OUT-001",
		Rule: "Outcome returns the Receipt and true for a stored batch, however often it is called, and changes nothing.",
		Run:  outcomeOfStored,
	}, {
		ID:      "OUT-001/reopened",
		Rule:    "Outcome returns the Receipt and true for a batch stored before the store was opened again.",
		Durable: true,
		Run:     outcomeAfterReopening,
	}, {
		ID:   "OUT-002",
		Rule: "Outcome returns false for an unknown batch, however often it is called, and changes nothing readable.",
		Run:  outcomeOfUnknown,
	}, {
		ID:   "OUT-002/refused",
		Rule: "After a refused Commit, the batch is not stored.",
		Run:  outcomeOfRefused,
	}, {
		ID:   "OUT-002/race",
		Rule: "When Outcome and Commit of one batch meet, either the Commit wins and Outcome says so, or Outcome rules the batch out, and it is never stored.",
		Run:  outcomeRacesCommit,
	}, {
		ID:   "COM-006",
		Rule: "A Commit of a Batch ruled out by Outcome fails with Abandoned and stores nothing, however often it is tried.",
		Run:  commitOfRuledOut,
	}, {
		ID:   "COM-006/kept",
		Rule: "A ruling outlives an Expire with a time no later than its own.",
		Run:  rulingOutlivesExpire,
	}, {
		ID:      "COM-006/reopened",
		Rule:    "A ruling is kept when the store is opened again.",
		Durable: true,
		Run:     rulingAfterReopening,
	}, {
		ID:   "COM-006/other-batches",
		Rule: "A ruling concerns one batch alone.",
		Run:  otherBatches,
	}}
}

func outcomeOfStored(b *bench.Bench) {
	_, change := steps.OneOfEach(b)
	receipt := b.Commit(change)
	before := b.Image()
	for range 3 {
		again, stored, err := b.Store.Outcome(b.Ctx, change.Batch, b.Now())
		b.Must("Outcome", err)
		b.Equal("whether the batch is stored", true, stored)
		b.Equal("the Receipt", receipt, again)
	}
	b.Equal("what is stored", before, b.Image())
}

func outcomeAfterReopening(b *bench.Bench) {
	_, change := steps.OneOfEach(b)
	receipt := b.Commit(change)
	b.Reopen()
	again, stored, err := b.Store.Outcome(b.Ctx, change.Batch, b.Now())
	b.Must("Outcome", err)
	b.Equal("whether the batch is stored", true, stored)
	b.Equal("the Receipt", receipt, again)
}

func outcomeOfUnknown(b *bench.Bench) {
	b.Furnished()
	before := b.Image()
	batch := steps.RuledOut(b)
	for range 3 {
		_, stored, err := b.Store.Outcome(b.Ctx, batch, b.Now())
		b.Must("Outcome", err)
		b.Equal("whether the batch is stored", false, stored)
	}
	b.Equal("what is stored", before, b.Image())
}

func outcomeOfRefused(b *bench.Bench) {
	change := b.Change(store.CreateProblem{Problem: b.Create()})
	b.Refuse("a problem with the number of another", fault.Conflict, change)
	_, stored, err := b.Store.Outcome(b.Ctx, change.Batch, b.Now())
	b.Must("Outcome", err)
	b.Equal("whether the batch is stored", false, stored)
}

func outcomeRacesCommit(b *bench.Bench) {
	p := b.Create()
	want := make(map[ident.ID]bool)
	for range 40 {
		change := b.Change(store.AddComment{Problem: p.ID, Comment: b.Comment("maybe")})
		var stored [2]bool
		var errs [3]error
		b.Together(3, func(who int) error {
			if who == 0 {
				_, errs[0] = b.Store.Commit(b.Ctx, change)
				return nil
			}
			_, stored[who-1], errs[who] = b.Store.Outcome(b.Ctx, change.Batch, change.At)
			return errs[who]
		})
		if stored[0] != stored[1] {
			b.Failf("two calls of Outcome contradict each other")
		}
		if stored[0] {
			b.Must("the Commit that Outcome says is stored", errs[0])
		} else {
			b.Fails("the Commit that Outcome says is not stored", fault.Abandoned, errs[0])
		}
		want[change.Effects[0].(store.AddComment).Comment.ID] = stored[0]
	}
	for _, c := range b.Load(p.ID, snapshot.Comments).Comments {
		if !want[c.ID] {
			b.Failf("a comment of a batch that never will be is stored")
		}
		delete(want, c.ID)
	}
	for _, stored := range want {
		if stored {
			b.Failf("a comment of a batch that is stored is missing")
		}
	}
}

func commitOfRuledOut(b *bench.Bench) {
	_, change := steps.OneOfEach(b)
	change.Batch = steps.RuledOut(b)
	for range 3 {
		b.Refuse("a batch that was ruled out", fault.Abandoned, change)
	}
}

func rulingOutlivesExpire(b *bench.Bench) {
	p, batch, at := b.Create(), b.ID(), b.Now().Add(time.Hour)
	if _, _, err := b.Store.Outcome(b.Ctx, batch, at); err != nil {
		b.Must("Outcome", err)
	}
	b.Do(store.Expire{Before: at})
	change := b.Change(store.AddComment{Problem: p.ID, Comment: b.Comment("never")})
	change.Batch = batch
	b.Refuse("a batch that was ruled out", fault.Abandoned, change)
}

func rulingAfterReopening(b *bench.Bench) {
	p := b.Create()
	change := b.Change(store.AddComment{Problem: p.ID, Comment: b.Comment("never")})
	change.Batch = steps.RuledOut(b)
	b.Reopen()
	b.Refuse("a batch that was ruled out", fault.Abandoned, change)
}

func otherBatches(b *bench.Bench) {
	p := b.Create()
	for range 5 {
		steps.RuledOut(b)
		comment := b.Comment("after a ruling")
		does(b, []store.Effect{store.AddComment{Problem: p.ID, Comment: comment}}, func(want *bench.Image) {
			bench.Edit(want, p.ID, func(s *snapshot.Snapshot) { s.Comments = append(s.Comments, comment) })
		})
	}
}
