package changes

import (
	"time"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/cases/steps"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/lease"
	"github.com/problemtracking/problems/domain/store"
)

// Expectation are about true and false expectations of each type.
func Expectation() []bench.Case {
	return []bench.Case{{
		ID:   "COM-002/problem-at",
		Rule: "ProblemAt holds for the problem's present revision, and for no other; a missing problem has none.",
		Run:  problemAt,
	}, {
		ID:   "COM-002/claim-at",
		Rule: "ClaimAt holds while the problem has the claim with this ID and this time of expiry, and without an ID while it has none; a missing problem has no claim to expect.",
		Run:  claimAt,
	}, {
		ID:   "COM-002/catalogue-at",
		Rule: "CatalogueAt holds for the catalogue's present version, and for no other.",
		Run:  catalogueAt,
	}, {
		ID:   "COM-002/access-at",
		Rule: "AccessAt holds for the tokens' present version, and for no other.",
		Run:  accessAt,
	}, {
		ID:   "COM-002/key-unused",
		Rule: "KeyUnused holds when no reply is kept for the user's key, or one created before Since.",
		Run:  keyUnused,
	}, {
		ID:   "COM-002/state-unused",
		Rule: "StateUnused holds while no problem is in the state, regardless of savepoints, and even for an unknown state.",
		Run:  stateUnused,
	}, {
		ID:   "COM-002/state-unused-restored",
		Rule: "StateUnused counts restored problems, and none of their savepoints.",
		Run:  unusedAfterRestore,
	}, {
		ID:   "COM-002/store-empty",
		Rule: "StoreEmpty holds while there is no problem, no metadata, no user, no token, no saved query, no session, no webhook and no audit log; nothing else counts, such as a lease.",
		Run:  storeEmpty,
	}, {
		ID:   "COM-002/store-not-empty/problem",
		Rule: "StoreEmpty does not hold when there is a problem.",
		Run:  func(b *bench.Bench) { fills(b, store.CreateProblem{Problem: b.Problem(b.Reserve())}) },
	}, {
		ID:   "COM-002/store-not-empty/state",
		Rule: "StoreEmpty does not hold when there is a state.",
		Run:  func(b *bench.Bench) { fills(b, store.PutState{State: b.Objects().States[0]}) },
	}, {
		ID:   "COM-002/store-not-empty/priority",
		Rule: "StoreEmpty does not hold when there is a priority.",
		Run:  func(b *bench.Bench) { fills(b, store.PutPriority{Priority: b.Objects().Priorities[0]}) },
	}, {
		ID:   "COM-002/store-not-empty/classification",
		Rule: "StoreEmpty does not hold when there is a classification.",
		Run: func(b *bench.Bench) {
			fills(b, store.PutClassification{Classification: b.Objects().Classifications[0]})
		},
	}, {
		ID:   "COM-002/store-not-empty/component",
		Rule: "StoreEmpty does not hold when there is a component.",
		Run:  func(b *bench.Bench) { fills(b, store.PutComponent{Component: b.Objects().Components[0]}) },
	}, {
		ID:   "COM-002/store-not-empty/milestone",
		Rule: "StoreEmpty does not hold when there is a milestone.",
		Run:  func(b *bench.Bench) { fills(b, store.PutMilestone{Milestone: b.Objects().Milestones[0]}) },
	}, {
		ID:   "COM-002/store-not-empty/user",
		Rule: "StoreEmpty does not hold when there is a user.",
		Run:  func(b *bench.Bench) { fills(b, store.PutUser{User: b.Objects().Users[0]}) },
	}, {
		ID:   "COM-002/store-not-empty/token",
		Rule: "StoreEmpty does not hold when there is a token.",
		Run:  func(b *bench.Bench) { fills(b, store.PutToken{Token: b.Token()}) },
	}, {
		ID:   "COM-002/store-not-empty/query",
		Rule: "StoreEmpty does not hold when there is a saved query.",
		Run:  func(b *bench.Bench) { fills(b, store.PutQuery{Query: b.Query(b.ID())}) },
	}, {
		ID:   "COM-002/store-not-empty/session",
		Rule: "StoreEmpty does not hold when there is a session.",
		Run:  func(b *bench.Bench) { fills(b, store.PutSession{Session: b.Session(b.ID())}) },
	}, {
		ID:   "COM-002/store-not-empty/webhook",
		Rule: "StoreEmpty does not hold when there is a webhook.",
		Run:  func(b *bench.Bench) { fills(b, store.PutWebhook{Endpoint: b.Endpoint()}) },
	}, {
		ID:   "COM-002/webhook-at",
		Rule: "WebhookAt holds while the webhook has the settings of the given Version, whatever its progress.",
		Run:  webhookAt,
	}, {
		ID:   "COM-002/lease-at",
		Rule: "LeaseAt holds while the lease of exactly this name has the given Version, and with no Version while there is none.",
		Run:  leaseAt,
	}, {
		ID:   "COM-002/store-not-empty/audit",
		Rule: "StoreEmpty does not hold when there is an entry in the audit log.",
		Run:  func(b *bench.Bench) { fills(b, store.AppendAudit{Entry: b.Audited()}) },
	}, {
		ID:   "COM-002/store-not-empty/event",
		Rule: "StoreEmpty does not hold when there is an entry in the feed.",
		Run:  func(b *bench.Bench) { fills(b, store.Publish{Event: b.Administered()}) },
	}, {
		ID:   "COM-002/all-expectations",
		Rule: "A Change is refused when one of its expectations does not hold, wherever it stands.",
		Run:  allExpectations,
	}, {
		ID:   "COM-002/before-effects",
		Rule: "Expectations are about the content before the Change, not about its own effects.",
		Run:  beforeEffects,
	}}
}

