package changes

import (
	"fmt"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/cases/steps"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// Commit are about whole and refused Changes, repeated batches, and Receipts.
func Commit() []bench.Case {
	return []bench.Case{{
		ID:   "COM-001/refused-effect",
		Rule: "A Change with a refused effect stores nothing of itself, at any position of the effect; its batch stays free.",
		Run:  refusedEffect,
	}, {
		ID:   "COM-001/refused-expectation",
		Rule: "A Change with a false expectation stores nothing of itself; its batch stays free.",
		Run:  refusedExpectation,
	}, {
		ID:   "COM-001/many-effects",
		Rule: "A Change can have thousands of effects and log entries. All of them are stored.",
		Run:  manyEffects,
	}, {
		ID:   "COM-001/at-once",
		Rule: "Of concurrent Changes, the refused ones leave nothing, and take nothing from the others.",
		Run:  refusalsAtOnce,
	}, {
		ID:   "COM-002/number-taken",
		Rule: "CreateProblem is refused with Conflict when its number is taken, also by the same Change.",
		Run:  numberTaken,
	}, {
		ID:   "COM-002/update-without-problem",
		Rule: "UpdateProblem is refused with Conflict when there is no such problem: it never creates one, nor is it lost in silence.",
		Run: func(b *bench.Bench) {
			b.Refuse("an update of nothing", fault.Conflict, b.Change(store.UpdateProblem{Problem: b.Problem(b.Reserve())}))
		},
	}, {
		ID:   "COM-002/comment-missing",
		Rule: "PutComment is refused with Conflict when the problem has no such comment: it never adds one, nor is it lost in silence.",
		Run: func(b *bench.Bench) {
			here, there := b.Create(), b.Create()
			comment := b.Comment("elsewhere")
			b.Do(store.AddComment{Problem: there.ID, Comment: comment})
			b.Refuse("a comment of another problem", fault.Conflict, b.Change(store.PutComment{Problem: here.ID, Comment: comment}))
		},
	}, {
		ID:   "COM-002/rewrite",
		Rule: "Rewrite is refused with Conflict when one of its entries or savepoints is missing.",
		Run:  rewriteMissing,
	}, {
		ID:   "COM-002/relationship-taken",
		Rule: "PutRelationship is refused with Conflict when the owner already has a relationship of its type to the other problem, also by the same Change.",
		Run:  relationshipTaken,
	}, {
		ID:   "COM-003",
		Rule: "When Commit returns nil, every later View shows the Change.",
		Run:  acknowledgedIsVisible,
	}, {
		ID:      "COM-003/reopened",
		Rule:    "When Commit returns nil, every store opened later shows the Change.",
		Durable: true,
		Run:     acknowledgedAfterReopening,
	}, {
		ID:   "COM-005",
		Rule: "A Commit of an already committed Batch changes nothing and returns the first Receipt.",
		Run:  batchCommittedTwice,
	}, {
		ID:   "COM-005/alone",
		Rule: "A repeated Commit returns the first Receipt for each kind of Change: each effect by itself, or nothing but log entries.",
		Run:  eachEffectCommittedTwice,
	}, {
		ID:   "COM-005/stale",
		Rule: "A repeated Commit returns the first Receipt even though its expectations no longer hold, having come true.",
		Run:  repeatedAfterItCameTrue,
	}, {
		ID:   "COM-005/other-content",
		Rule: "A Commit of an already committed Batch changes nothing, even if the rest of the Change is different.",
		Run:  otherContent,
	}, {
		ID:   "COM-005/at-once",
		Rule: "Of several concurrent Commits of one Batch one acts, and all return its Receipt.",
		Run:  batchCommittedAtOnce,
	}, {
		ID:      "COM-005/reopened",
		Rule:    "A Commit of a Batch committed before the store was opened again changes nothing and returns the first Receipt.",
		Durable: true,
		Run:     batchCommittedBeforeReopening,
	}, {
		ID:   "COM-007/effect",
		Rule: "An unknown effect is refused with Unsupported, at any position in the Change, and nothing is stored.",
		Run:  unknownEffect,
	}, {
		ID:   "COM-007/expectation",
		Rule: "An unknown expectation is refused with Unsupported, and nothing is stored.",
		Run:  unknownExpectation,
	}, {
		ID:   "COM-011",
		Rule: "A Receipt's Position is at least 1 and greater than the Position of every earlier returned Commit.",
		Run:  positionsAscend,
	}, {
		ID:      "COM-011/reopened",
		Rule:    "A Receipt's Position is greater than the Position of every Change committed before the store was opened again, forgotten ones included.",
		Durable: true,
		Run:     positionsAscendAfterReopening,
	}}
}

func refusedEffect(b *bench.Bench) {
	taken, change := steps.OneOfEach(b)
	whole := change.Effects
	for i := range len(whole) + 1 {
		change.Effects = append(append(whole[:i:i], store.CreateProblem{Problem: taken}), whole[i:]...)
		b.Refuse("a Change that creates an existing problem", fault.Conflict, change)
	}
	change.Effects = whole
	before := b.Image()
	b.Commit(change)
	if bench.Difference(before, b.Image()) == "" {
		b.Failf("the Change without the refused effect was not stored under the same batch")
	}
}

func refusedExpectation(b *bench.Bench) {
	_, change := steps.OneOfEach(b)
	change.Expect = []store.Expectation{store.StoreEmpty{}}
	b.Refuse("a Change that expects an empty store", fault.Conflict, change)
	change.Expect = nil
	before := b.Image()
	b.Commit(change)
	if bench.Difference(before, b.Image()) == "" {
		b.Failf("the Change without the expectation was not stored under the same batch")
	}
}

func manyEffects(b *bench.Bench) {
	const many = 1000
	p := b.Create()
	want := snapshot.Snapshot{Problem: p, Batch: b.At(p.ID).Batch}
	change := b.Change()
	for i := range many {
		keyword := problem.Keyword{Name: fmt.Sprintf("%04d", i), Value: problem.Text("value")}
		comment, entry := b.Comment("text"), b.Entry(p.ID)
		change.Effects = append(change.Effects,
			store.PutKeyword{Problem: p.ID, Keyword: keyword}, store.AddComment{Problem: p.ID, Comment: comment})
		change.Log = append(change.Log, entry)
		want.Keywords = append(want.Keywords, keyword)
		want.Comments = append(want.Comments, comment)
		want.Log = append(want.Log, entry)
	}
	b.Commit(change)
	b.Equal("the problem", want, b.Load(p.ID, bench.Everything))
}

func refusalsAtOnce(b *bench.Bench) {
	const rounds = 10
	p := b.Create()
	b.Together(bench.Writers, func(who int) error {
		for range rounds {
			good := b.Change(store.AddComment{Problem: p.ID, Comment: b.Comment("good")}, store.PutUser{User: b.Objects().Users[0]})
			if _, err := b.Store.Commit(b.Ctx, good); err != nil {
				return fmt.Errorf("Commit: %w", err)
			}
			refused, kind := store.Effect(store.CreateProblem{Problem: p}), fault.Conflict
			if who%2 == 0 {
				refused, kind = struct{ store.Effect }{}, fault.Unsupported
			}
			bad := b.Change(store.AddComment{Problem: p.ID, Comment: b.Comment("bad")}, store.PutUser{User: b.Objects().Users[0]}, refused)
			_, err := b.Store.Commit(b.Ctx, bad)
			if err := bench.Failure("the Commit of a Change with such an effect", kind, err); err != nil {
				return err
			}
		}
		return nil
	})
	comments := b.Load(p.ID, snapshot.Comments).Comments
	b.Equal("the number of comments", bench.Writers*rounds, len(comments))
	for _, c := range comments {
		b.Equal("a comment", "good", c.Text)
	}
	b.Equal("the number of users", bench.Writers*rounds, len(b.Image().Content.Users))
	b.Equal("the version of the catalogue", int64(bench.Writers*rounds), b.Versions().Catalogue.Number)
}

func numberTaken(b *bench.Bench) {
	p := b.Create()
	b.Refuse("a problem with the number of another", fault.Conflict, b.Change(store.CreateProblem{Problem: b.Problem(p.ID)}))
	id := b.Reserve()
	b.Refuse("two problems with one number", fault.Conflict, b.Change(
		store.CreateProblem{Problem: b.Problem(id)}, store.CreateProblem{Problem: b.Problem(id)}))
}

func relationshipTaken(b *bench.Bench) {
	p, q := b.Create(), b.Create()
	b.Do(b.Pair(p.ID, relationship.ParentOf, q.ID)...)
	again := b.Pair(p.ID, relationship.ParentOf, q.ID)
	b.Refuse("a side that is there", fault.Conflict, b.Change(again[0]))
	b.Refuse("a mirror that is there", fault.Conflict, b.Change(again[1]))
	twice := b.Pair(p.ID, relationship.BlockedBy, q.ID)
	b.Refuse("one side twice", fault.Conflict, b.Change(twice[0], twice[1], twice[0]))
}

func acknowledgedIsVisible(b *bench.Bench) {
	for range 20 {
		p := b.Create()
		p.Title, p.Revision = "Changed", 2
		b.Do(store.UpdateProblem{Problem: p})
		b.Equal("the problem", p, b.Load(p.ID, 0).Problem)
	}
}

func acknowledgedAfterReopening(b *bench.Bench) {
	_, change := steps.OneOfEach(b)
	b.Commit(change)
	before := b.Image()
	b.Reopen()
	b.Equal("what is stored", before, b.Image())
}

func batchCommittedTwice(b *bench.Bench) {
	_, change := steps.OneOfEach(b)
	first := b.Commit(change)
	b.Create()
	before := b.Image()
	b.Equal("the second Receipt", first, b.Commit(change))
	b.Equal("what is stored", before, b.Image())
}

func eachEffectCommittedTwice(b *bench.Bench) {
	p := b.Create()
	changes := []store.Change{b.Change()}
	changes[0].Log = []problem.LogEntry{b.Entry(p.ID)}
	_, whole := steps.OneOfEach(b)
	for _, effect := range whole.Effects {
		changes = append(changes, b.Change(effect))
	}
	for _, change := range changes {
		first := b.Commit(change)
		before := b.Image()
		b.Equal("the second Receipt of "+bench.Describe(change), first, b.Commit(change))
		b.Equal("what is stored after that", before, b.Image())
	}
}

func repeatedAfterItCameTrue(b *bench.Bench) {
	p := b.Create()
	next := p
	next.Revision = 2
	change := b.Change(store.UpdateProblem{Problem: next})
	change.Expect = []store.Expectation{b.At(p.ID)}
	first := b.Commit(change)
	b.Equal("the second Receipt", first, b.Commit(change))
}

func otherContent(b *bench.Bench) {
	p := b.Create()
	change := b.Change(store.AddComment{Problem: p.ID, Comment: b.Comment("first")})
	first := b.Commit(change)
	change.Effects = []store.Effect{store.AddComment{Problem: p.ID, Comment: b.Comment("second")}}
	change.Log = []problem.LogEntry{b.Entry(p.ID)}
	before := b.Image()
	b.Equal("the second Receipt", first, b.Commit(change))
	b.Equal("what is stored", before, b.Image())
}

func batchCommittedAtOnce(b *bench.Bench) {
	p := b.Create()
	for range 10 {
		change := b.Change(store.AddComment{Problem: p.ID, Comment: b.Comment("once")})
		receipts := make([]store.Receipt, 8)
		b.Together(len(receipts), func(i int) (err error) {
			receipts[i], err = b.Store.Commit(b.Ctx, change)
			return err
		})
		for _, r := range receipts {
			b.Equal("a Receipt", receipts[0], r)
		}
	}
	b.Equal("the number of comments", 10, len(b.Load(p.ID, snapshot.Comments).Comments))
}

func batchCommittedBeforeReopening(b *bench.Bench) {
	p := b.Create()
	change := b.Change(store.AddComment{Problem: p.ID, Comment: b.Comment("once")})
	first := b.Commit(change)
	b.Reopen()
	before := b.Image()
	b.Equal("the second Receipt", first, b.Commit(change))
	b.Equal("what is stored", before, b.Image())
}

func unknownEffect(b *bench.Bench) {
	p := b.Create()
	known := store.Watch{Problem: p.ID, User: b.ID()}
	for _, unknown := range []store.Effect{bench.UnknownEffect{}, bench.UnknownEffect{Effect: known}, nil} {
		b.Refuse("an unknown effect", fault.Unsupported, b.Change(unknown))
		b.Refuse("an unknown effect before a known one", fault.Unsupported, b.Change(unknown, known))
		b.Refuse("an unknown effect after a known one", fault.Unsupported, b.Change(known, unknown))
	}
}

func unknownExpectation(b *bench.Bench) {
	p := b.Create()
	change := b.Change(store.Watch{Problem: p.ID, User: b.ID()})
	known := b.At(p.ID)
	for _, unknown := range []store.Expectation{bench.UnknownExpectation{}, bench.UnknownExpectation{Expectation: known}, nil} {
		for _, expect := range [][]store.Expectation{{unknown}, {unknown, known}, {known, unknown}} {
			change.Expect = expect
			b.Refuse("an unknown expectation", fault.Unsupported, change)
		}
	}
}

func positionsAscend(b *bench.Bench) {
	last := int64(0)
	for range 20 {
		last = above(b, last)
	}
}

func positionsAscendAfterReopening(b *bench.Bench) {
	last := above(b, above(b, 0))
	b.Do(store.Expire{Before: b.Now()}) // later than the Change's own batch
	b.Reopen()
	above(b, last+1)
}

// above commits a Change and returns its position, which must be above last.
func above(b *bench.Bench, last int64) int64 {
	b.Helper()
	receipt := b.Do(store.CreateProblem{Problem: b.Problem(b.Reserve())})
	if receipt.Position <= last {
		b.Failf("the position %d came after %d", receipt.Position, last)
	}
	return receipt.Position
}
