package conformance

import (
	"fmt"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
)

func commitCases() []Case {
	return []Case{{
		ID:   "COM-001/refused-effect",
		Rule: "A Change with an effect that is refused stores nothing of itself, wherever that effect stands; its batch stays free.",
		run: func(b *bench) {
			taken, change := oneOfEach(b)
			whole := change.Effects
			for i := range len(whole) + 1 {
				change.Effects = append(append(whole[:i:i], store.CreateProblem{Problem: taken}), whole[i:]...)
				b.refuse("a Change that creates an existing problem", fault.Conflict, change)
			}
			change.Effects = whole
			before := b.image()
			b.commit(change)
			if difference(before, b.image()) == "" {
				b.failf("the Change without the refused effect was not stored under the same batch")
			}
		},
	}, {
		ID:   "COM-001/refused-expectation",
		Rule: "A Change with an expectation that does not hold stores nothing of itself; its batch stays free.",
		run: func(b *bench) {
			_, change := oneOfEach(b)
			change.Expect = []store.Expectation{store.StoreEmpty{}}
			b.refuse("a Change that expects an empty store", fault.Conflict, change)
			change.Expect = nil
			before := b.image()
			b.commit(change)
			if difference(before, b.image()) == "" {
				b.failf("the Change without the expectation was not stored under the same batch")
			}
		},
	}, {
		ID:   "COM-001/many-effects",
		Rule: "A Change can have thousands of effects and log entries, all of which are stored.",
		run: func(b *bench) {
			const many = 1000
			p := b.create()
			want := store.Snapshot{Problem: p, Batch: b.at(p.ID).Batch}
			change := b.change()
			for i := range many {
				keyword := problem.Keyword{Name: fmt.Sprintf("%04d", i), Value: problem.Text("value")}
				comment, entry := b.comment("text"), b.entry(p.ID)
				change.Effects = append(change.Effects,
					store.PutKeyword{Problem: p.ID, Keyword: keyword}, store.AddComment{Problem: p.ID, Comment: comment})
				change.Log = append(change.Log, entry)
				want.Keywords = append(want.Keywords, keyword)
				want.Comments = append(want.Comments, comment)
				want.Log = append(want.Log, entry)
			}
			b.commit(change)
			b.equal("the problem", want, b.load(p.ID, everything))
		},
	}, {
		ID:   "COM-001/at-once",
		Rule: "Of concurrent Changes, those that are refused leave nothing, and take nothing from those that are not.",
		run: func(b *bench) {
			const rounds = 10
			p := b.create()
			b.together(writers, func(who int) error {
				for range rounds {
					good := b.change(store.AddComment{Problem: p.ID, Comment: b.comment("good")}, store.PutUser{User: b.objects().Users[0]})
					if _, err := b.store.Commit(b.ctx, good); err != nil {
						return fmt.Errorf("Commit: %w", err)
					}
					refused, kind := store.Effect(store.CreateProblem{Problem: p}), fault.Conflict
					if who%2 == 0 {
						refused, kind = struct{ store.Effect }{}, fault.Unsupported
					}
					bad := b.change(store.AddComment{Problem: p.ID, Comment: b.comment("bad")}, store.PutUser{User: b.objects().Users[0]}, refused)
					_, err := b.store.Commit(b.ctx, bad)
					if err := failure("the Commit of a Change with such an effect", kind, err); err != nil {
						return err
					}
				}
				return nil
			})
			comments := b.load(p.ID, store.Comments).Comments
			b.equal("the number of comments", writers*rounds, len(comments))
			for _, c := range comments {
				b.equal("a comment", "good", c.Text)
			}
			b.equal("the number of users", writers*rounds, len(b.image().Content.Users))
			b.equal("the version of the catalogue", int64(writers*rounds), b.versions().Catalogue.Number)
		},
	}, {
		ID:   "COM-002/number-taken",
		Rule: "CreateProblem is refused with Conflict when its number is taken, also by the same Change.",
		run: func(b *bench) {
			p := b.create()
			b.refuse("a problem with the number of another", fault.Conflict, b.change(store.CreateProblem{Problem: b.problem(p.ID)}))
			id := b.reserve()
			b.refuse("two problems with one number", fault.Conflict, b.change(
				store.CreateProblem{Problem: b.problem(id)}, store.CreateProblem{Problem: b.problem(id)}))
		},
	}, {
		ID:   "COM-002/update-without-problem",
		Rule: "UpdateProblem is refused with Conflict when there is no such problem: it never creates one, nor is it lost in silence.",
		run: func(b *bench) {
			b.refuse("an update of nothing", fault.Conflict, b.change(store.UpdateProblem{Problem: b.problem(b.reserve())}))
		},
	}, {
		ID:   "COM-002/relationship-taken",
		Rule: "PutRelationship is refused with Conflict when the owner has a relationship of that type to the other problem, also by the same Change.",
		run: func(b *bench) {
			p, q := b.create(), b.create()
			b.do(b.pair(p.ID, relationship.ParentOf, q.ID)...)
			again := b.pair(p.ID, relationship.ParentOf, q.ID)
			b.refuse("a side that is there", fault.Conflict, b.change(again[0]))
			b.refuse("a mirror that is there", fault.Conflict, b.change(again[1]))
			twice := b.pair(p.ID, relationship.BlockedBy, q.ID)
			b.refuse("one side twice", fault.Conflict, b.change(twice[0], twice[1], twice[0]))
		},
	}, {
		ID:   "COM-003",
		Rule: "When Commit returns nil, every later View shows the Change.",
		run: func(b *bench) {
			for range 20 {
				p := b.create()
				p.Title, p.Revision = "Changed", 2
				b.do(store.UpdateProblem{Problem: p})
				b.equal("the problem", p, b.load(p.ID, 0).Problem)
			}
		},
	}, {
		ID:      "COM-003/reopened",
		Rule:    "When Commit returns nil, every store opened later shows the Change.",
		Durable: true,
		run: func(b *bench) {
			_, change := oneOfEach(b)
			b.commit(change)
			before := b.image()
			b.reopen()
			b.equal("what is stored", before, b.image())
		},
	}, {
		ID:   "COM-005",
		Rule: "A Commit whose Batch was committed before changes nothing and returns the first Receipt.",
		run: func(b *bench) {
			_, change := oneOfEach(b)
			first := b.commit(change)
			b.create()
			before := b.image()
			b.equal("the second Receipt", first, b.commit(change))
			b.equal("what is stored", before, b.image())
		},
	}, {
		ID:   "COM-005/alone",
		Rule: "That holds whatever a Change consists of: each effect by itself, or nothing but log entries.",
		run: func(b *bench) {
			p := b.create()
			changes := []store.Change{b.change()}
			changes[0].Log = []problem.LogEntry{b.entry(p.ID)}
			_, whole := oneOfEach(b)
			for _, effect := range whole.Effects {
				changes = append(changes, b.change(effect))
			}
			for _, change := range changes {
				first := b.commit(change)
				before := b.image()
				b.equal("the second Receipt of "+describe(change), first, b.commit(change))
				b.equal("what is stored after that", before, b.image())
			}
		},
	}, {
		ID:   "COM-005/stale",
		Rule: "A repeated Commit returns the first Receipt even though its expectations no longer hold, having come true.",
		run: func(b *bench) {
			p := b.create()
			next := p
			next.Revision = 2
			change := b.change(store.UpdateProblem{Problem: next})
			change.Expect = []store.Expectation{b.at(p.ID)}
			first := b.commit(change)
			b.equal("the second Receipt", first, b.commit(change))
		},
	}, {
		ID:   "COM-005/other-content",
		Rule: "A Commit whose Batch was committed before changes nothing, whatever else it says.",
		run: func(b *bench) {
			p := b.create()
			change := b.change(store.AddComment{Problem: p.ID, Comment: b.comment("first")})
			first := b.commit(change)
			change.Effects = []store.Effect{store.AddComment{Problem: p.ID, Comment: b.comment("second")}}
			change.Log = []problem.LogEntry{b.entry(p.ID)}
			before := b.image()
			b.equal("the second Receipt", first, b.commit(change))
			b.equal("what is stored", before, b.image())
		},
	}, {
		ID:   "COM-005/at-once",
		Rule: "Of several concurrent Commits of one Batch one acts, and all return its Receipt.",
		run: func(b *bench) {
			p := b.create()
			for range 10 {
				change := b.change(store.AddComment{Problem: p.ID, Comment: b.comment("once")})
				receipts := make([]store.Receipt, 8)
				b.together(len(receipts), func(i int) (err error) {
					receipts[i], err = b.store.Commit(b.ctx, change)
					return err
				})
				for _, r := range receipts {
					b.equal("a Receipt", receipts[0], r)
				}
			}
			b.equal("the number of comments", 10, len(b.load(p.ID, store.Comments).Comments))
		},
	}, {
		ID:      "COM-005/reopened",
		Rule:    "A Commit whose Batch was committed before the store was opened again changes nothing and returns the first Receipt.",
		Durable: true,
		run: func(b *bench) {
			p := b.create()
			change := b.change(store.AddComment{Problem: p.ID, Comment: b.comment("once")})
			first := b.commit(change)
			b.reopen()
			before := b.image()
			b.equal("the second Receipt", first, b.commit(change))
			b.equal("what is stored", before, b.image())
		},
	}, {
		ID:   "COM-007/effect",
		Rule: "An effect that the store does not know is refused with Unsupported, wherever it stands, and nothing is stored.",
		run: func(b *bench) {
			p := b.create()
			known := store.Watch{Problem: p.ID, User: b.ID()}
			for _, unknown := range []store.Effect{unknownEffect{}, unknownEffect{known}, nil} {
				b.refuse("an unknown effect", fault.Unsupported, b.change(unknown))
				b.refuse("an unknown effect before a known one", fault.Unsupported, b.change(unknown, known))
				b.refuse("an unknown effect after a known one", fault.Unsupported, b.change(known, unknown))
			}
		},
	}, {
		ID:   "COM-007/expectation",
		Rule: "An expectation that the store does not know is refused with Unsupported, and nothing is stored.",
		run: func(b *bench) {
			p := b.create()
			change := b.change(store.Watch{Problem: p.ID, User: b.ID()})
			known := b.at(p.ID)
			for _, unknown := range []store.Expectation{unknownExpectation{}, unknownExpectation{known}, nil} {
				for _, expect := range [][]store.Expectation{{unknown}, {unknown, known}, {known, unknown}} {
					change.Expect = expect
					b.refuse("an unknown expectation", fault.Unsupported, change)
				}
			}
		},
	}, {
		ID:   "COM-011",
		Rule: "A Receipt's Position is at least 1 and greater than that of every Change whose Commit has returned before.",
		run: func(b *bench) {
			last := int64(0)
			for range 20 {
				last = above(b, last)
			}
		},
	}, {
		ID:      "COM-011/reopened",
		Rule:    "A Receipt's Position is greater than that of every Change committed before the store was opened again, forgotten ones included.",
		Durable: true,
		run: func(b *bench) {
			last := above(b, above(b, 0))
			b.do(store.Expire{Before: b.Now()}) // not the Change's own batch, which is later
			b.reopen()
			above(b, last+1)
		},
	}}
}

