package conformance

import (
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
)

func expectationCases() []Case {
	return []Case{{
		ID:   "COM-002/problem-at",
		Rule: "ProblemAt holds for the revision that the problem has, and for no other; a problem that does not exist has none.",
		run: func(b *bench) {
			p := b.create()
			p.Revision = 5
			b.do(store.UpdateProblem{Problem: p})
			now := b.at(p.ID)
			b.equal("the revision", int64(5), now.Revision)
			holds(b, now)
			for _, other := range []int64{4, 6, 0, -5} {
				breaks(b, store.ProblemAt{ID: p.ID, Revision: other, Batch: now.Batch})
			}
			for _, revision := range []int64{0, 1, 5} {
				breaks(b, store.ProblemAt{ID: b.reserve(), Revision: revision})
			}
		},
	}, {
		ID:   "COM-002/catalogue-at",
		Rule: "CatalogueAt holds for the version that the catalogue has, and for no other.",
		run: func(b *bench) {
			holds(b, store.CatalogueAt{})
			breaks(b, store.CatalogueAt{Version: ident.Version{Number: 1}})
			b.do(store.PutUser{User: b.objects().Users[0]})
			now := b.versions().Catalogue
			holds(b, store.CatalogueAt{Version: now})
			breaks(b, store.CatalogueAt{})
			for _, other := range []int64{0, 2} {
				breaks(b, store.CatalogueAt{Version: ident.Version{Number: other, Batch: now.Batch}})
			}
		},
	}, {
		ID:   "COM-002/access-at",
		Rule: "AccessAt holds for the version that the tokens have, and for no other.",
		run: func(b *bench) {
			holds(b, store.AccessAt{})
			breaks(b, store.AccessAt{Version: ident.Version{Number: 1}})
			b.do(store.PutToken{Token: b.token()})
			now := b.versions().Access
			holds(b, store.AccessAt{Version: now})
			breaks(b, store.AccessAt{})
			for _, other := range []int64{0, 2} {
				breaks(b, store.AccessAt{Version: ident.Version{Number: other, Batch: now.Batch}})
			}
		},
	}, {
		ID:   "COM-002/family-at",
		Rule: "FamilyAt holds for the epoch that the family has, and for no other; each family has its own.",
		run: func(b *bench) {
			holds(b, store.FamilyAt{Family: relationship.ParentOf})
			breaks(b, store.FamilyAt{Family: relationship.ParentOf, Epoch: ident.Version{Number: 1}})
			b.do(store.MoveFamily{Family: relationship.ParentOf})
			now := b.image().Epochs[relationship.ParentOf]
			holds(b, store.FamilyAt{Family: relationship.ParentOf, Epoch: now})
			breaks(b, store.FamilyAt{Family: relationship.ParentOf})
			for _, other := range []int64{0, 2} {
				breaks(b, store.FamilyAt{Family: relationship.ParentOf, Epoch: ident.Version{Number: other, Batch: now.Batch}})
			}
			holds(b, store.FamilyAt{Family: relationship.BlockerOf})
		},
	}, {
		ID:   "COM-002/key-unused",
		Rule: "KeyUnused holds when no reply is kept for the user's key, or one created before Since.",
		run: func(b *bench) {
			user, at := b.ID(), b.Now()
			free := store.KeyUnused{User: user, Key: "key", Since: at.Add(-time.Hour)}
			holds(b, free)
			b.do(store.KeepReply{Reply: store.Reply{User: user, Key: "key", Created: at, Body: []byte("reply")}})
			breaks(b, free)
			free.Since = at
			breaks(b, free)
			free.Since = at.Add(time.Millisecond)
			holds(b, free)
			free.Since = at.Add(-time.Hour)
			for _, other := range []string{"KEY", "key ", "ke", "key2"} {
				holds(b, store.KeyUnused{User: user, Key: other, Since: free.Since})
			}
			holds(b, store.KeyUnused{User: b.ID(), Key: "key", Since: free.Since})
			b.do(store.Expire{Before: at.Add(time.Millisecond)})
			holds(b, free)
		},
	}, {
		ID:   "COM-002/state-unused",
		Rule: "StateUnused holds while no problem is in the state, whatever savepoints say and whether or not there is such a state.",
		run: func(b *bench) {
			states := b.objects().States
			state, other := states[0].ID, b.ID()
			holds(b, store.StateUnused{State: state})
			b.do(store.PutState{State: states[0]})
			holds(b, store.StateUnused{State: state})
			first, second := b.problem(b.reserve()), b.problem(b.reserve())
			first.State, second.State = state, state
			b.do(store.CreateProblem{Problem: first}, store.PutSavepoint{Problem: first}, store.CreateProblem{Problem: second})
			breaks(b, store.StateUnused{State: state})
			holds(b, store.StateUnused{State: other})
			first.State = other
			b.do(store.UpdateProblem{Problem: first})
			breaks(b, store.StateUnused{State: state})
			breaks(b, store.StateUnused{State: other})
			second.State = other
			b.do(store.UpdateProblem{Problem: second})
			holds(b, store.StateUnused{State: state})
		},
	}, {
		ID:   "COM-002/store-empty",
		Rule: "StoreEmpty holds while there is no problem, no metadata, no user, no token, no saved query and no audit log; nothing else counts.",
		run: func(b *bench) {
			holds(b, store.StoreEmpty{})
			b.reserve()
			ruledOut(b)
			b.do(store.MoveFamily{Family: relationship.ParentOf}, store.Expire{Before: b.Now()},
				store.KeepReply{Reply: store.Reply{User: b.ID(), Key: "key", Created: b.Now()}})
			holds(b, store.StoreEmpty{})
			saved := b.query(b.ID())
			b.do(store.PutQuery{Query: saved})
			b.do(store.DropQuery{ID: saved.ID})
			holds(b, store.StoreEmpty{})
		},
	}, {
		ID:   "COM-002/store-not-empty/problem",
		Rule: "StoreEmpty does not hold when there is a problem.",
		run:  func(b *bench) { fills(b, store.CreateProblem{Problem: b.problem(b.reserve())}) },
	}, {
		ID:   "COM-002/store-not-empty/state",
		Rule: "StoreEmpty does not hold when there is a state.",
		run:  func(b *bench) { fills(b, store.PutState{State: b.objects().States[0]}) },
	}, {
		ID:   "COM-002/store-not-empty/priority",
		Rule: "StoreEmpty does not hold when there is a priority.",
		run:  func(b *bench) { fills(b, store.PutPriority{Priority: b.objects().Priorities[0]}) },
	}, {
		ID:   "COM-002/store-not-empty/classification",
		Rule: "StoreEmpty does not hold when there is a classification.",
		run: func(b *bench) {
			fills(b, store.PutClassification{Classification: b.objects().Classifications[0]})
		},
	}, {
		ID:   "COM-002/store-not-empty/component",
		Rule: "StoreEmpty does not hold when there is a component.",
		run:  func(b *bench) { fills(b, store.PutComponent{Component: b.objects().Components[0]}) },
	}, {
		ID:   "COM-002/store-not-empty/milestone",
		Rule: "StoreEmpty does not hold when there is a milestone.",
		run:  func(b *bench) { fills(b, store.PutMilestone{Milestone: b.objects().Milestones[0]}) },
	}, {
		ID:   "COM-002/store-not-empty/user",
		Rule: "StoreEmpty does not hold when there is a user.",
		run:  func(b *bench) { fills(b, store.PutUser{User: b.objects().Users[0]}) },
	}, {
		ID:   "COM-002/store-not-empty/token",
		Rule: "StoreEmpty does not hold when there is a token.",
		run:  func(b *bench) { fills(b, store.PutToken{Token: b.token()}) },
	}, {
		ID:   "COM-002/store-not-empty/query",
		Rule: "StoreEmpty does not hold when there is a saved query.",
		run:  func(b *bench) { fills(b, store.PutQuery{Query: b.query(b.ID())}) },
	}, {
		ID:   "COM-002/store-not-empty/audit",
		Rule: "StoreEmpty does not hold when there is an entry in the audit log.",
		run:  func(b *bench) { fills(b, store.AppendAudit{Entry: b.audited()}) },
	}, {
		ID:   "COM-002/all-expectations",
		Rule: "A Change is refused when one of its expectations does not hold, wherever it stands.",
		run: func(b *bench) {
			p, q := b.create(), b.create()
			good := []store.Expectation{
				b.at(p.ID),
				b.at(q.ID),
				store.CatalogueAt{},
				store.AccessAt{},
				store.FamilyAt{Family: relationship.ParentOf},
				store.KeyUnused{User: b.ID(), Key: "key", Since: b.Now()},
				store.StateUnused{State: b.ID()},
			}
			holds(b, good...)
			bad := b.at(p.ID)
			bad.Revision++
			for i := range len(good) + 1 {
				breaks(b, append(append(good[:i:i], bad), good[i:]...)...)
			}
		},
	}, {
		ID:   "COM-002/before-effects",
		Rule: "Expectations are about what was stored before the Change, not about what its own effects do.",
		run: func(b *bench) {
			p := b.create()
			next := p
			next.Revision, next.State = 2, b.ID()
			change := b.change(store.UpdateProblem{Problem: next}, store.MoveFamily{Family: relationship.ParentOf},
				store.PutUser{User: b.objects().Users[0]}, store.PutToken{Token: b.token()})
			first := ident.Version{}.Next(change.Batch)
			for _, late := range []store.Expectation{
				store.ProblemAt{ID: p.ID, Revision: 2, Batch: change.Batch},
				store.FamilyAt{Family: relationship.ParentOf, Epoch: first},
				store.CatalogueAt{Version: first},
				store.AccessAt{Version: first},
				store.StateUnused{State: p.State},
			} {
				change.Expect = []store.Expectation{late}
				b.refuse("a Change that expects what it does", fault.Conflict, change)
			}
			change.Expect = []store.Expectation{
				b.at(p.ID),
				store.FamilyAt{Family: relationship.ParentOf},
				store.CatalogueAt{},
				store.AccessAt{},
				store.StateUnused{State: next.State},
			}
			b.commit(change)
		},
	}}
}