func problemAt(b *bench.Bench) {
	p := b.Create()
	p.Revision = 5
	b.Do(store.UpdateProblem{Problem: p})
	now := b.At(p.ID)
	b.Equal("the revision", int64(5), now.Revision)
	holds(b, now)
	for _, other := range []int64{4, 6, 0, -5} {
		breaks(b, store.ProblemAt{ID: p.ID, Revision: other, Batch: now.Batch})
	}
	for _, revision := range []int64{0, 1, 5} {
		breaks(b, store.ProblemAt{ID: b.Reserve(), Revision: revision})
	}
}

func claimAt(b *bench.Bench) {
	p, other := b.Create(), b.Create()
	breaks(b, store.ClaimAt{Problem: b.Reserve()})
	holds(b, store.ClaimAt{Problem: p.ID})
	first := b.Claim()
	breaks(b, store.ClaimAt{Problem: p.ID, Claim: first.ID, Expires: first.Expires})
	b.Do(store.PutClaim{Problem: p.ID, Claim: first})
	holds(b, store.ClaimAt{Problem: p.ID, Claim: first.ID, Expires: first.Expires})
	holds(b, store.ClaimAt{Problem: other.ID})
	for _, wrong := range []store.ClaimAt{{}, {Claim: first.ID}, {Claim: first.Holder, Expires: first.Expires}, {Claim: first.ID, Expires: first.Expires.Add(time.Millisecond)}} {
		wrong.Problem = p.ID
		breaks(b, wrong)
	}
	extended := first
	extended.Expires = first.Expires.Add(time.Hour)
	b.Do(store.PutClaim{Problem: p.ID, Claim: extended})
	breaks(b, store.ClaimAt{Problem: p.ID, Claim: first.ID, Expires: first.Expires})
	holds(b, store.ClaimAt{Problem: p.ID, Claim: first.ID, Expires: extended.Expires})
	b.Do(store.PutClaim{Problem: p.ID})
	breaks(b, store.ClaimAt{Problem: p.ID, Claim: first.ID, Expires: extended.Expires})
	holds(b, store.ClaimAt{Problem: p.ID})
}

func catalogueAt(b *bench.Bench) {
	holds(b, store.CatalogueAt{})
	breaks(b, store.CatalogueAt{Version: ident.Version{Number: 1}})
	b.Do(store.PutUser{User: b.Objects().Users[0]})
	now := b.Versions().Catalogue
	holds(b, store.CatalogueAt{Version: now})
	breaks(b, store.CatalogueAt{})
	for _, other := range []int64{0, 2} {
		breaks(b, store.CatalogueAt{Version: ident.Version{Number: other, Batch: now.Batch}})
	}
}

