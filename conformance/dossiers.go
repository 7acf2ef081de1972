package conformance

import (
	"fmt"
	"math"
	"slices"

	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
)

func dossierCases() []Case {
	return []Case{{
		ID:   "READ-011",
		Rule: "The watchers and the readers of a dossier are in ascending order, whatever the order in which they came and went.",
		run: func(b *bench) {
			d := store.Dossier{Problem: b.create()}
			users := b.backwards(8)
			for _, user := range users {
				b.do(store.Watch{Problem: d.ID, User: user}, store.MarkRead{Problem: d.ID, User: user, Read: true})
			}
			for _, user := range users[2:5] {
				b.do(store.Unwatch{Problem: d.ID, User: user}, store.MarkRead{Problem: d.ID, User: user})
			}
			b.do(store.Watch{Problem: d.ID, User: users[3]}, store.MarkRead{Problem: d.ID, User: users[4], Read: true})
			slices.Reverse(users) // ascending now, so that what stayed away is at 3, 4 and 5
			d.Watchers = slices.Concat(users[:3], users[4:5], users[6:])
			d.Readers = slices.Concat(users[:4], users[6:])
			b.shows("the dossier", holdings{Dossiers: []store.Dossier{d}})
		},
	}, {
		ID:   "READ-012",
		Rule: "Dossiers returns the problems with greater numbers in ascending order, as many as the limit allows or there are, wherever there are gaps.",
		run: func(b *bench) {
			numbers := []problem.ID{2, 3, 5, 10, 64, 65, 1000, 1<<31 + 7}
			for _, i := range []int{4, 0, 7, 2, 6, 1, 5, 3} {
				b.do(store.CreateProblem{Problem: b.problem(numbers[i])})
			}
			b.view(func(r store.Reader) error {
				for _, after := range append([]problem.ID{math.MinInt64, -1, 0, 1, 4, 11, 63, 999, 1 << 31, 1 << 40, math.MaxInt64}, numbers...) {
					for _, limit := range []int{1, 2, 3, 7, 8, 9, 10_000} {
						want := slices.DeleteFunc(slices.Clone(numbers), func(id problem.ID) bool { return id <= after })
						want = want[:min(limit, len(want))]
						page, err := r.Dossiers(b.ctx, after, limit)
						if err != nil {
							return err
						}
						var got []problem.ID
						for _, d := range page {
							got = append(got, d.ID)
						}
						b.equal(fmt.Sprintf("the list of at most %d problems after %d", limit, after), want, got)
					}
				}
				return nil
			})
		},
	}, {
		ID:   "READ-012/empty",
		Rule: "Dossiers of a store without problems are none.",
		run: func(b *bench) {
			b.do(append(putAll(b.objects()), store.PutToken{Token: b.token()})...)
			b.view(func(r store.Reader) error {
				for _, after := range []problem.ID{-1, 0, 1} {
					page, err := r.Dossiers(b.ctx, after, 10)
					if err != nil {
						return err
					}
					b.equal("the list of problems", []store.Dossier(nil), page)
				}
				return nil
			})
		},
	}, {
		ID:   "READ-012/parts",
		Rule: "A dossier has all that belongs to its problem and nothing of another's, as it was committed, whatever page it comes on.",
		run: func(b *bench) {
			h := b.holdings(1, 2, 4, 5, 6, 9, 10)
			h.Dossiers[3] = store.Dossier{Problem: h.Dossiers[3].Problem, Relationships: h.Dossiers[3].Relationships}
			for _, d := range slices.Backward(h.Dossiers) {
				for _, change := range b.makes(d) {
					b.commit(change)
				}
			}
			for _, d := range h.Dossiers {
				for _, side := range slices.Backward(d.Relationships) {
					b.do(store.PutRelationship{Relationship: side})
				}
			}
			for limit := 1; limit < 9; limit++ {
				b.view(func(r store.Reader) error {
					all, err := dossiers(b.ctx, r, limit)
					b.equal(fmt.Sprintf("the list of dossiers by %d", limit), h.Dossiers, all)
					return err
				})
			}
		},
	}, {
		ID:   "READ-012/after-changes",
		Rule: "A dossier shows what has become of its problem: fields and keywords replaced, relationships, watchers and marks gone.",
		run: func(b *bench) {
			h := b.holdings(1, 2)
			for _, d := range h.Dossiers {
				for _, change := range b.makes(d) {
					b.commit(change)
				}
			}
			b.do(b.pair(1, relationship.CauseOf, 2)...)
			d := &h.Dossiers[0]
			d.Problem = b.problem(1)
			d.Revision++
			d.Keywords = slices.Delete(d.Keywords, 1, 2)
			d.Keywords[0].Value = problem.Text("cellar")
			b.do(
				store.UpdateProblem{Problem: d.Problem},
				store.PutKeyword{Problem: 1, Keyword: d.Keywords[0]}, store.DropKeyword{Problem: 1, Name: "empty"},
				store.DropRelationship{Owner: 1, Type: relationship.CauseOf, Other: 2},
				store.DropRelationship{Owner: 2, Type: relationship.CausedBy, Other: 1},
				store.Unwatch{Problem: 1, User: d.Watchers[1]}, store.ForgetReads{Problem: 1, But: d.Readers[1]},
			)
			d.Watchers, d.Readers = slices.Delete(d.Watchers, 1, 2), d.Readers[1:2]
			h.Dossiers[0].Relationships, h.Dossiers[1].Relationships = nil, nil
			b.shows("the list of dossiers", holdings{Dossiers: h.Dossiers})
		},
	}, {
		ID:   "VIEW-002/dossiers",
		Rule: "The pages of Dossiers in one View show one moment, whatever is committed between them.",
		run: func(b *bench) {
			h := b.holdings(10, 20, 30, 40)
			for i := range h.Dossiers {
				h.Dossiers[i].Relationships = nil
				for _, change := range b.makes(h.Dossiers[i]) {
					b.commit(change)
				}
			}
			b.view(func(r store.Reader) error {
				first, err := r.Dossiers(b.ctx, 0, 1)
				if err != nil {
					return err
				}
				for _, d := range h.Dossiers {
					p := b.problem(d.ID)
					change := b.change(
						store.CreateProblem{Problem: b.problem(d.ID + 1)}, store.UpdateProblem{Problem: p}, store.PutSavepoint{Problem: p},
						store.AddComment{Problem: d.ID, Comment: b.comment("more")}, store.DropKeyword{Problem: d.ID, Name: "empty"},
						store.Watch{Problem: d.ID, User: b.ID()}, store.MarkRead{Problem: d.ID, User: b.ID(), Read: true})
					change.Effects = append(change.Effects, b.pair(d.ID, relationship.CauseOf, d.ID+1)...)
					change.Log = []problem.LogEntry{b.entry(d.ID)}
					b.commit(change)
				}
				rest, err := r.Dossiers(b.ctx, 10, 100)
				b.equal("the list of dossiers", h.Dossiers, append(first, rest...))
				return err
			})
		},
	}, {
		ID:   "ALIAS-001/dossiers",
		Rule: "What the caller does to the dossiers that he got does not show in the store.",
		run: func(b *bench) {
			h := b.holdings(1, 2)
			b.restore(h)
			b.view(func(r store.Reader) error {
				page, err := r.Dossiers(b.ctx, 0, 2)
				for i := range page {
					scribbleDossier(&page[i])
				}
				if err != nil {
					return err
				}
				again, err := r.Dossiers(b.ctx, 0, 2)
				b.equal("what the same View shows", h.Dossiers, again)
				return err
			})
			b.shows("what is stored", h)
		},
	}}
}