// above commits a Change and returns its position, which has to be above last.
func above(b *bench, last int64) int64 {
	b.Helper()
	receipt := b.do(store.CreateProblem{Problem: b.problem(b.reserve())})
	if receipt.Position <= last {
		b.failf("the position %d came after %d", receipt.Position, last)
	}
	return receipt.Position
}

// oneOfEach fills the store and returns an existing problem and a Change, yet to
// be committed, with one effect of each type, each of which changes something,
// and with log entries.
func oneOfEach(b *bench) (problem.Problem, store.Change) {
	b.Helper()
	p, q := b.create(), b.create()
	watcher, reader, user := b.ID(), b.ID(), b.ID()
	dropped, replaced := b.query(user), b.query(user)
	expired := store.Reply{User: user, Key: "old", Created: b.Now(), Body: []byte("old")}
	b.do(append(b.pair(p.ID, relationship.CauseOf, q.ID),
		store.PutKeyword{Problem: p.ID, Keyword: problem.Keyword{Name: "dropped", Value: problem.Text("yes")}},
		store.Watch{Problem: p.ID, User: watcher},
		store.MarkRead{Problem: p.ID, User: reader, Read: true},
		store.MarkRead{Problem: q.ID, User: reader, Read: true},
		store.KeepReply{Reply: expired},
		store.PutQuery{Query: dropped}, store.PutQuery{Query: replaced}, store.PutQuery{Query: b.query(user)},
		store.AppendAudit{Entry: b.audited()},
	)...)
	replaced.Name = "Replaced"
	created := b.problem(b.reserve())
	updated := b.problem(p.ID)
	updated.Revision = 2
	objects := b.objects()
	change := b.change(append(b.pair(p.ID, relationship.BlockerOf, q.ID),
		store.CreateProblem{Problem: created},
		store.UpdateProblem{Problem: updated},
		store.PutSavepoint{Problem: updated},
		store.AddComment{Problem: p.ID, Comment: b.comment("a comment")},
		store.PutKeyword{Problem: p.ID, Keyword: problem.Keyword{Name: "put", Value: problem.Text("yes")}},
		store.DropKeyword{Problem: p.ID, Name: "dropped"},
		store.DropRelationship{Owner: p.ID, Type: relationship.CauseOf, Other: q.ID},
		store.DropRelationship{Owner: q.ID, Type: relationship.CausedBy, Other: p.ID},
		store.MoveFamily{Family: relationship.BlockerOf},
		store.Watch{Problem: p.ID, User: b.ID()},
		store.Unwatch{Problem: p.ID, User: watcher},
		store.MarkRead{Problem: p.ID, User: b.ID(), Read: true},
		store.MarkRead{Problem: p.ID, User: reader, Read: false},
		store.ForgetReads{Problem: q.ID, But: b.ID()},
		store.PutState{State: objects.States[0]},
		store.PutPriority{Priority: objects.Priorities[0]},
		store.PutClassification{Classification: objects.Classifications[0]},
		store.PutComponent{Component: objects.Components[0]},
		store.PutMilestone{Milestone: objects.Milestones[0]},
		store.PutUser{User: objects.Users[0]},
		store.PutToken{Token: b.token()},
		store.AppendAudit{Entry: b.audited()},
		store.PutQuery{Query: b.query(b.ID())},
		store.PutQuery{Query: replaced},
		store.DropQuery{ID: dropped.ID},
		store.KeepReply{Reply: store.Reply{User: user, Key: "new", Created: b.Now(), Body: []byte("new")}},
		store.Expire{Before: expired.Created.Add(1)},
	)...)
	change.Log = []problem.LogEntry{b.entry(p.ID), b.entry(q.ID), b.entry(created.ID)}
	return p, change
}