func accessAt(b *bench.Bench) {
	holds(b, store.AccessAt{})
	breaks(b, store.AccessAt{Version: ident.Version{Number: 1}})
	b.Do(store.PutToken{Token: b.Token()})
	now := b.Versions().Access
	holds(b, store.AccessAt{Version: now})
	breaks(b, store.AccessAt{})
	for _, other := range []int64{0, 2} {
		breaks(b, store.AccessAt{Version: ident.Version{Number: other, Batch: now.Batch}})
	}
}

func webhookAt(b *bench.Bench) {
	first, second := b.Endpoint(), b.Endpoint()
	breaks(b, store.WebhookAt{ID: first.ID, Version: first.Version})
	breaks(b, store.WebhookAt{ID: first.ID})
	b.Do(store.PutWebhook{Endpoint: first}, store.PutWebhook{Endpoint: second})
	holds(b, store.WebhookAt{ID: first.ID, Version: first.Version})
	b.Do(store.PutProgress{Webhook: first.ID, Progress: b.Progress()})
	holds(b, store.WebhookAt{ID: first.ID, Version: first.Version})
	for _, other := range []ident.ID{ident.None, second.Version, first.ID, b.ID()} {
		breaks(b, store.WebhookAt{ID: first.ID, Version: other})
	}
	next := first
	next.Version = b.ID()
	b.Do(store.PutWebhook{Endpoint: next})
	breaks(b, store.WebhookAt{ID: first.ID, Version: first.Version})
	holds(b, store.WebhookAt{ID: first.ID, Version: next.Version})
	b.Do(store.DropWebhook{ID: first.ID})
	breaks(b, store.WebhookAt{ID: first.ID, Version: next.Version})
	holds(b, store.WebhookAt{ID: second.ID, Version: second.Version})
}

func leaseAt(b *bench.Bench) {
	holds(b, store.LeaseAt{Name: "work"})
	breaks(b, store.LeaseAt{Name: "work", Version: b.ID()})
	first, other := b.Lease("work"), b.Lease("Work")
	b.Do(store.PutLease{Lease: first})
	holds(b, store.LeaseAt{Name: "work", Version: first.Version})
	holds(b, store.LeaseAt{Name: "Work"})
	b.Do(store.PutLease{Lease: other})
	for _, version := range []ident.ID{ident.None, other.Version, first.Holder} {
		breaks(b, store.LeaseAt{Name: "work", Version: version})
	}
	next := lease.Lease{Name: "work", Version: b.ID()} // given back
	b.Do(store.PutLease{Lease: next})
	breaks(b, store.LeaseAt{Name: "work", Version: first.Version})
	breaks(b, store.LeaseAt{Name: "work"})
	holds(b, store.LeaseAt{Name: "work", Version: next.Version})
	holds(b, store.LeaseAt{Name: "Work", Version: other.Version})
}

func keyUnused(b *bench.Bench) {
	user, at := b.ID(), b.Now()
	free := store.KeyUnused{User: user, Key: "key", Since: at.Add(-time.Hour)}
	holds(b, free)
	b.Do(store.KeepReply{Reply: store.Reply{User: user, Key: "key", Created: at, Body: []byte("reply")}})
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
	b.Do(store.Expire{Before: at.Add(time.Millisecond)})
	holds(b, free)
}

func stateUnused(b *bench.Bench) {
	states := b.Objects().States
	state, other := states[0].ID, b.ID()
	holds(b, store.StateUnused{State: state})
	b.Do(store.PutState{State: states[0]})
	holds(b, store.StateUnused{State: state})
	first, second := b.Problem(b.Reserve()), b.Problem(b.Reserve())
	first.State, second.State = state, state
	b.Do(store.CreateProblem{Problem: first}, store.PutSavepoint{Problem: first}, store.CreateProblem{Problem: second})
	breaks(b, store.StateUnused{State: state})
	holds(b, store.StateUnused{State: other})
	first.State = other
	b.Do(store.UpdateProblem{Problem: first})
	breaks(b, store.StateUnused{State: state})
	breaks(b, store.StateUnused{State: other})
	second.State = other
	b.Do(store.UpdateProblem{Problem: second})
	holds(b, store.StateUnused{State: state})
}

