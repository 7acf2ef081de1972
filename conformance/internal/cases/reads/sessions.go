package reads

import (
	"slices"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
)

// Session are about the sessions of the client application.
func Session() []bench.Case {
	return []bench.Case{{
		ID:   "READ-023",
		Rule: "Sessions returns the sessions of a user, or of all, in the order of their first put, regardless of identifiers, times and later replacements.",
		Run:  sessionsInOrder,
	}, {
		ID:   "READ-024",
		Rule: "SessionWith returns the session of exactly the given digest, with all its members, and false when there is none.",
		Run:  sessionByDigest,
	}}
}

func sessionsInOrder(b *bench.Bench) {
	one, other := b.ID(), b.ID()
	want := make([]access.Session, 7)
	for i, id := range b.Backwards(len(want)) {
		want[i] = b.Session([]ident.ID{one, other}[i%2])
		want[i].ID, want[i].Created = id, want[i].Created.AddDate(0, 0, -i)
		want[i].Digest[0] = byte(i)
	}
	shows := func(what string) {
		b.Helper()
		for _, user := range []ident.ID{ident.None, one, other, b.ID()} {
			of := slices.DeleteFunc(slices.Clone(want), func(s access.Session) bool { return !user.IsNone() && s.User != user })
			b.View(func(r store.Reader) error {
				got, err := r.Sessions(b.Ctx, user)
				b.Equal(what, of, got)
				return err
			})
		}
	}
	for _, part := range [][]access.Session{want[:3], want[3:4], want[4:]} {
		change := b.Change()
		for _, s := range part {
			change.Effects = append(change.Effects, store.PutSession{Session: s})
		}
		b.Commit(change)
	}
	shows("the list of sessions")
	for _, i := range []int{4, 0, 2} {
		want[i].Expires, want[i].Scope, want[i].Token = b.Now(), access.Read, ident.None
		b.Do(store.PutSession{Session: want[i]})
	}
	shows("the list of sessions, some of them replaced")
	b.Do(store.DropSession{ID: want[3].ID})
	b.Do(store.DropSession{ID: want[0].ID}, store.DropSession{ID: want[0].ID})
	want = append(want[1:3:3], want[4:]...)
	shows("the list of sessions, without two of them")
}

func sessionByDigest(b *bench.Bench) {
	first, second := b.Session(b.Author), b.Session(b.Author)
	second.Agent, second.Token = "", ident.None
	unlike := first.Digest
	unlike[31]++
	find := func(want ...access.Session) {
		b.Helper()
		lookUp(b, "session", []access.Digest{first.Digest, second.Digest, unlike, {}}, want, func(s access.Session) access.Digest { return s.Digest }, store.Reader.SessionWith)
	}
	find()
	b.Do(store.PutSession{Session: first}, store.PutSession{Session: second})
	find(first, second)
	b.Do(store.DropSession{ID: first.ID})
	find(second)
}
