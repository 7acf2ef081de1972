package reads

import (
	"fmt"
	"math"
	"slices"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/cases/steps"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
)

// Dossier are about the pages of Dossiers.
func Dossier() []bench.Case {
	return []bench.Case{{
		ID:   "READ-011",
		Rule: "The watchers and the readers of a dossier are in ascending order, regardless of the order of their coming and going.",
		Run:  dossierUsersAscend,
	}, {
		ID:   "READ-012",
		Rule: "Dossiers returns the problems with greater numbers in ascending order, as many as the limit allows or there are, wherever there are gaps.",
		Run:  dossiersAscend,
	}, {
		ID:   "READ-012/empty",
		Rule: "Dossiers of a store without problems are none.",
		Run:  dossiersOfEmptyStore,
	}, {
		ID:   "READ-012/parts",
		Rule: "A dossier has all parts of its problem and none of another's, as committed, on any page.",
		Run:  dossierHasAllParts,
	}, {
		ID:   "READ-012/after-changes",
		Rule: "A dossier shows the present state of its problem: fields and keywords replaced, relationships, watchers and marks gone.",
		Run:  afterChanges,
	}, {
		ID:   "VIEW-002/dossiers",
		Rule: "The pages of Dossiers in one View show one moment, despite any Commits between them.",
		Run:  dossierPagesOfOneMoment,
	}, {
		ID:   "ALIAS-001/dossiers",
		Rule: "The caller may alter the dossiers it read: the store does not show it.",
		Run:  dossiersAreCopies,
	}}
}

func dossierUsersAscend(b *bench.Bench) {
	d := store.Dossier{Problem: b.Create()}
	users := b.Backwards(8)
	for _, user := range users {
		b.Do(store.Watch{Problem: d.ID, User: user}, store.MarkRead{Problem: d.ID, User: user, Read: true})
	}
	for _, user := range users[2:5] {
		b.Do(store.Unwatch{Problem: d.ID, User: user}, store.MarkRead{Problem: d.ID, User: user})
	}
	b.Do(store.Watch{Problem: d.ID, User: users[3]}, store.MarkRead{Problem: d.ID, User: users[4], Read: true})
	slices.Reverse(users) // ascending now: the changes stay at 3, 4 and 5
	d.Watchers = slices.Concat(users[:3], users[4:5], users[6:])
	d.Readers = slices.Concat(users[:4], users[6:])
	b.Shows("the dossier", bench.Holdings{Dossiers: []store.Dossier{d}})
}

func dossiersAscend(b *bench.Bench) {
	numbers := []problem.ID{2, 3, 5, 10, 64, 65, 1000, 1<<31 + 7}
	for _, i := range []int{4, 0, 7, 2, 6, 1, 5, 3} {
		b.Do(store.CreateProblem{Problem: b.Problem(numbers[i])})
	}
	b.View(func(r store.Reader) error {
		for _, after := range append([]problem.ID{math.MinInt64, -1, 0, 1, 4, 11, 63, 999, 1 << 31, 1 << 40, math.MaxInt64}, numbers...) {
			for _, limit := range []int{1, 2, 3, 7, 8, 9, 10_000} {
				want := slices.DeleteFunc(slices.Clone(numbers), func(id problem.ID) bool { return id <= after })
				want = want[:min(limit, len(want))]
				page, err := r.Dossiers(b.Ctx, after, limit)
				if err != nil {
					return err
				}
				var got []problem.ID
				for _, d := range page {
					got = append(got, d.ID)
				}
				b.Equal(fmt.Sprintf("the list of at most %d problems after %d", limit, after), want, got)
			}
		}
		return nil
	})
}

func dossiersOfEmptyStore(b *bench.Bench) {
	b.Do(append(bench.PutAll(b.Objects()), store.PutToken{Token: b.Token()})...)
	b.View(func(r store.Reader) error {
		for _, after := range []problem.ID{-1, 0, 1} {
			page, err := r.Dossiers(b.Ctx, after, 10)
			if err != nil {
				return err
			}
			b.Equal("the list of problems", []store.Dossier(nil), page)
		}
		return nil
	})
}

