package conformance

import (
	"fmt"
	"strings"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/store"
)

// restoredCases are about what a store shows that was restored.
func restoredCases() []Case {
	return []Case{{
		ID:   "RES-002",
		Rule: "What was restored is read back as it was given, by every method and in the Archive's orders.",
		run: func(b *bench) {
			h := b.holdings(3, 4, 7, 100, 1<<31+5)
			h.Dossiers[2] = store.Dossier{Problem: h.Dossiers[2].Problem, Relationships: h.Dossiers[2].Relationships}
			b.restore(h)
			b.shows("what is stored", h)
			model := newModel()
			b.must("restoring into the model", model.Restore(b.ctx, h.archive()))
			want, err := read(b.ctx, model.now, b.seen)
			b.must("reading the model", err)
			b.equal("what is stored", want, b.image())
		},
	}, {
		ID:   "RES-002/many",
		Rule: "An Archive can have thousands of problems, and a problem thousands of things.",
		run: func(b *bench) {
			h := b.holdings()
			for _, id := range upTo(2500) {
				p := b.problem(id)
				h.Dossiers = append(h.Dossiers, store.Dossier{
					Problem:    p,
					Keywords:   []problem.Keyword{{Name: "area", Value: problem.Text("kitchen")}, {Name: "price"}},
					Log:        []problem.LogEntry{b.entry(id), b.entry(id)},
					Comments:   []problem.Comment{b.comment("a comment")},
					Watchers:   b.backwards(1),
					Readers:    b.backwards(1),
					Savepoints: []store.Savepoint{{Batch: b.ID(), Problem: p}},
				})
			}
			for i := range h.Dossiers[1:] {
				b.relate(&h.Dossiers[i], relationship.ParentOf, &h.Dossiers[i+1])
			}
			big := &h.Dossiers[1700]
			for i := range 3000 {
				big.Keywords = append(big.Keywords, problem.Keyword{Name: fmt.Sprintf("z%04d", i)})
				big.Log = append(big.Log, b.entry(big.ID))
				big.Comments = append(big.Comments, b.comment("one of many"))
				big.Watchers = append(big.Watchers, b.ID())
				big.Readers = append(big.Readers, b.ID())
			}
			b.must("Restore", b.store.Restore(b.ctx, h.archive()))
			b.shows("what is stored", h)
			b.view(func(r store.Reader) error {
				page, err := r.Dossiers(b.ctx, 0, len(h.Dossiers)+1)
				b.equal("the number of problems in a page that has room for all", len(h.Dossiers), len(page))
				return err
			})
		},
	}, {
		ID:   "RES-002/text",
		Rule: "Text of every kind is restored byte for byte, wherever it is stored.",
		run: func(b *bench) {
			h := b.holdings()
			for _, specimen := range texts() {
				text := specimen.text
				d := b.dossier(problem.ID(len(h.Dossiers) + 1))
				d.Title = text
				d.Keywords = []problem.Keyword{{Name: text, Value: problem.Text(text)}}
				for i := range d.Comments {
					d.Comments[i].Text, d.Comments[i].HTML = text, problem.Text(text)
					d.Log[i].Field, d.Log[i].From, d.Log[i].To = text, problem.LogText(text), problem.LogRef(b.ID(), text)
					d.Savepoints[i].Title = text
				}
				h.Dossiers = append(h.Dossiers, d)
				saved, audited := b.query(b.author), b.audited()
				saved.Name, saved.Predicate, saved.Sort = text, text, text
				audited.Name, audited.Field, audited.From, audited.To = text, text, problem.LogText(text), problem.LogRef(b.ID(), text)
				h.Queries, h.Audit = append(h.Queries, saved), append(h.Audit, audited)
				o := b.objects()
				o.States[0].Name, o.Priorities[0].Name, o.Classifications[0].Name = text, text, text
				o.Components[0].Name, o.Milestones[0].Name, o.Users[0].Name = text, text, text
				h.Metadata.States = append(h.Metadata.States, o.States...)
				h.Metadata.Priorities = append(h.Metadata.Priorities, o.Priorities...)
				h.Metadata.Classifications = append(h.Metadata.Classifications, o.Classifications...)
				h.Metadata.Components = append(h.Metadata.Components, o.Components...)
				h.Metadata.Milestones = append(h.Metadata.Milestones, o.Milestones...)
				h.Metadata.Users = append(h.Metadata.Users, o.Users...)
			}
			long := b.dossier(problem.ID(len(h.Dossiers) + 1))
			long.Title = strings.Repeat("\U0001f600", 1000)
			long.Keywords = []problem.Keyword{{Name: strings.Repeat("\U0001f468", 255), Value: problem.Text(strings.Repeat("v\u2028'\\", 64<<10/6))}}
			long.Comments[0].Text = strings.Repeat("0123456789abcde\n", 64<<10)
			h.Dossiers = append(h.Dossiers, long)
			b.restore(h)
			b.shows("what is stored", h)
		},
	}, {
		ID:   "RES-002/times",
		Rule: "Times are restored to the millisecond, in UTC, from year 1 to year 9999; zero times stay zero.",
		run: func(b *bench) {
			h := b.holdings()
			for i, at := range times() {
				d := b.dossier(problem.ID(i + 1))
				d.Created, d.Modified, d.Resolved = at, at, at
				d.Comments[0].Created, d.Log[0].Created = at, at
				saved := &d.Savepoints[0].Problem
				saved.Created, saved.Modified, saved.Resolved = at, at, at
				o := b.objects()
				o.Milestones[0].Created, o.Milestones[0].Start, o.Milestones[0].End = at, at, at
				token := b.token()
				token.Created, token.Expires, token.Revoked = at, at, at
				h.Dossiers = append(h.Dossiers, d)
				h.Metadata.Milestones = append(h.Metadata.Milestones, o.Milestones...)
				h.Tokens = append(h.Tokens, token)
				query, audited := b.query(b.author), b.audited()
				query.Created, audited.Created = at, at
				h.Queries, h.Audit = append(h.Queries, query), append(h.Audit, audited)
			}
			b.restore(h)
			b.shows("what is stored", h)
		},
	}, {
		ID:   "RES-002/goes-on",
		Rule: "Restored problems can be changed like any others, and what is added comes after what was restored.",
		run: func(b *bench) {
			h := b.holdings(3, 5, 1000)
			b.restore(h)
			if id := b.reserve(); id <= 1000 {
				b.failf("Reserve returned %d where problem 1000 was restored", id)
			}
			b.refuse("a problem with the number of a restored one", fault.Conflict, b.change(store.CreateProblem{Problem: b.problem(5)}))
			b.refuse("a relationship that was restored", fault.Conflict, b.change(b.pair(3, relationship.ParentOf, 5)[0]))
			stale := b.change(store.UpdateProblem{Problem: b.problem(5)})
			stale.Expect = []store.Expectation{store.ProblemAt{ID: 5, Revision: 1, Batch: b.at(5).Batch}}
			b.refuse("a Change that expects another revision", fault.Conflict, stale)

			last := int64(0)
			for age := range 3 {
				for i := range h.Dossiers {
					d := &h.Dossiers[i]
					past := history{d.Log, d.Comments, d.Savepoints}
					change := b.change()
					past.append(b, d.Problem, b.ID(), 50+age, &change) // older than what was restored
					d.Log, d.Comments, d.Savepoints = past.Log, past.Comments, past.Savepoints
					change.Expect = []store.Expectation{b.at(d.ID)}
					d.Revision++
					d.Keywords[0].Value = problem.Text(fmt.Sprint(age))
					gone := d.Watchers[0]
					d.Watchers = d.Watchers[1:]
					change.Effects = append(change.Effects, store.UpdateProblem{Problem: d.Problem},
						store.PutKeyword{Problem: d.ID, Keyword: d.Keywords[0]}, store.Unwatch{Problem: d.ID, User: gone})
					receipt := b.commit(change)
					if receipt.Position <= last {
						b.failf("the position %d came after %d", receipt.Position, last)
					}
					last = receipt.Position
				}
			}
			b.shows("what is stored", h)
		},
	}, {
		ID:   "RES-002/past",
		Rule: "A store that is empty can have a past: rulings, replies and the numbers of epochs stay what they were.",
		run: func(b *bench) {
			reply := store.Reply{User: b.ID(), Key: "key", Created: b.Now(), Body: []byte("body")}
			first := b.change(store.KeepReply{Reply: reply}, store.MoveFamily{Family: relationship.ParentOf})
			receipt := b.commit(first)
			batch := ruledOut(b)
			before := b.image()
			h := b.holdings(1, 2)
			b.restore(h)
			b.shows("what is stored", h)
			after := b.image()
			b.equal("the replies", before.Replies, after.Replies)
			b.equal("the epochs", stamped(before.Epochs, h.Batch), after.Epochs)
			b.equal("the Receipt of what was committed before", receipt, b.commit(first))
			change := b.change(store.AddComment{Problem: 1, Comment: b.comment("never")})
			change.Batch = batch
			b.refuse("a batch that was ruled out", fault.Abandoned, change)
			if next := b.do(store.AddComment{Problem: 1, Comment: b.comment("more")}); next.Position <= receipt.Position {
				b.failf("the position %d came after %d", next.Position, receipt.Position)
			}
		},
	}, {
		ID:   "RES-003",
		Rule: "After Restore the catalogue has the Archive's version, at least 1 if there are metadata or users, and the tokens have version 1 if there are any.",
		run: func(b *bench) {
			all := b.holdings(1, 2)
			users := metadata.Content{Users: all.Metadata.Users}
			for _, test := range []struct {
				what string
				h    holdings
				want store.Versions
			}{
				{"nothing", holdings{}, store.Versions{}},
				{"all", all, counting(all.Versions.Catalogue.Number, 1)},
				{"problems", holdings{Dossiers: all.Dossiers}, store.Versions{}},
				{"metadata", holdings{Metadata: all.Metadata, Versions: counting(6, 0)}, counting(6, 0)},
				{"metadata without a version", holdings{Metadata: all.Metadata}, counting(1, 0)},
				{"users", holdings{Metadata: users, Versions: counting(2, 0)}, counting(2, 0)},
				{"users without a version", holdings{Metadata: users}, counting(1, 0)},
				{"tokens", holdings{Tokens: all.Tokens}, counting(0, 1)},
				{"saved queries and an audit log", holdings{Queries: all.Queries, Audit: all.Audit}, store.Versions{}},
			} {
				fresh := b.fresh()
				fresh.restore(test.h)
				fresh.equal("Versions after an Archive with "+test.what, test.want, counts(fresh.versions()))
				fresh.shows("what is stored", test.h)
				fresh.do(store.PutUser{User: b.objects().Users[0]}, store.PutToken{Token: b.token()})
				fresh.equal("Versions after another Change", counting(test.want.Catalogue.Number+1, test.want.Access.Number+1), counts(fresh.versions()))
			}
		},
	}, {
		ID:      "RES-004",
		Rule:    "When Restore returns nil, every store opened later shows all of the Archive.",
		Durable: true,
		run: func(b *bench) {
			h := b.holdings(upTo(30)...)
			b.restore(h)
			before := b.image()
			b.reopen()
			b.shows("what is stored", h)
			b.equal("what is stored", before, b.image())
			if id := b.reserve(); id <= 30 {
				b.failf("Reserve returned %d where problem 30 was restored", id)
			}
		},
	}, {
		ID:   "ALIAS-001/restore",
		Rule: "What the caller does with the values of an Archive while and after it is restored does not show in the store.",
		run: func(b *bench) {
			h := b.holdings(1, 2, 3)
			restored := h.clone()
			overwritten := restored.interrupted(func(yielded int) error {
				if yielded > 0 {
					scribbleDossier(&restored.Dossiers[yielded-1])
				}
				return nil
			})
			b.must("Restore", b.store.Restore(b.ctx, overwritten))
			scribble(&restored.Tokens)
			scribble(&restored.Queries)
			scribble(&restored.Audit)
			scribble(&restored.Metadata.States[0].Next)
			scribble(&restored.Metadata.States)
			scribble(&restored.Metadata.Users)
			b.shows("what is stored", h)
		},
	}}
}
