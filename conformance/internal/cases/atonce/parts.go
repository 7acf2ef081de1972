package atonce

import (
	"cmp"
	"fmt"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// Parts returns the cases about Changes of many parts, such as the statements of a
// database.
func Parts() []bench.Case {
	return []bench.Case{{
		ID:   "COM-001/whole-at-once",
		Rule: "No View shows a part of a Change with effects of many kinds, while several writers commit such Changes.",
		Run:  wholeAtOnce,
	}, {
		ID:   "COM-004/last-expectation",
		Rule: "Concurrent Changes have different true first expectations, and one last expectation. Each Change makes the last one false. One Change is stored, and the others are refused with Conflict.",
		Run:  lastExpectation,
	}, {
		ID:   "COM-004/last-effect",
		Rule: "Concurrent Changes create a problem with the same number as their last effect. One Change is stored. The others are refused with Conflict, and leave nothing.",
		Run:  lastEffect,
	}}
}

// wholeAtOnce counts the traces of equal Changes: in each View, all counts are the same.
func wholeAtOnce(b *bench.Bench) {
	const rounds = 8
	ids := []problem.ID{b.Create().ID, b.Create().ID, b.Create().ID}
	b.Do(store.PutUser{User: b.Objects().Users[0]}) // the catalogue is not at its beginning
	first := b.Versions().Catalogue.Number
	b.Alongside(bench.Writers, func(int) error {
		for range rounds {
			change := b.Change(store.PutUser{User: b.Objects().Users[0]}, store.PutToken{Token: b.Token()})
			for _, id := range ids {
				change.Effects = append(change.Effects, store.AddComment{Problem: id, Comment: b.Comment("whole")},
					store.PutKeyword{Problem: id, Keyword: problem.Keyword{Name: b.ID().String()}}, store.Watch{Problem: id, User: b.ID()})
				change.Log = append(change.Log, b.Entry(id))
			}
			change.Effects = append(change.Effects, store.AppendAudit{Entry: b.Audited()},
				store.PutQuery{Query: b.Query(b.Author)}, store.PutSession{Session: b.Session(b.Author)}, store.Publish{Event: b.Happening(ids[0])})
			if _, err := b.Store.Commit(b.Ctx, change); err != nil {
				return fmt.Errorf("Commit: %w", err)
			}
		}
		return nil
	}, func(done <-chan struct{}) {
		for {
			if err := cmp.Or(b.Going(), countsAgree(b, ids, first)); err != nil {
				b.Failf("%v", err)
			}
			select {
			case <-done:
				return
			default:
			}
		}
	})
	b.Equal("the number of comments", bench.Writers*rounds, len(b.Load(ids[0], snapshot.Comments).Comments))
	b.Must("a look at all traces", countsAgree(b, ids, first))
}

// countsAgree returns an error when one View shows more traces of one kind than of
// another. first is the version of the catalogue before them.
func countsAgree(b *bench.Bench, ids []problem.ID, first int64) error {
	return b.Store.View(b.Ctx, func(r store.Reader) error {
		want, known := 0, false
		var wrong error
		agree := func(what string, n int) {
			if !known {
				want, known = n, true
			}
			if n != want && wrong == nil {
				wrong = fmt.Errorf("a View shows %d Changes by one kind of effect, and %d by %s", want, n, what)
			}
		}
		for _, id := range ids {
			s, err := r.Problem(b.Ctx, id, ident.None, bench.Everything)
			if err != nil {
				return fmt.Errorf("Problem: %w", err)
			}
			agree("comments", len(s.Comments))
			agree("log entries", len(s.Log))
			agree("keywords", len(s.Keywords))
			agree("watchers", len(s.Watchers))
		}
		versions, err := r.Versions(b.Ctx)
		if err != nil {
			return fmt.Errorf("Versions: %w", err)
		}
		agree("the version of tokens", int(versions.Access.Number))
		agree("the version of the catalogue", int(versions.Catalogue.Number-first))
		tokens, err := r.Tokens(b.Ctx)
		if err != nil {
			return fmt.Errorf("Tokens: %w", err)
		}
		agree("tokens", len(tokens))
		entries, err := r.Audit(b.Ctx, 0, bench.MostEntries)
		if err != nil {
			return fmt.Errorf("Audit: %w", err)
		}
		agree("audit entries", len(entries))
		queries, err := r.SavedQueries(b.Ctx, ident.None)
		if err != nil {
			return fmt.Errorf("SavedQueries: %w", err)
		}
		agree("saved queries", len(queries))
		sessions, err := r.Sessions(b.Ctx, ident.None)
		if err != nil {
			return fmt.Errorf("Sessions: %w", err)
		}
		agree("sessions", len(sessions))
		return wrong
	})
}

func lastExpectation(b *bench.Bench) {
	const rounds = 6
	shared := b.Create().ID
	own := make([]store.ProblemAt, bench.Writers)
	tokens := make([]access.Token, bench.Writers)
	for i := range own {
		own[i], tokens[i] = b.At(b.Create().ID), b.Token()
	}
	author := b.ID()
	for round := range rounds {
		versions, at := b.Versions(), b.At(shared)
		next := b.Problem(shared)
		next.Revision = at.Revision + 1
		key := fmt.Sprint("key", round)
		for _, kind := range []struct {
			what   string
			expect store.Expectation
			effect func(writer int) store.Effect
		}{
			{"the catalogue", store.CatalogueAt{Version: versions.Catalogue}, func(int) store.Effect { return store.PutUser{User: b.Objects().Users[0]} }},
			{"the tokens", store.AccessAt{Version: versions.Access}, func(writer int) store.Effect { return store.PutToken{Token: tokens[writer]} }},
			{"a problem", at, func(int) store.Effect { return store.UpdateProblem{Problem: next} }},
			{"a key", store.KeyUnused{User: author, Key: key}, func(int) store.Effect {
				return store.KeepReply{Reply: store.Reply{User: author, Key: key, Created: b.Now(), Body: []byte("{}")}}
			}},
		} {
			won := b.Race(func(writer int) store.Change {
				change := b.Change(store.AddComment{Problem: own[writer].ID, Comment: b.Comment(kind.what)}, kind.effect(writer))
				change.Expect = []store.Expectation{own[writer], kind.expect}
				return change
			})
			b.Equal("the number of Changes stored that expect "+kind.what+" last", 1, len(won))
		}
	}
	comments := 0
	for _, at := range own {
		comments += len(b.Load(at.ID, snapshot.Comments).Comments)
	}
	b.Equal("the number of comments", 4*rounds, comments)
}

func lastEffect(b *bench.Bench) {
	const rounds = 8
	var stored []problem.ID
	p := b.Create()
	for range rounds {
		id := b.Reserve()
		won := b.Race(func(writer int) store.Change {
			change := b.Change(store.PutUser{User: b.Objects().Users[0]}, store.PutToken{Token: b.Token()})
			if writer%2 == 1 {
				change.Effects = nil // without effects on the catalogue and the tokens
			}
			change.Effects = append(change.Effects, store.AddComment{Problem: p.ID, Comment: b.Comment("one of them")}, store.CreateProblem{Problem: b.Problem(id)})
			change.Log = append(change.Log, b.Entry(p.ID))
			return change
		})
		b.Equal("the number of Changes stored", 1, len(won))
		stored = append(stored, id)
	}
	s := b.Load(p.ID, bench.Everything)
	b.Equal("the number of comments", rounds, len(s.Comments))
	b.Equal("the number of log entries", rounds, len(s.Log))
	for _, id := range stored {
		b.Load(id, 0)
	}
	_, err := b.Store.Commit(b.Ctx, b.Change(store.CreateProblem{Problem: b.Problem(stored[0])}))
	b.Fails("a Commit with a taken number", fault.Conflict, err)
}