func dossierHasAllParts(b *bench.Bench) {
	h := b.Holdings(1, 2, 4, 5, 6, 9, 10)
	h.Dossiers[3] = store.Dossier{Problem: h.Dossiers[3].Problem, Relationships: h.Dossiers[3].Relationships}
	for _, d := range slices.Backward(h.Dossiers) {
		for _, change := range b.Makes(d) {
			b.Commit(change)
		}
	}
	for _, d := range h.Dossiers {
		for _, side := range slices.Backward(d.Relationships) {
			b.Do(store.PutRelationship{Relationship: side})
		}
	}
	for limit := 1; limit < 9; limit++ {
		b.View(func(r store.Reader) error {
			all, err := bench.Dossiers(b.Ctx, r, limit)
			b.Equal(fmt.Sprintf("the list of dossiers by %d", limit), h.Dossiers, all)
			return err
		})
	}
}

func afterChanges(b *bench.Bench) {
	h := b.Holdings(1, 2)
	for _, d := range h.Dossiers {
		for _, change := range b.Makes(d) {
			b.Commit(change)
		}
	}
	b.Do(b.Pair(1, relationship.CauseOf, 2)...)
	d := &h.Dossiers[0]
	d.Problem = b.Problem(1)
	d.Revision++
	d.Keywords = slices.Delete(d.Keywords, 1, 2)
	d.Keywords[0].Value = problem.Text("cellar")
	b.Do(
		store.UpdateProblem{Problem: d.Problem},
		store.PutKeyword{Problem: 1, Keyword: d.Keywords[0]}, store.DropKeyword{Problem: 1, Name: "empty"},
		store.DropRelationship{Owner: 1, Type: relationship.CauseOf, Other: 2},
		store.DropRelationship{Owner: 2, Type: relationship.CausedBy, Other: 1},
		store.Unwatch{Problem: 1, User: d.Watchers[1]}, store.ForgetReads{Problem: 1, But: d.Readers[1]},
	)
	d.Watchers, d.Readers = slices.Delete(d.Watchers, 1, 2), d.Readers[1:2]
	h.Dossiers[0].Relationships, h.Dossiers[1].Relationships = nil, nil
	b.Shows("the list of dossiers", bench.Holdings{Dossiers: h.Dossiers})
}

func dossierPagesOfOneMoment(b *bench.Bench) {
	h := b.Holdings(10, 20, 30, 40)
	for i := range h.Dossiers {
		h.Dossiers[i].Relationships = nil
		for _, change := range b.Makes(h.Dossiers[i]) {
			b.Commit(change)
		}
	}
	b.View(func(r store.Reader) error {
		first, err := r.Dossiers(b.Ctx, 0, 1)
		if err != nil {
			return err
		}
		for _, d := range h.Dossiers {
			p := b.Problem(d.ID)
			change := b.Change(
				store.CreateProblem{Problem: b.Problem(d.ID + 1)}, store.UpdateProblem{Problem: p}, store.PutSavepoint{Problem: p},
				store.AddComment{Problem: d.ID, Comment: b.Comment("more")}, store.DropKeyword{Problem: d.ID, Name: "empty"},
				store.Watch{Problem: d.ID, User: b.ID()}, store.MarkRead{Problem: d.ID, User: b.ID(), Read: true})
			change.Effects = append(change.Effects, b.Pair(d.ID, relationship.CauseOf, d.ID+1)...)
			change.Log = []problem.LogEntry{b.Entry(d.ID)}
			b.Commit(change)
		}
		rest, err := r.Dossiers(b.Ctx, 10, 100)
		b.Equal("the list of dossiers", h.Dossiers, append(first, rest...))
		return err
	})
}

func dossiersAreCopies(b *bench.Bench) {
	h := b.Holdings(1, 2)
	b.Restore(h)
	b.View(func(r store.Reader) error {
		page, err := r.Dossiers(b.Ctx, 0, 2)
		for i := range page {
			steps.ScribbleDossier(&page[i])
		}
		if err != nil {
			return err
		}
		again, err := r.Dossiers(b.Ctx, 0, 2)
		b.Equal("what the same View shows", h.Dossiers, again)
		return err
	})
	b.Shows("what is stored", h)
}