// probe returns a Change that puts nothing into a place that StoreEmpty looks
// at, with the given expectations.
func probe(b *bench, expect ...store.Expectation) store.Change {
	change := b.change(store.MoveFamily{Family: relationship.ClonedTo})
	change.Expect = expect
	return change
}

// holds commits a Change with expectations that hold.
func holds(b *bench, expect ...store.Expectation) {
	b.Helper()
	if _, err := b.store.Commit(b.ctx, probe(b, expect...)); err != nil {
		b.failf("%#v, which hold, failed: %v", expect, err)
	}
}

// breaks commits a Change with an expectation that does not hold.
func breaks(b *bench, expect ...store.Expectation) {
	b.Helper()
	b.refuse("a Change with an expectation that does not hold", fault.Conflict, probe(b, expect...))
}

// fills shows that the effect makes the store one that is not empty.
func fills(b *bench, effect store.Effect) {
	b.Helper()
	holds(b, store.StoreEmpty{})
	b.do(effect)
	breaks(b, store.StoreEmpty{})
}

// ruledOut returns a batch of which the store has ruled that it never happens.
func ruledOut(b *bench) ident.ID {
	b.Helper()
	batch := b.ID()
	_, stored, err := b.store.Outcome(b.ctx, batch, b.Now())
	b.must("Outcome", err)
	if stored {
		b.failf("Outcome knows a batch that was never committed")
	}
	return batch
}
