package changes

import (
	"fmt"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/cases/steps"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
)

// Version are about the versions of the catalogue and of the tokens.
func Version() []bench.Case {
	return []bench.Case{{
		ID:   "VER-001",
		Rule: "Versions shows every Change with a Commit returned before, inside a View and outside.",
		Run:  versionsShowChanges,
	}, {
		ID:   "VER-002",
		Rule: "The catalogue's version starts at 0 and is raised by exactly 1 by a Change with any effect on metadata or users.",
		Run:  catalogueVersionCounts,
	}, {
		ID:   "VER-002/many",
		Rule: "The catalogue's version is raised by exactly 1 by a Change with many effects on metadata and users, and also when they change nothing.",
		Run:  catalogueVersionOfLargeChange,
	}, {
		ID:   "VER-003",
		Rule: "The access version starts at 0 and is raised by exactly 1 by a Change with effects on tokens, however many.",
		Run:  accessVersionCounts,
	}, {
		ID:   "VER-002/other-effects",
		Rule: "No other effect raises a version, nor does a refused or repeated Change.",
		Run:  otherEffects,
	}, {
		ID:      "VER-001/reopened",
		Rule:    "Versions go on where they were when the store is opened again.",
		Durable: true,
		Run:     versionsAfterReopening,
	}, {
		ID:   "VER-002/at-once",
		Rule: "Concurrent Changes of metadata each raise the version by 1.",
		Run:  versionsAtOnce,
	}}
}

func versionsShowChanges(b *bench.Bench) {
	for i := range int64(10) {
		want := bench.Counting(i, i)
		b.Equal("Store.Versions", want, bench.Counts(b.Versions()))
		b.Equal("Reader.Versions", want, bench.Counts(b.Image().Versions))
		b.Do(store.PutUser{User: b.Objects().Users[0]}, store.PutToken{Token: b.Token()})
	}
}

func catalogueVersionCounts(b *bench.Bench) {
	b.Equal("the first version", int64(0), b.Versions().Catalogue.Number)
	for i, effect := range bench.PutAll(b.Objects()) {
		b.Do(effect)
		b.Equal(fmt.Sprintf("the version after %T", effect), int64(i+1), b.Versions().Catalogue.Number)
	}
}

func catalogueVersionOfLargeChange(b *bench.Bench) {
	for i := range int64(3) {
		objects, more := b.Objects(), b.Objects()
		b.Do(append(bench.PutAll(objects), bench.PutAll(more)...)...)
		b.Equal("the version after a Change with twelve effects", 2*i+1, b.Versions().Catalogue.Number)
		b.Do(bench.PutAll(objects)...)
		b.Equal("the version after the same objects again", 2*i+2, b.Versions().Catalogue.Number)
	}
	b.Equal("the access version", int64(0), b.Versions().Access.Number)
}

func accessVersionCounts(b *bench.Bench) {
	token := b.Token()
	b.Equal("the first version", int64(0), b.Versions().Access.Number)
	b.Do(store.PutToken{Token: token})
	b.Equal("the version after a token", int64(1), b.Versions().Access.Number)
	b.Do(store.PutToken{Token: b.Token()}, store.PutToken{Token: b.Token()}, store.PutToken{Token: token})
	b.Equal("the version after three tokens", int64(2), b.Versions().Access.Number)
	b.Equal("the catalogue's version", int64(0), b.Versions().Catalogue.Number)
}

func otherEffects(b *bench.Bench) {
	put := b.Change(store.PutUser{User: b.Objects().Users[0]}, store.PutToken{Token: b.Token()})
	b.Commit(put)
	p, q := b.Create(), b.Create()
	who := b.ID()
	change := b.Change(append(b.Pair(p.ID, relationship.ParentOf, q.ID),
		store.UpdateProblem{Problem: p}, store.PutSavepoint{Problem: p},
		store.AddComment{Problem: p.ID, Comment: b.Comment("text")},
		store.PutKeyword{Problem: p.ID, Keyword: problem.Keyword{Name: "name"}}, store.DropKeyword{Problem: p.ID, Name: "name"},
		store.DropRelationship{Owner: p.ID, Type: relationship.ParentOf, Other: q.ID},
		store.Watch{Problem: p.ID, User: who}, store.Unwatch{Problem: p.ID, User: who},
		store.MarkRead{Problem: p.ID, User: who, Read: true}, store.ForgetReads{Problem: p.ID, But: ident.None},
		store.KeepReply{Reply: store.Reply{User: who, Key: "key", Created: b.Now()}},
	)...)
	change.Log = []problem.LogEntry{b.Entry(p.ID)}
	b.Commit(change)
	b.Commit(put)
	bad := b.Change(store.PutUser{User: b.Objects().Users[0]}, store.PutToken{Token: b.Token()})
	bad.Expect = []store.Expectation{store.CatalogueAt{Version: ident.Version{Number: 9}}}
	if _, err := b.Store.Commit(b.Ctx, bad); err == nil {
		b.Failf("a Change was stored that expected another version")
	}
	b.Do(store.Expire{Before: b.Now()})
	steps.RuledOut(b)
	b.Equal("Versions", bench.Counting(1, 1), bench.Counts(b.Versions()))
}

func versionsAfterReopening(b *bench.Bench) {
	for i := range int64(3) {
		b.Do(store.PutUser{User: b.Objects().Users[0]}, store.PutToken{Token: b.Token()})
		b.Reopen()
		b.Equal("Versions", bench.Counting(i+1, i+1), bench.Counts(b.Versions()))
	}
}

func versionsAtOnce(b *bench.Bench) {
	const writers, rounds = 6, 5
	b.Together(writers, func(int) error {
		for range rounds {
			if _, err := b.Store.Commit(b.Ctx, b.Change(store.PutUser{User: b.Objects().Users[0]}, store.PutToken{Token: b.Token()})); err != nil {
				return fmt.Errorf("Commit: %w", err)
			}
		}
		return nil
	})
	b.Equal("Versions", bench.Counting(writers*rounds, writers*rounds), bench.Counts(b.Versions()))
	b.Equal("the number of users", writers*rounds, len(b.Image().Content.Users))
	b.Equal("the number of tokens", writers*rounds, len(b.Image().Tokens))
}
