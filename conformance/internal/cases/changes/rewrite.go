package changes

import (
	"slices"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// logged stores a savepoint and two log entries of the problem in one batch, with an event
// of the problem, between those of another one and of an object.
func logged(b *bench.Bench, p problem.Problem) store.Change {
	change := b.Change(store.PutSavepoint{Problem: p})
	of := b.Happening(p.ID)
	for i := range of.Lines {
		entry := b.Entry(p.ID)
		entry.Batch, entry.ID = change.Batch, of.Lines[i].ID
		change.Log = append(change.Log, entry)
	}
	change.Effects = append(change.Effects, store.Publish{Event: b.Happening(p.ID + 1)}, store.Publish{Event: of}, store.Publish{Event: b.Administered()})
	b.Commit(change)
	return change
}

// rewriting returns the effect on a savepoint and the second log entry of a Change of logged,
// and on its title.
func rewriting(p problem.Problem, change store.Change) store.Rewrite {
	saved := snapshot.Savepoint{Batch: change.Batch, Problem: p}
	saved.Title = "rewritten"
	entry := change.Log[1]
	entry.Field, entry.From, entry.To = "a ***", problem.LogText("***"), problem.LogNoValue
	return store.Rewrite{Problem: p.ID, Log: []problem.LogEntry{entry}, Savepoints: []snapshot.Savepoint{saved}, Titles: []store.BatchTitle{{Batch: change.Batch, Title: "***"}}}
}

// rewritten is what rewriting does to an entry of the feed.
func rewritten(e *event.Entry, of store.Rewrite) {
	e.Events = slices.Clone(e.Events)
	v := &e.Events[1]
	v.Title, v.Lines = of.Titles[0].Title, slices.Clone(v.Lines)
	v.Lines[1].Field, v.Lines[1].From, v.Lines[1].To = of.Log[0].Field, of.Log[0].From, of.Log[0].To
}

func rewriteTexts(b *bench.Bench) {
	p := b.Furnished()
	logged(b, b.Furnished())
	first := logged(b, p)
	logged(b, p)
	effect := rewriting(p, first)
	for range 2 { // it can be done again
		does(b, []store.Effect{effect}, func(want *bench.Image) {
			bench.Edit(want, p.ID, func(s *snapshot.Snapshot) {
				i := slices.IndexFunc(s.Log, func(l problem.LogEntry) bool { return l.ID == effect.Log[0].ID })
				s.Log[i] = effect.Log[0]
				i = slices.IndexFunc(s.Savepoints, func(saved snapshot.Savepoint) bool { return saved.Batch == first.Batch })
				s.Savepoints[i] = effect.Savepoints[0]
			})
			rewritten(&want.Feed[1], effect)
		})
	}
}

func rewriteAudit(b *bench.Bench) {
	var all []audit.Entry
	for range 3 {
		change := b.Change()
		for range 2 {
			entry := b.Audited()
			entry.Batch = change.Batch
			all = append(all, entry)
			of := b.Administered()
			of.Kind, of.Object, of.Name = entry.Kind, entry.Object, entry.Name
			of.Lines = []event.Line{{ID: entry.ID, Type: string(entry.Type), Field: entry.Field, From: entry.From, To: entry.To}}
			change.Effects = append(change.Effects, store.AppendAudit{Entry: entry}, store.Publish{Event: of})
		}
		b.Commit(change)
	}
	to := []audit.Entry{all[3], all[0]}
	for i := range to {
		to[i].Name, to[i].From, to[i].To = "rewritten", "", problem.LogText("***")
	}
	does(b, []store.Effect{store.RewriteAudit{Entries: to}}, func(want *bench.Image) {
		for i, at := range []int{3, 0} {
			want.Audit[at] = to[i]
			v := &want.Feed[at/2].Events[at%2]
			v.Name, v.Lines[0].From, v.Lines[0].To = to[i].Name, to[i].From, to[i].To
		}
	})
}

func rewriteFeed(b *bench.Bench) {
	p := b.Furnished()
	changes := []store.Change{logged(b, p), logged(b, p)}
	read := func() []event.Entry {
		entries, err := b.Store.Feed(b.Ctx, 1, 10, 1<<30)
		b.Must("Feed", err)
		return entries
	}
	want := read()
	changes, want = append(changes, logged(b, p)), append(want, event.Entry{}) // nobody has read this one
	var effects []store.Effect
	for _, change := range changes {
		effects = append(effects, rewriting(p, change))
	}
	b.Do(effects...)
	got := read()
	want[2] = changes[2].Entry()
	want[2].Number = 3
	for i := range want {
		rewritten(&want[i], effects[i].(store.Rewrite))
	}
	b.Equal("the feed", want, got)
}

func emptyReplies(b *bench.Bench) {
	who, comment := b.ID(), b.ID()
	abouts := []store.About{{}, {Problem: 1}, {Problem: 1, Comment: comment}, {Problem: 1, Comment: b.ID()}, {Problem: 2, Comment: b.ID()}}
	keys := []string{"none", "problem", "comment", "other comment", "other problem"}
	for i, about := range abouts {
		b.Do(store.KeepReply{Reply: store.Reply{User: who, Key: keys[i], Created: b.Now(), About: about, Body: []byte("body")}})
	}
	empties := func(about store.About, emptied ...string) {
		b.Helper()
		does(b, []store.Effect{store.EmptyReplies{About: about}}, func(want *bench.Image) {
			for _, key := range emptied {
				k := bench.ReplyKey{User: who, Key: key}
				reply := want.Replies[k]
				reply.Body = nil
				want.Replies[k] = reply
			}
		})
	}
	empties(store.About{Problem: 1, Comment: comment}, "comment")
	empties(store.About{Problem: 3})
	empties(store.About{Problem: 1}, "problem", "comment", "other comment")
	empties(store.About{}, "none")
}

func rewriteMissing(b *bench.Bench) {
	here, there := b.Furnished(), b.Furnished()
	effect := rewriting(there, logged(b, there))
	for what, missing := range map[string]store.Effect{
		"a log entry of another problem": store.Rewrite{Problem: here.ID, Log: effect.Log},
		"a savepoint of another problem": store.Rewrite{Problem: here.ID, Savepoints: effect.Savepoints},
		"an entry of the audit log":      store.RewriteAudit{Entries: []audit.Entry{b.Audited()}},
		"a log entry beside one":         store.Rewrite{Problem: there.ID, Log: append(slices.Clone(effect.Log), b.Entry(there.ID))},
	} {
		b.Refuse(what, fault.Conflict, b.Change(missing))
	}
}
