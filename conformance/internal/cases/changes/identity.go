package changes

import (
	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// Identity are about batches: they tell apart the same numbers of two histories.
func Identity() []bench.Case {
	return []bench.Case{{
		ID:   "VER-004",
		Rule: "A version has the batch of its last raising Change, and none before the first one; no other Change alters it.",
		Run:  versionBatches,
	}, {
		ID:   "VER-004/refused",
		Rule: "A refused or repeated Change leaves its batch nowhere.",
		Run:  batchesAfterRefusal,
	}, {
		ID:      "VER-004/reopened",
		Rule:    "The batches of versions and revisions are there when the store is opened again.",
		Durable: true,
		Run:     versionBatchesAfterReopening,
	}, {
		ID:   "READ-018",
		Rule: "A problem has the batch of its creation or last update; no other Change alters it.",
		Run:  problemBatch,
	}, {
		ID:   "COM-012/problem",
		Rule: "ProblemAt with the right revision and another batch is refused with Conflict.",
		Run:  problemOfOtherBatch,
	}, {
		ID:   "COM-012/catalogue",
		Rule: "CatalogueAt with the right number and another batch is refused with Conflict.",
		Run:  catalogueOfOtherBatch,
	}, {
		ID:   "COM-012/access",
		Rule: "AccessAt with the right number and another batch is refused with Conflict.",
		Run:  accessBatch,
	}, {
		ID:   "COM-012/first",
		Rule: "An expectation of the number 0 with a batch is refused with Conflict where nothing has raised it.",
		Run:  numberZeroWithBatch,
	}, {
		ID:   "RES-009",
		Rule: "Restore gives the Archive's batch to all versions above 0.",
		Run:  restoredBatches,
	}, {
		ID:   "RES-009/problems",
		Rule: "Restore gives a problem the batch of the last entry of its log, and the Archive's only if it has no log.",
		Run:  batchesOfProblems,
	}, {
		ID:   "RES-009/moved",
		Rule: "An expectation of a problem still holds after its move to another store, until it has another revision.",
		Run:  expectationAfterMove,
	}, {
		ID:   "RES-009/nothing",
		Rule: "Versions of 0 after Restore have no batch.",
		Run: func(b *bench.Bench) {
			b.Restore(bench.Holdings{Batch: b.ID()})
			b.Equal("Versions", store.Versions{}, b.Versions())
			holds(b, store.CatalogueAt{}, store.AccessAt{})
		},
	}, {
		ID:   "RES-009/again",
		Rule: "The batch of Restore tells two stores with the same Archive apart, except for problems with a log.",
		Run:  restoredTwiceDiffer,
	}}
}

func versionBatches(b *bench.Bench) {
	var want store.Versions
	b.Equal("the first Versions", want, b.Versions())
	p := b.Create()
	for range 3 {
		for _, effects := range [][]store.Effect{
			{store.PutUser{User: b.Objects().Users[0]}},
			{store.PutToken{Token: b.Token()}},
			{store.PutToken{Token: b.Token()}, store.PutState{State: b.Objects().States[0]}},
			{store.UpdateProblem{Problem: p}, store.AddComment{Problem: p.ID, Comment: b.Comment("text")}},
		} {
			change := b.Change(effects...)
			b.Commit(change)
			want = want.After(change)
			b.Equal("Store.Versions", want, b.Versions())
			seen := b.Image()
			b.Equal("Reader.Versions", want, seen.Versions)
			b.Equal("the catalogue's version", want.Catalogue, seen.Catalogue)
			b.Equal("the Snapshot's version of the catalogue", want.Catalogue, seen.Problems[p.ID].Catalogue)
		}
	}
}

func batchesAfterRefusal(b *bench.Bench) {
	p := b.Create()
	effects := []store.Effect{store.PutUser{User: b.Objects().Users[0]}, store.PutToken{Token: b.Token()}, store.UpdateProblem{Problem: p}}
	first := b.Change(effects...)
	b.Commit(first)
	b.Do(effects...)
	before := b.Image()
	b.Commit(first)
	breaksAll(b, effects, store.CatalogueAt{Version: ident.Version{Number: 9, Batch: first.Batch}})
	b.Equal("what is stored", before, b.Image())
}

func versionBatchesAfterReopening(b *bench.Bench) {
	p := b.Create()
	b.Do(store.PutUser{User: b.Objects().Users[0]}, store.PutToken{Token: b.Token()}, store.UpdateProblem{Problem: p})
	before := b.Image()
	b.Reopen()
	b.Equal("what is stored", before, b.Image())
}

func problemBatch(b *bench.Bench) {
	q := b.Create()
	before := b.Load(q.ID, 0).Batch
	p := b.Problem(b.Reserve())
	want := b.Do(store.CreateProblem{Problem: p}, store.PutSavepoint{Problem: p}).Batch
	stores(b, want, p.ID)
	for range 3 {
		b.Do(store.AddComment{Problem: p.ID, Comment: b.Comment("text")}, store.PutSavepoint{Problem: p},
			store.PutKeyword{Problem: p.ID, Keyword: problem.Keyword{Name: "name"}}, store.Watch{Problem: p.ID, User: b.ID()})
		stores(b, want, p.ID)
		want = b.Do(store.UpdateProblem{Problem: p}).Batch
		stores(b, want, p.ID)
		p.Revision++
		want = b.Do(store.UpdateProblem{Problem: p}, store.UpdateProblem{Problem: p}).Batch
		stores(b, want, p.ID)
	}
	stores(b, before, q.ID)
}

func problemOfOtherBatch(b *bench.Bench) {
	p := b.Create()
	created := b.At(p.ID)
	p.Revision = 2
	b.Do(store.UpdateProblem{Problem: p})
	now := b.At(p.ID)
	holds(b, now)
	for _, batch := range []ident.ID{created.Batch, b.ID(), ident.None} {
		breaks(b, store.ProblemAt{ID: p.ID, Revision: 2, Batch: batch})
	}
	b.Do(store.UpdateProblem{Problem: p}) // the same revision, as another history has it
	breaks(b, now)
	holds(b, b.At(p.ID))
}

func catalogueOfOtherBatch(b *bench.Bench) {
	before := b.Do(store.PutUser{User: b.Objects().Users[0]}).Batch
	b.Do(store.PutUser{User: b.Objects().Users[0]})
	now := b.Versions().Catalogue
	for _, batch := range []ident.ID{before, b.ID(), ident.None} {
		breaks(b, store.CatalogueAt{Version: ident.Version{Number: now.Number, Batch: batch}})
	}
	holds(b, store.CatalogueAt{Version: now})
}

func accessBatch(b *bench.Bench) {
	before := b.Do(store.PutToken{Token: b.Token()}).Batch
	b.Do(store.PutToken{Token: b.Token()})
	now := b.Versions().Access
	for _, batch := range []ident.ID{before, b.ID(), ident.None} {
		breaks(b, store.AccessAt{Version: ident.Version{Number: now.Number, Batch: batch}})
	}
	holds(b, store.AccessAt{Version: now})
}

func numberZeroWithBatch(b *bench.Bench) {
	v := ident.Version{Batch: b.ID()}
	breaks(b, store.CatalogueAt{Version: v})
	breaks(b, store.AccessAt{Version: v})
	breaks(b, store.ProblemAt{ID: b.Reserve(), Batch: v.Batch})
}

func restoredBatches(b *bench.Bench) {
	h := b.Holdings(1, 2, 900)
	b.Restore(h)
	b.Equal("Versions", store.Versions{
		Catalogue: ident.Version{Number: h.Versions.Catalogue.Number, Batch: h.Batch},
		Access:    ident.Version{Number: 1, Batch: h.Batch},
	}, b.Versions())
	holds(b, store.CatalogueAt{Version: b.Versions().Catalogue}, store.AccessAt{Version: b.Versions().Access})
}

func batchesOfProblems(b *bench.Bench) {
	h := b.Holdings(1, 2, 900)
	h.Dossiers[1].Log = nil
	b.Restore(h)
	for i, d := range h.Dossiers {
		want := h.Batch
		if i != 1 {
			want = d.Log[len(d.Log)-1].Batch
		}
		stores(b, want, d.ID)
		holds(b, store.ProblemAt{ID: d.ID, Revision: d.Revision, Batch: want})
		for _, other := range []ident.ID{h.Batch, h.Dossiers[0].Log[0].Batch, h.Dossiers[2].Log[2].Batch, ident.None} {
			if other != want {
				breaks(b, store.ProblemAt{ID: d.ID, Revision: d.Revision, Batch: other})
			}
		}
	}
}

func expectationAfterMove(b *bench.Bench) {
	p := b.Create()
	p.Revision = 2
	change := b.Change(store.UpdateProblem{Problem: p})
	entry := b.Entry(p.ID)
	entry.Batch, entry.Revision = change.Batch, 2
	change.Log = []problem.LogEntry{entry}
	b.Commit(change)
	before := b.At(p.ID)
	h, err := b.Held()
	b.Must("reading what is stored", err)
	h.Batch = b.ID()
	other := b.Fresh()
	other.Restore(h)
	stores(other, change.Batch, p.ID)
	holds(other, before)
	other.Do(store.UpdateProblem{Problem: p}) // the same revision, as another history has it
	breaks(other, before)
}

func restoredTwiceDiffer(b *bench.Bench) {
	h := b.Holdings(1, 2)
	h.Dossiers[1].Log = nil
	b.Restore(h)
	other := b.Fresh()
	again := h
	again.Batch = b.ID()
	other.Restore(again)
	holds(b, other.At(1))
	breaks(b, other.At(2))
	breaks(b, store.CatalogueAt{Version: other.Versions().Catalogue})
	breaks(b, store.AccessAt{Version: other.Versions().Access})
}

// stores ends the case unless the problem's last batch is the given one, in each way of
// reading.
func stores(b *bench.Bench, batch ident.ID, id problem.ID) {
	b.Helper()
	b.Equal("the batch of the problem", batch, b.Load(id, 0).Batch)
	b.Equal("the batch of the problem with all parts", batch, b.Load(id, bench.Everything).Batch)
	b.View(func(r store.Reader) error {
		several, err := r.Problems(b.Ctx, []problem.ID{id}, b.Author, 0)
		for _, s := range several {
			b.Equal("the batch of the problem among several", batch, s.Batch)
		}
		return err
	})
}

// breaksAll commits a Change of effects with a false expectation.
func breaksAll(b *bench.Bench, effects []store.Effect, expect ...store.Expectation) {
	b.Helper()
	change := b.Change(effects...)
	change.Expect = expect
	if _, err := b.Store.Commit(b.Ctx, change); err == nil {
		b.Failf("a Change was stored with an expectation that does not hold")
	}
}
