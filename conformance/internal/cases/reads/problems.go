package reads

import (
	"fmt"
	"math"
	"slices"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// Problems are about reading many problems at once.
func Problems() []bench.Case {
	return []bench.Case{{
		ID:   "READ-014",
		Rule: "Problems returns the existing ones of the given problems, and no others, in the given order.",
		Run:  problemsInGivenOrder,
	}, {
		ID:   "READ-014/twice",
		Rule: "Problems returns a problem as often as its number is given, at each of these places.",
		Run:  problemsTwice,
	}, {
		ID:   "READ-014/parts",
		Rule: "Problems returns each problem as Problem does: with the requested parts and no others, as the user sees it.",
		Run:  problemsWithParts,
	}, {
		ID:   "READ-014/many",
		Rule: "Problems takes any number of problems.",
		Run:  manyProblems,
	}}
}

func problemsInGivenOrder(b *bench.Bench) {
	made := []problem.ID{2, 3, 5, 64, 1000, 1<<31 + 7}
	for _, id := range made {
		b.Do(store.CreateProblem{Problem: b.Problem(id)})
	}
	for _, asked := range [][]problem.ID{
		nil, made, {1000, 5, 64, 2, 1<<31 + 7, 3}, {64}, {4}, {0, -1, math.MinInt64, math.MaxInt64},
		{4, 64, 1, 3, 0, 1<<31 + 7, 65, -2, 2}, {math.MaxInt64, 1000, math.MinInt64, 2},
	} {
		want := slices.DeleteFunc(slices.Clone(asked), func(id problem.ID) bool { return !slices.Contains(made, id) })
		var got []problem.ID
		for _, s := range loadAll(b, asked, ident.None, 0) {
			got = append(got, s.ID)
		}
		b.Equal(fmt.Sprintf("the list of problems of %d", asked), want, got)
	}
}

func problemsWithParts(b *bench.Bench) {
	p, q, bare := b.Furnished(), b.Furnished(), b.Create()
	who := b.ID()
	b.Do(append(b.Pair(q.ID, relationship.ChildOf, bare.ID), store.Watch{Problem: q.ID, User: who},
		store.MarkRead{Problem: p.ID, User: who, Read: true}, store.MarkRead{Problem: p.ID, User: p.Assignee, Read: true},
		store.PutSavepoint{Problem: q}, store.AddComment{Problem: q.ID, Comment: b.Comment("second")})...)
	ids := []problem.ID{q.ID, p.ID, bare.ID}
	for _, as := range []ident.ID{ident.None, who} {
		for _, parts := range []snapshot.Parts{
			0, snapshot.Keywords, snapshot.Log, snapshot.Comments, snapshot.Relationships, snapshot.Watchers, snapshot.Savepoints, snapshot.Attachments,
			snapshot.Keywords | snapshot.Savepoints, bench.Everything,
		} {
			var want []snapshot.Snapshot
			b.View(func(r store.Reader) error {
				for _, id := range ids {
					s, err := r.Problem(b.Ctx, id, as, parts)
					if err != nil {
						return err
					}
					want = append(want, bench.Sorted(s))
				}
				return nil
			})
			b.Equal(fmt.Sprintf("the list of problems with the parts %06b", parts), want, loadAll(b, ids, as, parts))
		}
	}
}

func manyProblems(b *bench.Bench) {
	var want []problem.ID
	for range 5 {
		want = append(want, b.Create().ID)
	}
	asked := make([]problem.ID, 40_000) // more than a statement of SQLite takes parameters
	for i := range asked {
		asked[i] = want[0] + problem.ID(len(asked)-1-i)
	}
	slices.Reverse(want)
	var got []problem.ID
	for _, s := range loadAll(b, asked, ident.None, snapshot.Keywords) {
		got = append(got, s.ID)
	}
	b.Equal("the list of problems", want, got)
}

// problemsTwice asks for some numbers several times.
func problemsTwice(b *bench.Bench) {
	p, q := b.Furnished(), b.Furnished()
	missing := b.Reserve()
	for _, parts := range []snapshot.Parts{0, bench.Everything, bench.Everything | snapshot.IfSmall} {
		one, other := bench.Sorted(b.Load(p.ID, parts)), bench.Sorted(b.Load(q.ID, parts))
		b.Equal("the list of problems", []snapshot.Snapshot{one, one}, loadAll(b, []problem.ID{p.ID, p.ID}, ident.None, parts))
		b.Equal("the list of problems", []snapshot.Snapshot{other, one, other, one, one},
			loadAll(b, []problem.ID{q.ID, p.ID, missing, q.ID, missing, p.ID, p.ID}, ident.None, parts))
	}
}

// loadAll reads problems with the given parts, as a user.
func loadAll(b *bench.Bench, ids []problem.ID, as ident.ID, parts snapshot.Parts) (all []snapshot.Snapshot) {
	b.Helper()
	b.View(func(r store.Reader) (err error) {
		all, err = r.Problems(b.Ctx, ids, as, parts)
		return err
	})
	for i := range all {
		all[i] = bench.Sorted(all[i])
	}
	return all
}