func storeEmpty(b *bench.Bench) {
	holds(b, store.StoreEmpty{})
	b.Reserve()
	steps.RuledOut(b)
	b.Do(store.Expire{Before: b.Now()},
		store.KeepReply{Reply: store.Reply{User: b.ID(), Key: "key", Created: b.Now()}})
	holds(b, store.StoreEmpty{})
	b.Do(store.PutLease{Lease: b.Lease("work")})
	holds(b, store.StoreEmpty{})
	hook := b.Endpoint()
	b.Do(store.PutWebhook{Endpoint: hook})
	b.Do(store.DropWebhook{ID: hook.ID})
	holds(b, store.StoreEmpty{})
	session := b.Session(b.ID())
	b.Do(store.PutSession{Session: session})
	b.Do(store.DropSession{ID: session.ID})
	holds(b, store.StoreEmpty{})
	saved := b.Query(b.ID())
	b.Do(store.PutQuery{Query: saved})
	b.Do(store.DropQuery{ID: saved.ID})
	holds(b, store.StoreEmpty{})
}

func allExpectations(b *bench.Bench) {
	p, q := b.Create(), b.Create()
	good := []store.Expectation{
		b.At(p.ID),
		b.At(q.ID),
		store.CatalogueAt{},
		store.AccessAt{},
		store.KeyUnused{User: b.ID(), Key: "key", Since: b.Now()},
		store.StateUnused{State: b.ID()},
	}
	holds(b, good...)
	bad := b.At(p.ID)
	bad.Revision++
	for i := range len(good) + 1 {
		breaks(b, append(append(good[:i:i], bad), good[i:]...)...)
	}
}

func beforeEffects(b *bench.Bench) {
	p := b.Create()
	next := p
	next.Revision, next.State = 2, b.ID()
	change := b.Change(store.UpdateProblem{Problem: next},
		store.PutUser{User: b.Objects().Users[0]}, store.PutToken{Token: b.Token()})
	first := ident.Version{}.Next(change.Batch)
	for _, late := range []store.Expectation{
		store.ProblemAt{ID: p.ID, Revision: 2, Batch: change.Batch},
		store.CatalogueAt{Version: first},
		store.AccessAt{Version: first},
		store.StateUnused{State: p.State},
	} {
		change.Expect = []store.Expectation{late}
		b.Refuse("a Change that expects what it does", fault.Conflict, change)
	}
	change.Expect = []store.Expectation{
		b.At(p.ID),
		store.CatalogueAt{},
		store.AccessAt{},
		store.StateUnused{State: next.State},
	}
	b.Commit(change)
}

// unusedAfterRestore restores two problems in one state, and moves them out of it.
func unusedAfterRestore(b *bench.Bench) {
	h := b.Holdings(1, 2, 3)
	state, other := h.Metadata.States[0].ID, h.Metadata.States[1].ID
	h.Dossiers[0].State, h.Dossiers[2].State = state, state
	b.Restore(h)
	breaks(b, store.StateUnused{State: state})
	breaks(b, store.StateUnused{State: h.Dossiers[1].State})
	holds(b, store.StateUnused{State: other})
	holds(b, store.StateUnused{State: h.Dossiers[1].Savepoints[1].State})
	for _, d := range []store.Dossier{h.Dossiers[0], h.Dossiers[2]} {
		breaks(b, store.StateUnused{State: state})
		d.State = other
		b.Do(store.UpdateProblem{Problem: d.Problem})
	}
	holds(b, store.StateUnused{State: state})
	breaks(b, store.StateUnused{State: other})
}

// holds commits a Change with true expectations.
func holds(b *bench.Bench, expect ...store.Expectation) {
	b.Helper()
	if _, err := b.Store.Commit(b.Ctx, steps.Probe(b, expect...)); err != nil {
		b.Failf("%#v, which hold, failed: %v", expect, err)
	}
}

// breaks commits a Change with a false expectation.
func breaks(b *bench.Bench, expect ...store.Expectation) {
	b.Helper()
	b.Refuse("a Change with an expectation that does not hold", fault.Conflict, steps.Probe(b, expect...))
}

// fills ends the case unless the effect makes the store non-empty.
func fills(b *bench.Bench, effect store.Effect) {
	b.Helper()
	holds(b, store.StoreEmpty{})
	b.Do(effect)
	breaks(b, store.StoreEmpty{})
}
