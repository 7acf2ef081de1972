package reads

import (
	"slices"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/query"
	"github.com/problemtracking/problems/domain/store"
)

// Query are about saved queries.
func Query() []bench.Case {
	return []bench.Case{{
		ID:   "READ-016",
		Rule: "SavedQueries returns the saved queries of a user, or of all users, in the order of their first put, regardless of identifiers, times, names and later replacements.",
		Run:  savedQueriesInOrder,
	}, {
		ID:   "READ-016/shared",
		Rule: "SavedQueries of a user has the shared ones of all others at their places, until they are not shared.",
		Run:  sharedQueries,
	}, {
		ID:   "READ-016/again",
		Rule: "A saved query put again after a drop comes after all others, as if it had never been there.",
		Run:  putAgain,
	}, {
		ID:   "READ-017",
		Rule: "SavedQuery returns the saved query of exactly the given identifier, and false when there is none.",
		Run:  savedQueryByIdentifier,
	}}
}

func savedQueriesInOrder(b *bench.Bench) {
	one, other := b.ID(), b.ID()
	want := make([]query.Saved, 7)
	for i, id := range b.Backwards(len(want)) {
		want[i] = b.Query([]ident.ID{one, other}[i%2])
		want[i].ID, want[i].Created, want[i].Shared = id, want[i].Created.AddDate(0, 0, -i), false
	}
	want[2].Name = want[0].Name // an owner may use one twice
	shows := func(what string) {
		b.Helper()
		for _, owner := range []ident.ID{ident.None, one, other, b.ID()} {
			of := slices.DeleteFunc(slices.Clone(want), func(q query.Saved) bool { return !owner.IsNone() && q.Owner != owner })
			b.Equal(what, of, savedQueries(b, owner))
		}
	}
	for _, part := range [][]query.Saved{want[:3], want[3:4], want[4:]} {
		change := b.Change()
		for _, q := range part {
			change.Effects = append(change.Effects, store.PutQuery{Query: q})
		}
		b.Commit(change)
	}
	shows("the list of saved queries")
	for _, i := range []int{4, 0, 2} {
		want[i].Name, want[i].Predicate, want[i].Sort = "Another", "watching = YES", ""
		b.Do(store.PutQuery{Query: want[i]})
	}
	shows("the list of saved queries, some of them replaced")
	b.Do(store.DropQuery{ID: want[3].ID})
	b.Do(store.DropQuery{ID: want[0].ID}, store.DropQuery{ID: want[0].ID})
	want = append(want[1:3:3], want[4:]...)
	shows("the list of saved queries, without two of them")
}

func savedQueryByIdentifier(b *bench.Bench) {
	first, second := b.Query(b.ID()), b.Query(b.ID())
	find := func(want map[ident.ID]query.Saved) {
		b.Helper()
		for _, id := range []ident.ID{first.ID, second.ID, first.Owner, b.ID(), ident.None} {
			b.View(func(r store.Reader) error {
				got, ok, err := r.SavedQuery(b.Ctx, id)
				_, there := want[id]
				b.Equal("whether there is a saved query", there, ok)
				if ok {
					b.Equal("the saved query", want[id], got)
				}
				return err
			})
		}
	}
	find(nil)
	b.Do(store.PutQuery{Query: first}, store.PutQuery{Query: second})
	find(map[ident.ID]query.Saved{first.ID: first, second.ID: second})
	second.Owner, second.Sort, second.Created = b.ID(), "", b.Now()
	b.Do(store.PutQuery{Query: second})
	find(map[ident.ID]query.Saved{first.ID: first, second.ID: second})
	b.Do(store.DropQuery{ID: first.ID})
	find(map[ident.ID]query.Saved{second.ID: second})
}

func sharedQueries(b *bench.Bench) {
	one, other := b.ID(), b.ID()
	mine, team, private, last := b.Query(one), b.Query(other), b.Query(other), b.Query(one)
	mine.Shared, private.Shared, last.Shared = false, false, false
	for _, q := range []query.Saved{mine, team, private, last} {
		b.Do(store.PutQuery{Query: q})
	}
	b.Equal("the list with a shared query of somebody else", []query.Saved{mine, team, last}, savedQueries(b, one))
	b.Equal("the list of its owner", []query.Saved{team, private}, savedQueries(b, other))
	b.Equal("the list of a user without own ones", []query.Saved{team}, savedQueries(b, b.ID()))
	team.Shared, last.Shared = false, true
	b.Do(store.PutQuery{Query: team}, store.PutQuery{Query: last})
	b.Equal("the list after one was shared, and another one not any more", []query.Saved{team, private, last}, savedQueries(b, other))
	b.Do(store.DropQuery{ID: last.ID})
	b.Equal("the list after the shared one was dropped", []query.Saved{mine}, savedQueries(b, one))
}

// putAgain drops queries and puts them again, in two Changes and in one.
func putAgain(b *bench.Bench) {
	owner := b.ID()
	want := []query.Saved{b.Query(owner), b.Query(owner), b.Query(owner), b.Query(owner)}
	for _, q := range want {
		b.Do(store.PutQuery{Query: q})
	}
	b.Do(store.DropQuery{ID: want[0].ID})
	b.Do(store.PutQuery{Query: want[0]})
	want = append(want[1:], want[0])
	b.Equal("the list after a query was dropped and then put", want, savedQueries(b, owner))
	b.Do(store.DropQuery{ID: want[1].ID}, store.PutQuery{Query: want[1]})
	want = []query.Saved{want[0], want[2], want[3], want[1]}
	b.Equal("the list after one Change dropped and put a query", want, savedQueries(b, ident.None))
}

// savedQueries reads the saved queries of a user, or of all.
func savedQueries(b *bench.Bench, owner ident.ID) (all []query.Saved) {
	b.Helper()
	b.View(func(r store.Reader) (err error) {
		all, err = r.SavedQueries(b.Ctx, owner)
		return err
	})
	return all
}
