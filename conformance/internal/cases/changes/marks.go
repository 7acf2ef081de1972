package changes

import (
	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// Marks are about read marks beyond one user with one mark.
func Marks() []bench.Case {
	return []bench.Case{{
		ID:   "READ-001/unmark-assignee",
		Rule: "MarkRead also removes the mark of the assignee, and then nothing shows the problem as read by the assignee.",
		Run:  unmarkAssignee,
	}, {
		ID:   "READ-001/forget-many",
		Rule: "ForgetReads removes the read marks of hundreds of users, and leaves the mark of the one user.",
		Run:  forgetMany,
	}, {
		ID:   "READ-001/forget-watcher",
		Rule: "ForgetReads treats watchers like all other users: it removes their read marks, and they go on watching.",
		Run:  forgetWatcher,
	}}
}

func unmarkAssignee(b *bench.Bench) {
	p := b.Furnished()
	for _, read := range []bool{true, false, false, true, false} {
		does(b, []store.Effect{store.MarkRead{Problem: p.ID, User: p.Assignee, Read: read}}, func(want *bench.Image) {
			want.Read[bench.Mark{Problem: p.ID, User: p.Assignee}] = read
			bench.Edit(want, p.ID, func(s *snapshot.Snapshot) { s.ReadByAssignee = read })
		})
		s := b.LoadAs(p.ID, p.Assignee, 0)
		b.Equal("whether the assignee has read the problem", read, s.ReadByAssignee)
		b.Equal("whether the assignee has the read mark", read, s.Read)
	}
}

func forgetMany(b *bench.Bench) {
	const many = 300
	p := b.Create()
	users := make([]ident.ID, many)
	change := b.Change()
	for i := range users {
		users[i] = b.ID()
		change.Effects = append(change.Effects, store.MarkRead{Problem: p.ID, User: users[i], Read: true})
	}
	b.Commit(change)
	b.Equal("the list of readers", users, readers(b))
	for _, i := range []int{many - 1, many / 2, 0} {
		b.Do(store.ForgetReads{Problem: p.ID, But: users[i]})
		b.Equal("the list of readers after ForgetReads", []ident.ID{users[i]}, readers(b))
		b.Commit(b.Change(change.Effects...))
	}
	b.Do(store.ForgetReads{Problem: p.ID, But: b.ID()})
	b.Equal("the list of readers after ForgetReads for a user without a mark", 0, len(readers(b)))
}

func forgetWatcher(b *bench.Bench) {
	p := b.Create()
	users := []ident.ID{b.ID(), b.ID(), b.ID(), b.ID()}
	var effects []store.Effect
	for _, user := range users {
		effects = append(effects, store.MarkRead{Problem: p.ID, User: user, Read: true})
	}
	watchers := users[1:3]
	for _, user := range watchers {
		effects = append(effects, store.Watch{Problem: p.ID, User: user})
	}
	b.Do(effects...)
	for _, but := range []ident.ID{users[1], users[0], users[2], b.ID()} {
		b.Do(effects...)
		does(b, []store.Effect{store.ForgetReads{Problem: p.ID, But: but}}, func(want *bench.Image) {
			for _, user := range users {
				want.Read[bench.Mark{Problem: p.ID, User: user}] = user == but
			}
		})
		b.Equal("the list of watchers", watchers, dossier(b).Watchers)
	}
}

// readers returns the users with a read mark on the only problem of the store.
func readers(b *bench.Bench) []ident.ID {
	b.Helper()
	return dossier(b).Readers
}

// dossier returns the dossier of the only problem of the store.
func dossier(b *bench.Bench) store.Dossier {
	b.Helper()
	held, err := b.Held()
	b.Must("View", err)
	b.Equal("the number of problems", 1, len(held.Dossiers))
	return held.Dossiers[0]
}
