package conformance

import (
	"slices"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

func findCases() []Case {
	about := func(what, rule string, findings func() []finding) Case {
		return Case{ID: "FIND-001/" + what, Rule: rule, run: func(b *bench) { findsAll(b, findings()) }}
	}
	return []Case{
		about("documented", "Search finds what the documented queries of clients mean.", documentedFindings),
		about("fields", "Search compares what a problem has once: nil equals nil alone, is in no order, and NOT is the exact complement.", fieldFindings),
		about("text", "Search compares text by code point, and with [c], [d] and [cd] as the domain folds it; patterns match the whole text.", textFindings),
		about("parts", "Search finds by what belongs to a problem: ANY, ALL, NONE, SUBQUERY, and what is made of collections.", partFindings),
		about("residual", "Search finds by what a database cannot compute as the domain does, alone and beside what it can.", residualFindings),
		{
			ID:   "FIND-001/caller",
			Rule: "Search sees the marks of the user who asks, and nobody else's.",
			run: func(b *bench) {
				x := exhibitsOf(b)
				b.restore(x.holdings)
				for _, test := range []struct {
					as        ident.ID
					predicate string
					want      []problem.ID
				}{
					{x.bo, `watching = YES`, these(1, 2)},
					{x.cy, `watching = YES`, these(5)},
					{ident.None, `watching = YES`, nil},
					{x.bo, `read = NO AND state.resolved = NO AND assignee.identifier = $ApiUser`, these(5)},
					{x.cy, `read = YES`, these(8)},
					{x.cy, `readByAssignee = YES`, these(1, 3, 8)},
					{b.ID(), `NOT (read = YES OR watching = YES)`, without()},
					{x.bo, `SUBQUERY(relationships, $r, $r.child.watching = YES AND $r.child.read = YES).@count > 0`, these(1, 5)},
				} {
					finds(b, asked{predicate: test.predicate, as: test.as}, test.want...)
				}
				b.equal("the order", these(3, 5, 8, 13, 1, 2), numbers(search(b, asked{sort: "watching", as: x.bo})))
			},
		},
		{
			ID:   "FIND-001/changed",
			Rule: "Search finds by what Changes have made of problems, and no longer by what was before.",
			run:  checkFindChanged,
		},
		{
			ID:   "FIND-002",
			Rule: "Hits are in the query's order: nil first whichever way it is sorted, text by code point, identifiers by their bytes; those that are level by their numbers.",
			run: func(b *bench) {
				x := exhibitsOf(b)
				b.restore(x.holdings)
				seeks(b, func(s seeker) error {
					for _, test := range sortings() {
						a := asked{sort: test.sort, as: x.ann}
						hits, err := s.search(a)
						if err != nil {
							return err
						}
						b.equal("the list of "+a.String()+"\n", test.want, numbers(hits))
						a.predicate = notThree
						if hits, err = s.search(a); err != nil {
							return err
						}
						b.equal("the list of "+a.String()+"\n", butThree(test.want), numbers(hits))
					}
					return nil
				})
			},
		},
		{
			ID:   "FIND-003",
			Rule: "A hit has its problem's revision, and the values that it is sorted by.",
			run: func(b *bench) {
				x := exhibitsOf(b)
				b.restore(x.holdings)
				hits := search(b, asked{predicate: "identifier IN {3, 5}", sort: "resolveDate,-title,watching,priority.order,state.identifier,identifier", as: x.cy})
				b.equal("the hits", []store.Hit{
					{ID: 5, Revision: 7, Keys: []predicate.Value{nil, "\u00c9clair \u00fcber alles", true, int64(1), x.open, int64(5)}},
					{ID: 3, Revision: 2, Keys: []predicate.Value{on(12), "Crash", false, nil, x.closed, int64(3)}},
				}, hits)
			},
		},
		{
			ID:   "FIND-003/pages",
			Rule: "Search finds no more than its limit, and after a hit what comes behind it: pages of any size make up the whole.",
			run: func(b *bench) {
				x := exhibitsOf(b)
				b.restore(x.holdings)
				seeks(b, func(s seeker) error {
					for i, test := range sortings() {
						for _, size := range []int{1, 4, 2 + i%6} {
							a, want := asked{sort: test.sort, as: x.ann, limit: size}, test.want
							if (i+size)%2 == 0 {
								a.predicate, want = notThree, butThree(want)
							}
							if err := pages(b, s, a, want); err != nil {
								return err
							}
						}
					}
					return nil
				})
			},
		},
		{
			ID:   "FIND-003/moved",
			Rule: "What a hit was found by is a place of its own, wherever its problem has gone since.",
			run: func(b *bench) {
				x := exhibitsOf(b)
				b.restore(x.holdings)
				page := search(b, asked{sort: "-title", as: x.ann, limit: 2}) // 5 and 8
				moved := x.Dossiers[4].Problem
				moved.Title, moved.Revision = "Zebra", 2
				b.do(store.UpdateProblem{Problem: moved})
				finds(b, asked{sort: "-title", as: x.ann, after: &page[1]}, 2, 8, 3, 1, 13)
				for id, want := range map[problem.ID][]problem.ID{0: these(1, 2, 5, 8, 13, 3), 4: these(5, 8, 13, 3), 13: these(3), 1000: these(3)} {
					finds(b, asked{sort: "resolveDate", as: x.ann, after: &store.Hit{ID: id, Keys: []predicate.Value{nil}}}, want...)
				}
				finds(b, asked{as: x.ann, after: &store.Hit{ID: 4}, limit: 2}, 5, 8)
			},
		},
		{
			ID:   "FIND-004",
			Rule: "Search fails with QueryTooExpensive when more than MostCandidates satisfy what a database can decide and something is left to be looked at, however many are wanted, and never otherwise.",
			run:  checkFindCandidates,
		},
		{
			ID:   "FIND-005",
			Rule: "When the context ends before Search has looked, or while it looks, it fails with Unavailable, or has found everything already.",
			run:  checkFindEnds,
		},
		{
			ID:   "FIND-005/long",
			Rule: "Search ends soon after its context, however long the texts are and what it looks for in them, and finds the same as in short ones.",
			run:  checkFindLong,
		},
	}
}

// findsAll ends the case unless Ann finds among the exhibits what there is to find.
func findsAll(b *bench, all []finding) {
	b.Helper()
	x := exhibitsOf(b)
	b.restore(x.holdings)
	seeks(b, func(s seeker) error {
		for _, f := range all {
			a := asked{predicate: f.predicate, as: x.ann}
			hits, err := s.search(a)
			if err != nil {
				return err
			}
			b.equal("the list of "+a.String()+"\n", f.want, numbers(hits))
		}
		return nil
	})
}

// notThree is a predicate of which a part is residual, that all exhibits satisfy but
// problem 3.
const notThree = `identifier > 0 AND length(title) > 6`

func butThree(all []problem.ID) []problem.ID {
	return slices.DeleteFunc(slices.Clone(all), func(id problem.ID) bool { return id == 3 })
}

// pages ends the case unless the pages of a query make up the whole.
func pages(b *bench, s seeker, a asked, want []problem.ID) error {
	b.Helper()
	for {
		page, err := s.search(a)
		if err != nil {
			return err
		}
		size := min(a.limit, len(want))
		b.equal("the page of "+a.String()+"\n", want[:size], numbers(page))
		if size == 0 {
			return nil
		}
		want, a.after = want[size:], &page[size-1]
	}
}

// checkFindChanged searches after each of several Changes.
func checkFindChanged(b *bench) {
	x := exhibitsOf(b)
	b.restore(x.holdings)
	finds := func(predicate string, want ...problem.ID) {
		b.Helper()
		finds(b, asked{predicate: predicate, as: x.ann}, want...)
	}
	p := x.Dossiers[0].Problem
	p.Title, p.State, p.Assignee, p.Revision = "\u00c4nderung 'x'", x.closed, x.bo, 5
	saved := p
	b.do(store.UpdateProblem{Problem: p}, store.PutSavepoint{Problem: saved})
	finds(`title CONTAINS[c] 'api'`, 2)
	finds("title BEGINSWITH[cd] 'ANDER'", 1)
	finds(`state.resolved = YES`, 1, 3)
	finds(`ANY history.title =[c] "\u00e4NDERUNG 'X'"`, 1)
	finds(`readByAssignee = YES`, 3, 8)
	b.do(store.PutKeyword{Problem: 1, Keyword: problem.Keyword{Name: "area", Value: problem.Text("CELLAR")}}, store.DropKeyword{Problem: 2, Name: "AREA"})
	finds(`ANY keywords.value =[c] 'cellar'`, 1)
	finds(`ANY keywords.value =[c] 'kitchen'`)
	finds(`keywords.@count = 0`, 2, 3, 8, 13)
	b.do(store.AddComment{Problem: 13, Comment: b.comment("GR\u00dcSSE")}, store.Watch{Problem: 13, User: x.ann}, store.Unwatch{Problem: 1, User: x.ann},
		store.MarkRead{Problem: 8, User: x.ann, Read: true}, store.ForgetReads{Problem: 3, But: x.bo})
	finds("ANY comments.text =[cd] 'grusse'", 13)
	finds(`watching = YES`, 13)
	finds(`read = YES`, 1, 8)
	b.do(store.DropRelationship{Owner: 2, Type: "ParentOf", Other: 5}, store.DropRelationship{Owner: 5, Type: "ChildOf", Other: 2})
	finds(`ANY relationships.type IN {'ParentOf', 'ChildOf'}`, 5, 8)
	created := x.Dossiers[1].Problem
	created.ID, created.Title = 21, "API of SAUSAGES"
	entry := b.entry(21)
	entry.Author = x.cy
	change := b.change(store.CreateProblem{Problem: created})
	change.Log = []problem.LogEntry{entry}
	b.commit(change)
	finds(`title CONTAINS[c] 'sausage'`, 21)
	finds(`ANY logs.author.name = 'Cy'`, 5, 21)
	renamed := x.Metadata.Users[2]
	renamed.Name = "Cyril"
	b.do(store.PutUser{User: renamed})
	finds(`assignee.name BEGINSWITH 'Cyr' OR ANY logs.author.name = 'Cyril'`, 5, 8, 21)
}

// checkFindCandidates searches among as many problems as can be looked at one by one,
// and among one more.
func checkFindCandidates(b *bench) {
	who, state := b.ID(), b.objects().States[0]
	h := holdings{Batch: b.ID(), Metadata: metadata.Content{States: []metadata.State{state}}}
	for _, id := range upTo(store.MostCandidates) {
		h.Dossiers = append(h.Dossiers, store.Dossier{Problem: problem.Problem{
			ID: id, Fields: problem.Fields{Title: "x", State: state.ID}, Originator: who, Created: on(1), Modifier: who, Modified: on(1), Revision: 1,
		}})
	}
	b.must("Restore", b.store.Restore(b.ctx, h.archive()))
	const last = store.MostCandidates
	residual := `length(title) > 0`
	b.equal("the number of hits among as many as there may be", last, len(search(b, asked{predicate: residual})))
	p := h.Dossiers[0].Problem
	p.ID = last + 1
	b.do(store.CreateProblem{Problem: p})
	seeks(b, func(s seeker) error {
		for _, a := range []asked{
			{predicate: residual}, {predicate: residual, limit: 1}, {predicate: `length(title) = 0`, sort: "-title"},
			{predicate: residual, after: &store.Hit{ID: last}}, {predicate: `identifier > 0 AND ` + residual, limit: 3},
			{predicate: `identifier = 1 OR ` + residual, limit: 1},
		} {
			_, err := s.search(a)
			b.fails("Search of "+a.String(), fault.QueryTooExpensive, err)
		}
		for _, test := range []struct {
			a    asked
			want []problem.ID
		}{
			{asked{predicate: `identifier > 1 AND ` + residual, limit: 1}, these(2)},
			{asked{predicate: residual + ` AND identifier <= 2`}, these(1, 2)},
			{asked{predicate: `title = 'x'`, limit: 2}, these(1, 2)},
			{asked{sort: "-identifier", limit: 2}, these(last+1, last)},
			{asked{predicate: `watching = YES AND ` + residual}, nil},
		} {
			hits, err := s.search(test.a)
			if err != nil {
				return err
			}
			b.equal("the list of "+test.a.String()+"\n", test.want, numbers(hits))
		}
		return nil
	})
}
