package conformance

import (
	"fmt"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
)

func versionCases() []Case {
	return []Case{{
		ID:   "VER-001",
		Rule: "Versions shows every Change whose Commit returned before, inside a View and outside.",
		run: func(b *bench) {
			for i := range int64(10) {
				want := counting(i, i)
				b.equal("Store.Versions", want, counts(b.versions()))
				b.equal("Reader.Versions", want, counts(b.image().Versions))
				b.do(store.PutUser{User: b.objects().Users[0]}, store.PutToken{Token: b.token()})
			}
		},
	}, {
		ID:   "VER-002",
		Rule: "The catalogue's version starts at 0 and is raised by exactly 1 by a Change with any effect on metadata or users.",
		run: func(b *bench) {
			b.equal("the first version", int64(0), b.versions().Catalogue.Number)
			for i, effect := range putAll(b.objects()) {
				b.do(effect)
				b.equal(fmt.Sprintf("the version after %T", effect), int64(i+1), b.versions().Catalogue.Number)
			}
		},
	}, {
		ID:   "VER-002/many",
		Rule: "The catalogue's version is raised by exactly 1 by a Change with many effects on metadata and users, and also when they change nothing.",
		run: func(b *bench) {
			for i := range int64(3) {
				objects, more := b.objects(), b.objects()
				b.do(append(putAll(objects), putAll(more)...)...)
				b.equal("the version after a Change with twelve effects", 2*i+1, b.versions().Catalogue.Number)
				b.do(putAll(objects)...)
				b.equal("the version after the same objects again", 2*i+2, b.versions().Catalogue.Number)
			}
			b.equal("the access version", int64(0), b.versions().Access.Number)
		},
	}, {
		ID:   "VER-003",
		Rule: "The access version starts at 0 and is raised by exactly 1 by a Change with effects on tokens, however many.",
		run: func(b *bench) {
			token := b.token()
			b.equal("the first version", int64(0), b.versions().Access.Number)
			b.do(store.PutToken{Token: token})
			b.equal("the version after a token", int64(1), b.versions().Access.Number)
			b.do(store.PutToken{Token: b.token()}, store.PutToken{Token: b.token()}, store.PutToken{Token: token})
			b.equal("the version after three tokens", int64(2), b.versions().Access.Number)
			b.equal("the catalogue's version", int64(0), b.versions().Catalogue.Number)
		},
	}, {
		ID:   "VER-002/other-effects",
		Rule: "No other effect raises a version, nor does a Change that is refused or repeated.",
		run: func(b *bench) {
			put := b.change(store.PutUser{User: b.objects().Users[0]}, store.PutToken{Token: b.token()})
			b.commit(put)
			p, q := b.create(), b.create()
			who := b.ID()
			change := b.change(append(b.pair(p.ID, relationship.ParentOf, q.ID),
				store.UpdateProblem{Problem: p}, store.PutSavepoint{Problem: p},
				store.AddComment{Problem: p.ID, Comment: b.comment("text")},
				store.PutKeyword{Problem: p.ID, Keyword: problem.Keyword{Name: "name"}}, store.DropKeyword{Problem: p.ID, Name: "name"},
				store.DropRelationship{Owner: p.ID, Type: relationship.ParentOf, Other: q.ID},
				store.MoveFamily{Family: relationship.ParentOf}, store.Watch{Problem: p.ID, User: who}, store.Unwatch{Problem: p.ID, User: who},
				store.MarkRead{Problem: p.ID, User: who, Read: true}, store.ForgetReads{Problem: p.ID, But: ident.None},
				store.KeepReply{Reply: store.Reply{User: who, Key: "key", Created: b.Now()}},
			)...)
			change.Log = []problem.LogEntry{b.entry(p.ID)}
			b.commit(change)
			b.commit(put)
			bad := b.change(store.PutUser{User: b.objects().Users[0]}, store.PutToken{Token: b.token()})
			bad.Expect = []store.Expectation{store.CatalogueAt{Version: ident.Version{Number: 9}}}
			if _, err := b.store.Commit(b.ctx, bad); err == nil {
				b.failf("a Change was stored that expected another version")
			}
			b.do(store.Expire{Before: b.Now()})
			ruledOut(b)
			b.equal("Versions", counting(1, 1), counts(b.versions()))
		},
	}, {
		ID:      "VER-001/reopened",
		Rule:    "Versions and epochs go on where they were when the store is opened again.",
		Durable: true,
		run: func(b *bench) {
			for i := range int64(3) {
				b.do(store.PutUser{User: b.objects().Users[0]}, store.PutToken{Token: b.token()}, store.MoveFamily{Family: relationship.CauseOf})
				b.reopen()
				b.equal("Versions", counting(i+1, i+1), counts(b.versions()))
				b.equal("the epoch", i+1, b.image().Epochs[relationship.CauseOf].Number)
			}
		},
	}, {
		ID:   "VER-002/at-once",
		Rule: "Concurrent Changes of metadata each raise the version by 1.",
		run: func(b *bench) {
			const writers, rounds = 6, 5
			b.together(writers, func(int) error {
				for range rounds {
					if _, err := b.store.Commit(b.ctx, b.change(store.PutUser{User: b.objects().Users[0]}, store.PutToken{Token: b.token()})); err != nil {
						return fmt.Errorf("Commit: %w", err)
					}
				}
				return nil
			})
			b.equal("Versions", counting(writers*rounds, writers*rounds), counts(b.versions()))
			b.equal("the number of users", writers*rounds, len(b.image().Content.Users))
			b.equal("the number of tokens", writers*rounds, len(b.image().Tokens))
		},
	}}
}
