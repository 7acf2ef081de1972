package moving

import (
	"fmt"
	"strings"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/cases/steps"
	"github.com/problemtracking/problems/conformance/internal/model"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// Restored are about what a store shows that was restored.
func Restored() []bench.Case {
	return []bench.Case{{
		ID:   "RES-002",
		Rule: "The content of the Archive is read back as it was given, by every method and in the Archive's orders.",
		Run:  restoredIsReadBack,
	}, {
		ID:   "RES-002/many",
		Rule: "An Archive can have thousands of problems, and a problem thousands of things.",
		Run:  restoreMany,
	}, {
		ID:   "RES-002/text",
		Rule: "Text of every kind is restored byte for byte, wherever it is stored.",
		Run:  restoreText,
	}, {
		ID:   "RES-002/times",
		Rule: "Times are restored to the millisecond, in UTC, from year 1 to year 9999; zero times stay zero.",
		Run:  restoreTimes,
	}, {
		ID:   "RES-002/goes-on",
		Rule: "Restored problems can be changed like any others, and additions come after the restored parts.",
		Run:  goesOn,
	}, {
		ID:   "RES-002/past",
		Rule: "An empty store can have a past: Restore leaves its rulings and replies as they are.",
		Run:  pastOfEmptyStore,
	}, {
		ID:   "RES-003",
		Rule: "After Restore the catalogue has the Archive's version, at least 1 if there are metadata or users, and the tokens have version 1 if there are any.",
		Run:  restoredVersions,
	}, {
		ID:      "RES-004",
		Rule:    "When Restore returns nil, every store opened later shows all of the Archive.",
		Durable: true,
		Run:     restoredAfterReopening,
	}, {
		ID:   "ALIAS-001/restore",
		Rule: "The caller may alter the values of an Archive during and after Restore: the store does not show it.",
		Run:  callerChangesArchive,
	}}
}

func restoredIsReadBack(b *bench.Bench) {
	h := b.Holdings(3, 4, 7, 100, 1<<31+5)
	h.Dossiers[2] = store.Dossier{Problem: h.Dossiers[2].Problem, Relationships: h.Dossiers[2].Relationships}
	b.Restore(h)
	b.Shows("what is stored", h)
	model := model.NewModel()
	b.Must("restoring into the model", model.Restore(b.Ctx, h.Archive()))
	want, err := bench.Read(b.Ctx, model.Now, b.Seen)
	b.Must("reading the model", err)
	b.Equal("what is stored", want, b.Image())
}

func restoreMany(b *bench.Bench) {
	h := b.Holdings()
	for _, id := range bench.UpTo(2500) {
		p := b.Problem(id)
		h.Dossiers = append(h.Dossiers, store.Dossier{
			Problem:    p,
			Keywords:   []problem.Keyword{{Name: "area", Value: problem.Text("kitchen")}, {Name: "price"}},
			Log:        []problem.LogEntry{b.Entry(id), b.Entry(id)},
			Comments:   []problem.Comment{b.Comment("a comment")},
			Watchers:   b.Backwards(1),
			Readers:    b.Backwards(1),
			Savepoints: []snapshot.Savepoint{{Batch: b.ID(), Problem: p}},
		})
	}
	for i := range h.Dossiers[1:] {
		b.Relate(&h.Dossiers[i], relationship.ParentOf, &h.Dossiers[i+1])
	}
	big := &h.Dossiers[1700]
	for i := range 3000 {
		big.Keywords = append(big.Keywords, problem.Keyword{Name: fmt.Sprintf("z%04d", i)})
		big.Log = append(big.Log, b.Entry(big.ID))
		big.Comments = append(big.Comments, b.Comment("one of many"))
		big.Watchers = append(big.Watchers, b.ID())
		big.Readers = append(big.Readers, b.ID())
	}
	b.Must("Restore", b.Store.Restore(b.Ctx, h.Archive()))
	b.Shows("what is stored", h)
	b.View(func(r store.Reader) error {
		page, err := r.Dossiers(b.Ctx, 0, len(h.Dossiers)+1)
		b.Equal("the number of problems in a page that has room for all", len(h.Dossiers), len(page))
		return err
	})
}

func restoreText(b *bench.Bench) {
	h := b.Holdings()
	for _, specimen := range bench.Texts() {
		text := specimen.Text
		d := b.Dossier(problem.ID(len(h.Dossiers) + 1))
		d.Title = text
		d.Keywords = []problem.Keyword{{Name: text, Value: problem.Text(text)}}
		for i := range d.Comments {
			d.Comments[i].Text, d.Comments[i].HTML = text, problem.Text(text)
			d.Log[i].Field, d.Log[i].From, d.Log[i].To = text, problem.LogText(text), problem.LogRef(b.ID(), text)
			d.Savepoints[i].Title = text
		}
		h.Dossiers = append(h.Dossiers, d)
		saved, audited := b.Query(b.Author), b.Audited()
		saved.Name, saved.Predicate, saved.Sort = text, text, text
		audited.Name, audited.Field, audited.From, audited.To = text, text, problem.LogText(text), problem.LogRef(b.ID(), text)
		h.Queries, h.Audit = append(h.Queries, saved), append(h.Audit, audited)
		o := b.Objects()
		o.States[0].Name, o.Priorities[0].Name, o.Classifications[0].Name = text, text, text
		o.Components[0].Name, o.Milestones[0].Name, o.Users[0].Name = text, text, text
		h.Metadata.States = append(h.Metadata.States, o.States...)
		h.Metadata.Priorities = append(h.Metadata.Priorities, o.Priorities...)
		h.Metadata.Classifications = append(h.Metadata.Classifications, o.Classifications...)
		h.Metadata.Components = append(h.Metadata.Components, o.Components...)
		h.Metadata.Milestones = append(h.Metadata.Milestones, o.Milestones...)
		h.Metadata.Users = append(h.Metadata.Users, o.Users...)
	}
	long := b.Dossier(problem.ID(len(h.Dossiers) + 1))
	long.Title = strings.Repeat("\U0001f600", 1000)
	long.Keywords = []problem.Keyword{{Name: strings.Repeat("\U0001f468", 255), Value: problem.Text(strings.Repeat("v\u2028'\\", 64<<10/6))}}
	long.Comments[0].Text = strings.Repeat("0123456789abcde\n", 64<<10)
	h.Dossiers = append(h.Dossiers, long)
	b.Restore(h)
	b.Shows("what is stored", h)
}

func restoreTimes(b *bench.Bench) {
	h := b.Holdings()
	for i, at := range bench.Times() {
		d := b.Dossier(problem.ID(i + 1))
		d.Created, d.Modified, d.Resolved = at, at, at
		d.Comments[0].Created, d.Log[0].Created = at, at
		saved := &d.Savepoints[0].Problem
		saved.Created, saved.Modified, saved.Resolved = at, at, at
		o := b.Objects()
		o.Milestones[0].Created, o.Milestones[0].Start, o.Milestones[0].End = at, at, at
		token := b.Token()
		token.Created, token.Expires, token.Revoked = at, at, at
		h.Dossiers = append(h.Dossiers, d)
		h.Metadata.Milestones = append(h.Metadata.Milestones, o.Milestones...)
		h.Tokens = append(h.Tokens, token)
		query, audited := b.Query(b.Author), b.Audited()
		query.Created, audited.Created = at, at
		h.Queries, h.Audit = append(h.Queries, query), append(h.Audit, audited)
	}
	b.Restore(h)
	b.Shows("what is stored", h)
}

func goesOn(b *bench.Bench) {
	h := b.Holdings(3, 5, 1000)
	b.Restore(h)
	if id := b.Reserve(); id <= 1000 {
		b.Failf("Reserve returned %d where problem 1000 was restored", id)
	}
	b.Refuse("a problem with the number of a restored one", fault.Conflict, b.Change(store.CreateProblem{Problem: b.Problem(5)}))
	b.Refuse("a relationship that was restored", fault.Conflict, b.Change(b.Pair(3, relationship.ParentOf, 5)[0]))
	stale := b.Change(store.UpdateProblem{Problem: b.Problem(5)})
	stale.Expect = []store.Expectation{store.ProblemAt{ID: 5, Revision: 1, Batch: b.At(5).Batch}}
	b.Refuse("a Change that expects another revision", fault.Conflict, stale)

	last := int64(0)
	for age := range 3 {
		for i := range h.Dossiers {
			d := &h.Dossiers[i]
			past := bench.History{Log: d.Log, Comments: d.Comments, Savepoints: d.Savepoints, Attachments: d.Attachments}
			change := b.Change()
			past.Append(b, d.Problem, b.ID(), 50+age, &change) // older than what was restored
			d.Log, d.Comments, d.Savepoints, d.Attachments = past.Log, past.Comments, past.Savepoints, past.Attachments
			change.Expect = []store.Expectation{b.At(d.ID)}
			d.Revision++
			d.Keywords[0].Value = problem.Text(fmt.Sprint(age))
			gone := d.Watchers[0]
			d.Watchers = d.Watchers[1:]
			change.Effects = append(change.Effects, store.UpdateProblem{Problem: d.Problem},
				store.PutKeyword{Problem: d.ID, Keyword: d.Keywords[0]}, store.Unwatch{Problem: d.ID, User: gone})
			receipt := b.Commit(change)
			if receipt.Position <= last {
				b.Failf("the position %d came after %d", receipt.Position, last)
			}
			last = receipt.Position
		}
	}
	b.Shows("what is stored", h)
}

func pastOfEmptyStore(b *bench.Bench) {
	reply := store.Reply{User: b.ID(), Key: "key", Created: b.Now(), Body: []byte("body")}
	first := b.Change(store.KeepReply{Reply: reply})
	receipt := b.Commit(first)
	batch := steps.RuledOut(b)
	before := b.Image()
	h := b.Holdings(1, 2)
	b.Restore(h)
	b.Shows("what is stored", h)
	after := b.Image()
	b.Equal("the replies", before.Replies, after.Replies)
	b.Equal("the Receipt of what was committed before", receipt, b.Commit(first))
	change := b.Change(store.AddComment{Problem: 1, Comment: b.Comment("never")})
	change.Batch = batch
	b.Refuse("a batch that was ruled out", fault.Abandoned, change)
	if next := b.Do(store.AddComment{Problem: 1, Comment: b.Comment("more")}); next.Position <= receipt.Position {
		b.Failf("the position %d came after %d", next.Position, receipt.Position)
	}
}

func restoredVersions(b *bench.Bench) {
	all := b.Holdings(1, 2)
	users := metadata.Content{Users: all.Metadata.Users}
	for _, test := range []struct {
		what string
		h    bench.Holdings
		want store.Versions
	}{
		{"nothing", bench.Holdings{}, store.Versions{}},
		{"all", all, bench.Counting(all.Versions.Catalogue.Number, 1)},
		{"problems", bench.Holdings{Dossiers: all.Dossiers}, store.Versions{}},
		{"metadata", bench.Holdings{Metadata: all.Metadata, Versions: bench.Counting(6, 0)}, bench.Counting(6, 0)},
		{"metadata without a version", bench.Holdings{Metadata: all.Metadata}, bench.Counting(1, 0)},
		{"users", bench.Holdings{Metadata: users, Versions: bench.Counting(2, 0)}, bench.Counting(2, 0)},
		{"users without a version", bench.Holdings{Metadata: users}, bench.Counting(1, 0)},
		{"tokens", bench.Holdings{Tokens: all.Tokens}, bench.Counting(0, 1)},
		{"saved queries and an audit log", bench.Holdings{Queries: all.Queries, Audit: all.Audit}, store.Versions{}},
	} {
		fresh := b.Fresh()
		fresh.Restore(test.h)
		fresh.Equal("Versions after an Archive with "+test.what, test.want, bench.Counts(fresh.Versions()))
		fresh.Shows("what is stored", test.h)
		fresh.Do(store.PutUser{User: b.Objects().Users[0]}, store.PutToken{Token: b.Token()})
		fresh.Equal("Versions after another Change", bench.Counting(test.want.Catalogue.Number+1, test.want.Access.Number+1), bench.Counts(fresh.Versions()))
	}
}

func restoredAfterReopening(b *bench.Bench) {
	h := b.Holdings(bench.UpTo(30)...)
	b.Restore(h)
	before := b.Image()
	b.Reopen()
	b.Shows("what is stored", h)
	b.Equal("what is stored", before, b.Image())
	if id := b.Reserve(); id <= 30 {
		b.Failf("Reserve returned %d where problem 30 was restored", id)
	}
}

func callerChangesArchive(b *bench.Bench) {
	h := b.Holdings(1, 2, 3)
	restored := h.Clone()
	overwritten := restored.Interrupted(func(yielded int) error {
		if yielded > 0 {
			steps.ScribbleDossier(&restored.Dossiers[yielded-1])
		}
		return nil
	})
	b.Must("Restore", b.Store.Restore(b.Ctx, overwritten))
	steps.Scribble(&restored.Tokens)
	steps.Scribble(&restored.Queries)
	steps.Scribble(&restored.Webhooks[0].Types)
	steps.Scribble(&restored.Webhooks[0].Progress.Deliveries)
	steps.Scribble(&restored.Webhooks)
	steps.Scribble(&restored.Audit)
	steps.Scribble(&restored.Metadata.States[0].Next)
	steps.Scribble(&restored.Metadata.States)
	steps.Scribble(&restored.Metadata.Users)
	b.Shows("what is stored", h)
}
