package conformance

import (
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
)

// identityCases are about the batches that tell the same numbers of two histories
// apart.
func identityCases() []Case {
	return []Case{{
		ID:   "VER-004",
		Rule: "A version has the batch of the Change that raised it last, and none before the first one; no other Change alters it.",
		run: func(b *bench) {
			var want store.Versions
			b.equal("the first Versions", want, b.versions())
			p := b.create()
			for range 3 {
				for _, effects := range [][]store.Effect{
					{store.PutUser{User: b.objects().Users[0]}},
					{store.PutToken{Token: b.token()}},
					{store.PutToken{Token: b.token()}, store.PutState{State: b.objects().States[0]}},
					{store.UpdateProblem{Problem: p}, store.MoveFamily{Family: relationship.ParentOf}, store.AddComment{Problem: p.ID, Comment: b.comment("text")}},
				} {
					change := b.change(effects...)
					b.commit(change)
					want = want.After(change)
					b.equal("Store.Versions", want, b.versions())
					seen := b.image()
					b.equal("Reader.Versions", want, seen.Versions)
					b.equal("the catalogue's version", want.Catalogue, seen.Catalogue)
					b.equal("the Snapshot's version of the catalogue", want.Catalogue, seen.Problems[p.ID].Catalogue)
				}
			}
		},
	}, {
		ID:   "VER-004/refused",
		Rule: "A Change that is refused or repeated leaves its batch nowhere.",
		run: func(b *bench) {
			p := b.create()
			effects := []store.Effect{store.PutUser{User: b.objects().Users[0]}, store.PutToken{Token: b.token()},
				store.MoveFamily{Family: relationship.CauseOf}, store.UpdateProblem{Problem: p}}
			first := b.change(effects...)
			b.commit(first)
			b.do(effects...)
			before := b.image()
			b.commit(first)
			breaksAll(b, effects, store.CatalogueAt{Version: ident.Version{Number: 9, Batch: first.Batch}})
			b.equal("what is stored", before, b.image())
		},
	}, {
		ID:      "VER-004/reopened",
		Rule:    "The batches of versions, epochs and revisions are there when the store is opened again.",
		Durable: true,
		run: func(b *bench) {
			p := b.create()
			b.do(store.PutUser{User: b.objects().Users[0]}, store.PutToken{Token: b.token()},
				store.MoveFamily{Family: relationship.CauseOf}, store.UpdateProblem{Problem: p})
			before := b.image()
			b.reopen()
			b.equal("what is stored", before, b.image())
		},
	}, {
		ID:   "READ-018",
		Rule: "A problem has the batch of the Change that created or updated it last; no other Change alters it.",
		run: func(b *bench) {
			q := b.create()
			before := b.load(q.ID, 0).Batch
			p := b.problem(b.reserve())
			want := b.do(store.CreateProblem{Problem: p}, store.PutSavepoint{Problem: p}).Batch
			stores(b, want, p.ID)
			for range 3 {
				b.do(store.AddComment{Problem: p.ID, Comment: b.comment("text")}, store.PutSavepoint{Problem: p},
					store.PutKeyword{Problem: p.ID, Keyword: problem.Keyword{Name: "name"}}, store.Watch{Problem: p.ID, User: b.ID()})
				stores(b, want, p.ID)
				want = b.do(store.UpdateProblem{Problem: p}).Batch
				stores(b, want, p.ID)
				p.Revision++
				want = b.do(store.UpdateProblem{Problem: p}, store.UpdateProblem{Problem: p}).Batch
				stores(b, want, p.ID)
			}
			stores(b, before, q.ID)
		},
	}, {
		ID:   "READ-019",
		Rule: "An epoch has the batch of the Change that raised it last, and none before the first one; each family has its own.",
		run: func(b *bench) {
			want := make(map[store.FamilyName]ident.Version)
			for _, f := range relationship.Families() {
				want[f.Forward] = ident.Version{}
			}
			b.equal("the first epochs", want, b.image().Epochs)
			p := b.create()
			for range 3 {
				for _, families := range [][]store.FamilyName{
					{relationship.ParentOf}, {relationship.BlockerOf}, {relationship.ParentOf, relationship.CauseOf, relationship.ParentOf}, nil,
				} {
					change := b.change(store.UpdateProblem{Problem: p}, store.PutToken{Token: b.token()})
					for _, f := range families {
						change.Effects = append(change.Effects, store.MoveFamily{Family: f})
						want[f] = want[f].Next(change.Batch)
					}
					b.commit(change)
					b.equal("the epochs", want, b.image().Epochs)
				}
			}
		},
	}, {
		ID:   "COM-012/problem",
		Rule: "ProblemAt with the right revision and another batch is refused with Conflict.",
		run: func(b *bench) {
			p := b.create()
			created := b.at(p.ID)
			p.Revision = 2
			b.do(store.UpdateProblem{Problem: p})
			now := b.at(p.ID)
			holds(b, now)
			for _, batch := range []ident.ID{created.Batch, b.ID(), ident.None} {
				breaks(b, store.ProblemAt{ID: p.ID, Revision: 2, Batch: batch})
			}
			b.do(store.UpdateProblem{Problem: p}) // the same revision, as another history has it
			breaks(b, now)
			holds(b, b.at(p.ID))
		},
	}, {
		ID:   "COM-012/catalogue",
		Rule: "CatalogueAt with the right number and another batch is refused with Conflict.",
		run: func(b *bench) {
			before := b.do(store.PutUser{User: b.objects().Users[0]}).Batch
			b.do(store.PutUser{User: b.objects().Users[0]})
			now := b.versions().Catalogue
			for _, batch := range []ident.ID{before, b.ID(), ident.None} {
				breaks(b, store.CatalogueAt{Version: ident.Version{Number: now.Number, Batch: batch}})
			}
			holds(b, store.CatalogueAt{Version: now})
		},
	}, {
		ID:   "COM-012/access",
		Rule: "AccessAt with the right number and another batch is refused with Conflict.",
		run: func(b *bench) {
			before := b.do(store.PutToken{Token: b.token()}).Batch
			b.do(store.PutToken{Token: b.token()})
			now := b.versions().Access
			for _, batch := range []ident.ID{before, b.ID(), ident.None} {
				breaks(b, store.AccessAt{Version: ident.Version{Number: now.Number, Batch: batch}})
			}
			holds(b, store.AccessAt{Version: now})
		},
	}, {
		ID:   "COM-012/family",
		Rule: "FamilyAt with the right number and another batch is refused with Conflict.",
		run: func(b *bench) {
			family := relationship.ParentOf
			before := b.do(store.MoveFamily{Family: family}).Batch
			b.do(store.MoveFamily{Family: family})
			now := b.image().Epochs[family]
			for _, batch := range []ident.ID{before, b.ID(), ident.None} {
				breaks(b, store.FamilyAt{Family: family, Epoch: ident.Version{Number: now.Number, Batch: batch}})
			}
			holds(b, store.FamilyAt{Family: family, Epoch: now})
		},
	}, {
		ID:   "COM-012/first",
		Rule: "An expectation of the number 0 with a batch is refused with Conflict where nothing has raised it.",
		run: func(b *bench) {
			v := ident.Version{Batch: b.ID()}
			breaks(b, store.CatalogueAt{Version: v})
			breaks(b, store.AccessAt{Version: v})
			breaks(b, store.FamilyAt{Family: relationship.ParentOf, Epoch: v})
			breaks(b, store.ProblemAt{ID: b.reserve(), Batch: v.Batch})
		},
	}, {
		ID:   "RES-009",
		Rule: "Restore gives the Archive's batch to the epochs of all directed families and to the versions that are not 0.",
		run: func(b *bench) {
			moved := b.do(store.MoveFamily{Family: relationship.ParentOf}, store.MoveFamily{Family: relationship.ParentOf}).Batch
			h := b.holdings(1, 2, 900)
			b.restore(h)
			b.equal("Versions", store.Versions{
				Catalogue: ident.Version{Number: h.Versions.Catalogue.Number, Batch: h.Batch},
				Access:    ident.Version{Number: 1, Batch: h.Batch},
			}, b.versions())
			epochs := b.image().Epochs
			for _, f := range relationship.Families() {
				if !f.Directed() {
					continue
				}
				want := ident.Version{Batch: h.Batch}
				if f.Forward == relationship.ParentOf {
					want.Number = 2
				}
				b.equal("the epoch", want, epochs[f.Forward])
				breaks(b, store.FamilyAt{Family: f.Forward, Epoch: ident.Version{Number: want.Number}})
				breaks(b, store.FamilyAt{Family: f.Forward, Epoch: ident.Version{Number: want.Number, Batch: moved}})
				if f.Forward != relationship.ClonedTo { // which b.holds moves
					holds(b, store.FamilyAt{Family: f.Forward, Epoch: want})
				}
			}
		},
	}, {
		ID:   "RES-009/problems",
		Rule: "Restore gives a problem the batch of the last entry of its log, and the Archive's only if it has no log.",
		run: func(b *bench) {
			h := b.holdings(1, 2, 900)
			h.Dossiers[1].Log = nil
			b.restore(h)
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
		},
	}, {
		ID:   "RES-009/moved",
		Rule: "What was expected of a problem holds after it was moved to another store, until it has another revision.",
		run: func(b *bench) {
			p := b.create()
			p.Revision = 2
			change := b.change(store.UpdateProblem{Problem: p})
			entry := b.entry(p.ID)
			entry.Batch, entry.Revision = change.Batch, 2
			change.Log = []problem.LogEntry{entry}
			b.commit(change)
			before := b.at(p.ID)
			h, err := b.held()
			b.must("reading what is stored", err)
			h.Batch = b.ID()
			other := b.fresh()
			other.restore(h)
			stores(other, change.Batch, p.ID)
			holds(other, before)
			other.do(store.UpdateProblem{Problem: p}) // the same revision, as another history has it
			breaks(other, before)
		},
	}, {
		ID:   "RES-009/nothing",
		Rule: "Versions that are 0 after Restore have no batch.",
		run: func(b *bench) {
			b.restore(holdings{Batch: b.ID()})
			b.equal("Versions", store.Versions{}, b.versions())
			holds(b, store.CatalogueAt{}, store.AccessAt{})
		},
	}, {
		ID:   "RES-009/again",
		Rule: "Two stores that were filled with the same Archive are told apart by its batch, but for problems with a log.",
		run: func(b *bench) {
			h := b.holdings(1, 2)
			h.Dossiers[1].Log = nil
			b.restore(h)
			other := b.fresh()
			again := h
			again.Batch = b.ID()
			other.restore(again)
			holds(b, other.at(1))
			breaks(b, other.at(2))
			breaks(b, store.CatalogueAt{Version: other.versions().Catalogue})
			breaks(b, store.AccessAt{Version: other.versions().Access})
			breaks(b, store.FamilyAt{Family: relationship.CauseOf, Epoch: other.image().Epochs[relationship.CauseOf]})
		},
	}}
}

// stores ends the case unless the batch is the one that stored the problem last, in
// each way of reading.
func stores(b *bench, batch ident.ID, id problem.ID) {
	b.Helper()
	b.equal("the batch of the problem", batch, b.load(id, 0).Batch)
	b.equal("the batch of the problem with all parts", batch, b.load(id, everything).Batch)
	b.view(func(r store.Reader) error {
		several, err := r.Problems(b.ctx, []problem.ID{id}, b.author, 0)
		for _, s := range several {
			b.equal("the batch of the problem among several", batch, s.Batch)
		}
		return err
	})
}

// breaksAll commits a Change of effects with an expectation that does not hold.
func breaksAll(b *bench, effects []store.Effect, expect ...store.Expectation) {
	b.Helper()
	change := b.change(effects...)
	change.Expect = expect
	if _, err := b.store.Commit(b.ctx, change); err == nil {
		b.failf("a Change was stored with an expectation that does not hold")
	}
}
