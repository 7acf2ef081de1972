package reads

import (
	"fmt"
	"math"
	"slices"
	"time"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/cases/steps"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// Read are about the parts of a problem, its neighbours, tokens, replies, and the oldest batch.
func Read() []bench.Case {
	return []bench.Case{{
		ID:   "READ-001/parts",
		Rule: "A Snapshot has the requested parts, and nil for all others.",
		Run:  onlyRequestedParts,
	}, {
		ID:   "READ-002",
		Rule: "Problem fails with ProblemNotFound for a number without a problem.",
		Run:  unknownProblem,
	}, {
		ID:   "READ-003",
		Rule: "The keywords of a problem are sorted by name, by code point.",
		Run:  keywordsSorted,
	}, {
		ID:   "READ-004",
		Rule: "The relationships of a problem are sorted by type code, then by the other problem's number.",
		Run:  relationshipsSorted,
	}, {
		ID:   "READ-005",
		Rule: "A relationship shows the title and the state of the other problem at the Snapshot's moment.",
		Run:  relationshipShowsOther,
	}, {
		ID:   "READ-006",
		Rule: "Neighbours returns all relationships of one type of the given problems, each exactly once.",
		Run:  neighboursOnce,
	}, {
		ID:   "READ-006/many",
		Rule: "Neighbours takes any number of problems, and returns each relationship exactly once.",
		Run:  manyNeighbours,
	}, {
		ID:   "READ-009",
		Rule: "Tokens returns all tokens in the order of their first put, regardless of identifiers, times and later replacements.",
		Run:  tokensInOrder,
	}, {
		ID:   "READ-010",
		Rule: "Reply returns the reply of exactly the given user and key, also when it has expired, and false when there is none.",
		Run:  replyByUserAndKey,
	}, {
		ID:   "READ-013",
		Rule: "Oldest returns the time of the oldest batch, ruling or reply not yet forgotten, and false when there is none.",
		Run:  oldestOfAll,
	}, {
		ID:   "READ-013/replaced",
		Rule: "A replaced reply no longer counts for Oldest.",
		Run:  oldestAfterReplacement,
	}}
}

func onlyRequestedParts(b *bench.Bench) {
	p := b.Furnished()
	all := b.Load(p.ID, bench.Everything)
	for parts := range bench.Everything + 1 {
		want := all
		if !parts.Has(snapshot.Keywords) {
			want.Keywords = nil
		}
		if !parts.Has(snapshot.Log) {
			want.Log = nil
		}
		if !parts.Has(snapshot.Comments) {
			want.Comments = nil
		}
		if !parts.Has(snapshot.Relationships) {
			want.Relationships = nil
		}
		if !parts.Has(snapshot.Watchers) {
			want.Watchers = nil
		}
		if !parts.Has(snapshot.Savepoints) {
			want.Savepoints = nil
		}
		if !parts.Has(snapshot.Attachments) {
			want.Attachments = nil
		}
		b.Equal(fmt.Sprintf("the Snapshot with the parts %06b", parts), want, b.Load(p.ID, parts))
	}
}

func unknownProblem(b *bench.Bench) {
	p := b.Create()
	for _, id := range []problem.ID{b.Reserve(), p.ID + 1000, 0, -1, math.MaxInt64, math.MinInt64} {
		for _, parts := range []snapshot.Parts{0, bench.Everything} {
			err := b.Store.View(b.Ctx, func(r store.Reader) error {
				_, err := r.Problem(b.Ctx, id, ident.None, parts)
				return err
			})
			b.Fails(fmt.Sprintf("Problem(%d)", id), fault.ProblemNotFound, err)
		}
	}
}

func keywordsSorted(b *bench.Bench) {
	p := b.Create()
	// UTF-16 puts U+1F600 before U+FF5E, most languages é beside e.
	want := []string{" ", "!", "1", "10", "2", "A", "B", "Z", "_", "a", "a b", "a-b", "aa", "ab", "z", "~",
		"\u00e9", "\u00df", "\u0131", "\u4e2d", "\uff5e", "\U0001f600", "\U0010ffff"}
	slices.Sort(want)
	change := b.Change()
	for i := range want {
		name := want[(i*7+3)%len(want)]
		change.Effects = append(change.Effects, store.PutKeyword{Problem: p.ID, Keyword: problem.Keyword{Name: name}})
	}
	b.Commit(change)
	var got []string
	for _, k := range b.Load(p.ID, snapshot.Keywords).Keywords {
		got = append(got, k.Name)
	}
	b.Equal("the order of keywords", want, got)
}

func relationshipsSorted(b *bench.Bench) {
	p := b.Create()
	others := make([]problem.ID, 12)
	for i := range others {
		others[i] = b.Create().ID // reaches two digits: as text, 10 sorts before 9
	}
	change := b.Change()
	for i := range others {
		for _, t := range relationship.Types() {
			change.Effects = append(change.Effects, b.Pair(p.ID, t, others[(i*5+3)%len(others)])...)
		}
	}
	b.Commit(change)
	var got, want []string
	for _, r := range b.Load(p.ID, snapshot.Relationships).Relationships {
		got = append(got, fmt.Sprint(r.Type, r.Other))
	}
	for _, t := range relationship.Types() {
		for _, other := range others {
			want = append(want, fmt.Sprint(t, other))
		}
	}
	b.Equal("the order of relationships", want, got)
}

func relationshipShowsOther(b *bench.Bench) {
	p, q := b.Create(), b.Create()
	b.Do(b.Pair(p.ID, relationship.ChildOf, q.ID)...)
	b.Do(b.Pair(p.ID, relationship.RelatedTo, q.ID)...)
	for range 3 {
		for _, r := range b.Load(p.ID, snapshot.Relationships).Relationships {
			b.Equal("the other title", q.Title, r.OtherTitle)
			b.Equal("the other state", q.State, r.OtherState)
		}
		q.Title, q.State = q.Title+"!", b.ID()
		b.Do(store.UpdateProblem{Problem: q})
	}
	b.Equal("the number of relationships", 2, len(b.Load(p.ID, snapshot.Relationships).Relationships))
}

func neighboursOnce(b *bench.Bench) {
	p, q, r := b.Create(), b.Create(), b.Create()
	b.Do(b.Pair(p.ID, relationship.ParentOf, q.ID)...)
	b.Do(b.Pair(p.ID, relationship.ParentOf, r.ID)...)
	b.Do(b.Pair(q.ID, relationship.ParentOf, r.ID)...)
	b.Do(b.Pair(p.ID, relationship.BlockerOf, r.ID)...)
	unknown := b.Reserve()
	for _, want := range []struct {
		t      relationship.Type
		owners []problem.ID
		pairs  []string
	}{
		{relationship.ParentOf, []problem.ID{p.ID}, []string{arrow(p, q), arrow(p, r)}},
		{relationship.ParentOf, []problem.ID{p.ID, q.ID}, []string{arrow(p, q), arrow(p, r), arrow(q, r)}},
		{relationship.ParentOf, []problem.ID{q.ID, p.ID, q.ID, p.ID}, []string{arrow(p, q), arrow(p, r), arrow(q, r)}},
		{relationship.ChildOf, []problem.ID{p.ID, q.ID, r.ID}, []string{arrow(q, p), arrow(r, p), arrow(r, q)}},
		{relationship.BlockerOf, []problem.ID{p.ID, q.ID, r.ID}, []string{arrow(p, r)}},
		{relationship.ParentOf, []problem.ID{r.ID}, nil},
		{relationship.CauseOf, []problem.ID{p.ID, q.ID, r.ID}, nil},
		{relationship.ParentOf, []problem.ID{unknown, -1, 0}, nil},
		{relationship.ParentOf, []problem.ID{unknown, q.ID}, []string{arrow(q, r)}},
		{relationship.ParentOf, nil, nil},
	} {
		b.Equal(fmt.Sprintf("the list of neighbours %s of %v", want.t, want.owners), want.pairs, neighbours(b, want.t, want.owners))
	}
}

func manyNeighbours(b *bench.Bench) {
	const many = 60
	first := b.Create()
	want := make([]string, many)
	for i := range want {
		q := b.Create()
		b.Do(b.Pair(q.ID, relationship.ClonedFrom, first.ID)...)
		want[i] = arrow(q, first)
	}
	asked := make([]problem.ID, 40_000) // more than a statement of SQLite takes parameters
	for i := range asked {
		asked[i] = first.ID + problem.ID(i)
	}
	b.Equal("the list of neighbours", want, neighbours(b, relationship.ClonedFrom, asked))
}

func tokensInOrder(b *bench.Bench) {
	want := make([]access.Token, 6)
	for i, id := range b.Backwards(len(want)) {
		want[i] = b.Token()
		want[i].ID = id
	}
	b.Do(store.PutToken{Token: want[0]}, store.PutToken{Token: want[1]}, store.PutToken{Token: want[2]})
	b.Do(store.PutToken{Token: want[3]})
	b.Do(store.PutToken{Token: want[4]}, store.PutToken{Token: want[5]})
	b.Equal("the tokens", want, b.Image().Tokens)
	for _, i := range []int{4, 0, 2} {
		want[i].Revoked, want[i].Scope = b.Now(), access.Read
		b.Do(store.PutToken{Token: want[i]})
	}
	b.Equal("the tokens, some of them replaced", want, b.Image().Tokens)
}

func replyByUserAndKey(b *bench.Bench) {
	who, other := b.ID(), b.ID()
	first := store.Reply{User: who, Key: "key", Fingerprint: bench.Fingerprint(1), Created: b.Now(), Body: []byte("first")}
	b.Seen.Keys[bench.ReplyKey{User: who, Key: "key"}] = true
	for _, none := range []bench.ReplyKey{{User: who, Key: "KEY"}, {User: who, Key: "key "}, {User: other, Key: "key"}, {User: ident.None, Key: "key"}} {
		b.Seen.Keys[none] = true
	}
	b.Equal("the replies of an empty store", map[bench.ReplyKey]store.Reply{}, b.Image().Replies)
	b.Do(store.KeepReply{Reply: first})
	b.Equal("the replies", map[bench.ReplyKey]store.Reply{{User: who, Key: "key"}: first}, b.Image().Replies)
	second := store.Reply{User: who, Key: "key", Fingerprint: bench.Fingerprint(2), Created: first.Created.AddDate(0, 0, 2), Body: []byte("second")}
	change := b.Change(store.KeepReply{Reply: second})
	change.Expect = []store.Expectation{store.KeyUnused{User: who, Key: "key", Since: second.Created.AddDate(0, 0, -1)}}
	b.Commit(change)
	b.Equal("the replies after the first expired", map[bench.ReplyKey]store.Reply{{User: who, Key: "key"}: second}, b.Image().Replies)
}

func oldestOfAll(b *bench.Bench) {
	if at, ok := steps.Oldest(b); ok {
		b.Failf("the oldest of an empty store is from %s", at)
	}
	now := b.Now()
	ago := func(hours int) time.Time { return now.Add(-time.Duration(hours)*time.Hour + 7*time.Millisecond) }
	expect := func(what string, want time.Time) {
		b.Helper()
		at, ok := steps.Oldest(b)
		b.Equal("whether there is an oldest "+what, true, ok)
		b.Equal("the time of the oldest "+what, want, at)
	}
	old := steps.Probe(b)
	old.At = ago(3)
	b.Commit(old)
	expect("after a Commit", ago(3))
	if _, _, err := b.Store.Outcome(b.Ctx, b.ID(), ago(4)); err != nil {
		b.Must("Outcome", err)
	}
	expect("after a ruling", ago(4))
	keep := b.Change(store.KeepReply{Reply: store.Reply{User: b.ID(), Key: "key", Created: ago(5), Body: []byte("body")}})
	b.Commit(keep)
	expect("after a reply", ago(5))
	if _, _, err := b.Store.Outcome(b.Ctx, old.Batch, ago(6)); err != nil {
		b.Must("Outcome", err)
	}
	expect("after an Outcome that ruled nothing", ago(5))
	// Each forgets everything up to the time of the one before.
	for _, step := range []struct {
		before, want time.Time
	}{
		{ago(5), ago(5)},
		{ago(5).Add(time.Millisecond), ago(4)},
		{ago(4).Add(time.Millisecond), ago(3)},
		{ago(3).Add(time.Millisecond), keep.At},
	} {
		b.Do(store.Expire{Before: step.before})
		expect(fmt.Sprintf("after an Expire from before %s", step.before), step.want)
	}
}

func oldestAfterReplacement(b *bench.Bench) {
	who, now := b.ID(), b.Now()
	keep := func(created time.Time) time.Time {
		change := b.Change(store.KeepReply{Reply: store.Reply{User: who, Key: "key", Created: created, Body: []byte("body")}})
		b.Commit(change)
		return change.At
	}
	first := keep(now.Add(-48 * time.Hour))
	keep(now.Add(time.Hour))
	at, ok := steps.Oldest(b)
	b.Equal("whether there is an oldest", true, ok)
	b.Equal("the time of the oldest", first, at)
}

// arrow names a relationship.
func arrow(from, to problem.Problem) string { return fmt.Sprintf("%d to %d", from.ID, to.ID) }

// neighbours returns the names of the neighbours, sorted by number.
func neighbours(b *bench.Bench, t relationship.Type, owners []problem.ID) (names []string) {
	b.Helper()
	b.View(func(r store.Reader) error {
		sides, err := r.Neighbours(b.Ctx, t, owners)
		slices.SortFunc(sides, bench.CompareSides)
		for _, side := range sides {
			if side.Type != t {
				b.Failf("a neighbour has the type %s where %s was asked for", side.Type, t)
			}
			names = append(names, fmt.Sprintf("%d to %d", side.Owner, side.Other))
		}
		return err
	})
	return names
}
