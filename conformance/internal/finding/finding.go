package finding

import (
	"math"
	"slices"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// Cases returns the cases of FIND with fixed queries.
func Cases() []bench.Case {
	about := func(what, rule string, findings func() []finding) bench.Case {
		return bench.Case{ID: "FIND-001/" + what, Rule: rule, Run: func(b *bench.Bench) { findsAll(b, findings()) }}
	}
	return []bench.Case{
		about("documented", "Search finds the right problems for the documented queries of clients.", documentedFindings),
		about("fields", "Search compares a problem's single values: nil equals nil alone, is in no order, and NOT is the exact complement.", fieldFindings),
		about("text", "Search compares text by code point, and with [c], [d] and [cd] as the domain folds it; patterns match the whole text.", textFindings),
		about("parts", "Search finds by a problem's parts: ANY, ALL, NONE, SUBQUERY, and the functions of collections.", partFindings),
		about("lists", "Search takes a list in braces for a collection of its values, wherever a collection may stand.", listFindings),
		{
			ID:   "FIND-001/savepoints",
			Rule: "Search tells savepoints apart by problem and batch: a batch makes one savepoint of each changed problem.",
			Run:  findSavepoints,
		},
		about("residual", "Search finds by conditions beyond a database, alone and beside conditions within its reach.", residualFindings),
		{
			ID:   "FIND-001/caller",
			Rule: "Search sees the marks of the asking user, and of no other user.",
			Run:  findForCaller,
		},
		{
			ID:   "FIND-001/changed",
			Rule: "Search finds problems by their present values, and no longer by earlier ones.",
			Run:  checkFindChanged,
		},
		{
			ID:   "FIND-001/comments",
			Rule: "Search finds an edited comment by its new text alone, an attachment by its record, and a deleted one of either by nothing: it does not count.",
			Run:  findCorrectedComments,
		},
		{
			ID:   "FIND-002",
			Rule: "Hits are in the query's order: nil last in either direction, text by code point, identifiers by their bytes; equal ones by their numbers.",
			Run:  sortsByKeys,
		},
		{
			ID:   "FIND-003",
			Rule: "A hit has its problem's revision, and the values of its sort keys.",
			Run:  hitsComeInOrder,
		},
		{
			ID:   "FIND-003/pages",
			Rule: "Search finds no more than its limit, and continues after a given hit: pages of any size make up the whole.",
			Run:  pagesMakeTheWhole,
		},
		{
			ID:   "FIND-003/huge",
			Rule: "Search takes the largest limit there is.",
			Run:  hugeLimit,
		},
		{
			ID:   "FIND-003/moved",
			Rule: "A hit marks a position by its own values, even if its problem has moved since.",
			Run:  pageAfterMovedHit,
		},
		{
			ID:   "FIND-004",
			Rule: "Search fails with QueryTooExpensive when a residual is left and more than MostCandidates problems satisfy the database's part, for any limit, and never otherwise.",
			Run:  checkFindCandidates,
		},
		{
			ID:   "FIND-005",
			Rule: "When the context ends before Search has looked, or while it looks, it fails with Unavailable, or has found everything already.",
			Run:  checkFindEnds,
		},
		{
			ID:   "FIND-005/long",
			Rule: "Search ends soon after its context, for texts and patterns of any length, and finds the same as in short ones.",
			Run:  checkFindLong,
		},
	}
}

func findSavepoints(b *bench.Bench) {
	x := ExhibitsOf(b)
	first, second := x.Dossiers[0], x.Dossiers[1] // a relationship joins them
	second.Savepoints[0].Batch = first.Savepoints[0].Batch
	second.Log[0].Batch = first.Log[0].Batch
	finds(b, x, savepointFindings())
}

func findForCaller(b *bench.Bench) {
	x := ExhibitsOf(b)
	b.Restore(x.Holdings)
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
		{b.ID(), `NOT (read = YES OR watching = YES)`, Without()},
		{x.bo, `SUBQUERY(relationships, $r, $r.child.watching = YES AND $r.child.read = YES).@count > 0`, these(1, 5)},
	} {
		Finds(b, Asked{Predicate: test.predicate, As: test.as}, test.want...)
	}
	b.Equal("the order", these(3, 5, 8, 13, 1, 2), numbers(Search(b, Asked{Sort: "watching", As: x.bo})))
}

func sortsByKeys(b *bench.Bench) {
	x := ExhibitsOf(b)
	b.Restore(x.Holdings)
	seeks(b, func(s Seeker) error {
		for _, test := range sortings() {
			a := Asked{Sort: test.sort, As: x.Ann}
			hits, err := s.Search(a)
			if err != nil {
				return err
			}
			b.Equal("the list of "+a.String()+"\n", test.want, numbers(hits))
			a.Predicate = notThree
			if hits, err = s.Search(a); err != nil {
				return err
			}
			b.Equal("the list of "+a.String()+"\n", butThree(test.want), numbers(hits))
		}
		return nil
	})
}

func hitsComeInOrder(b *bench.Bench) {
	x := ExhibitsOf(b)
	b.Restore(x.Holdings)
	hits := Search(b, Asked{Predicate: "identifier IN {3, 5}", Sort: "resolveDate,-title,watching,priority.order,state.identifier,identifier", As: x.cy})
	b.Equal("the hits", []store.Hit{
		{ID: 3, Revision: 2, Keys: []predicate.Value{on(12), "Crash", false, nil, x.closed, int64(3)}},
		{ID: 5, Revision: 7, Keys: []predicate.Value{nil, "\u00c9clair \u00fcber alles", true, int64(1), x.open, int64(5)}},
	}, hits)
}

func pagesMakeTheWhole(b *bench.Bench) {
	x := ExhibitsOf(b)
	b.Restore(x.Holdings)
	seeks(b, func(s Seeker) error {
		for i, test := range sortings() {
			for _, size := range []int{1, 4, 2 + i%6} {
				a, want := Asked{Sort: test.sort, As: x.Ann, limit: size}, test.want
				if (i+size)%2 == 0 {
					a.Predicate, want = notThree, butThree(want)
				}
				if err := pages(b, s, a, want); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

func pageAfterMovedHit(b *bench.Bench) {
	x := ExhibitsOf(b)
	b.Restore(x.Holdings)
	page := Search(b, Asked{Sort: "-title", As: x.Ann, limit: 2}) // 5 and 8
	moved := x.Dossiers[4].Problem
	moved.Title, moved.Revision = "Zebra", 2
	b.Do(store.UpdateProblem{Problem: moved})
	Finds(b, Asked{Sort: "-title", As: x.Ann, after: &page[1]}, 2, 8, 3, 1, 13)
	for id, want := range map[problem.ID][]problem.ID{0: these(1, 2, 5, 8, 13), 4: these(5, 8, 13), 13: nil} {
		Finds(b, Asked{Sort: "resolveDate", As: x.Ann, after: &store.Hit{ID: id, Keys: []predicate.Value{nil}}}, want...)
	}
	Finds(b, Asked{As: x.Ann, after: &store.Hit{ID: 4}, limit: 2}, 5, 8)
}

// findsAll ends the case unless Ann finds the expected exhibits.
func findsAll(b *bench.Bench, all []finding) {
	b.Helper()
	finds(b, ExhibitsOf(b), all)
}

// finds ends the case unless Ann finds exactly the right ones among these exhibits.
func finds(b *bench.Bench, x exhibits, all []finding) {
	b.Helper()
	b.Restore(x.Holdings)
	seeks(b, func(s Seeker) error {
		for _, f := range all {
			a := Asked{Predicate: f.predicate, As: x.Ann}
			hits, err := s.Search(a)
			if err != nil {
				return err
			}
			b.Equal("the list of "+a.String()+"\n", f.want, numbers(hits))
		}
		return nil
	})
}

// notThree is a predicate with a residual part. All exhibits but problem 3 satisfy it.
const notThree = `identifier > 0 AND length(title) > 6`

func butThree(all []problem.ID) []problem.ID {
	return slices.DeleteFunc(slices.Clone(all), func(id problem.ID) bool { return id == 3 })
}

// pages ends the case unless the pages of a query make up the whole.
func pages(b *bench.Bench, s Seeker, a Asked, want []problem.ID) error {
	b.Helper()
	for {
		page, err := s.Search(a)
		if err != nil {
			return err
		}
		size := min(a.limit, len(want))
		b.Equal("the page of "+a.String()+"\n", want[:size], numbers(page))
		if size == 0 {
			return nil
		}
		want, a.after = want[size:], &page[size-1]
	}
}

// hugeLimit searches in the store and by the residual, with the largest limits.
func hugeLimit(b *bench.Bench) {
	x := ExhibitsOf(b)
	b.Restore(x.Holdings)
	for _, limit := range []int{math.MaxInt32, math.MaxInt32 + 1, math.MaxInt - 1, math.MaxInt} {
		for _, predicate := range []string{"", "title MATCHES '.*'"} {
			Finds(b, Asked{Predicate: predicate, As: x.Ann, limit: limit}, Without()...)
		}
	}
}

// checkFindChanged searches after each of several Changes.
func checkFindChanged(b *bench.Bench) {
	x := ExhibitsOf(b)
	b.Restore(x.Holdings)
	finds := func(predicate string, want ...problem.ID) {
		b.Helper()
		Finds(b, Asked{Predicate: predicate, As: x.Ann}, want...)
	}
	p := x.Dossiers[0].Problem
	p.Title, p.State, p.Assignee, p.Revision = "\u00c4nderung 'x'", x.closed, x.bo, 5
	saved := p
	b.Do(store.UpdateProblem{Problem: p}, store.PutSavepoint{Problem: saved})
	finds(`title CONTAINS[c] 'api'`, 2)
	finds("title BEGINSWITH[cd] 'ANDER'", 1)
	finds(`state.resolved = YES`, 1, 3)
	finds(`ANY history.title =[c] "\u00e4NDERUNG 'X'"`, 1)
	finds(`readByAssignee = YES`, 3, 8)
	b.Do(store.PutKeyword{Problem: 1, Keyword: problem.Keyword{Name: "area", Value: problem.Text("CELLAR")}}, store.DropKeyword{Problem: 2, Name: "AREA"})
	finds(`ANY keywords.value =[c] 'cellar'`, 1)
	finds(`ANY keywords.value =[c] 'kitchen'`)
	finds(`keywords.@count = 0`, 2, 3, 8, 13)
	b.Do(store.AddComment{Problem: 13, Comment: b.Comment("GR\u00dcSSE")}, store.Watch{Problem: 13, User: x.Ann}, store.Unwatch{Problem: 1, User: x.Ann},
		store.MarkRead{Problem: 8, User: x.Ann, Read: true}, store.ForgetReads{Problem: 3, But: x.bo})
	finds("ANY comments.text =[cd] 'grusse'", 13)
	finds(`watching = YES`, 13)
	finds(`read = YES`, 1, 8)
	b.Do(store.DropRelationship{Owner: 2, Type: "ParentOf", Other: 5}, store.DropRelationship{Owner: 5, Type: "ChildOf", Other: 2})
	finds(`ANY relationships.type IN {'ParentOf', 'ChildOf'}`, 5, 8)
	created := x.Dossiers[1].Problem
	created.ID, created.Title = 21, "API of SAUSAGES"
	entry := b.Entry(21)
	entry.Author = x.cy
	change := b.Change(store.CreateProblem{Problem: created})
	change.Log = []problem.LogEntry{entry}
	b.Commit(change)
	finds(`title CONTAINS[c] 'sausage'`, 21)
	finds(`ANY logs.author.name = 'Cy'`, 5, 21)
	renamed := x.Metadata.Users[2]
	renamed.Name = "Cyril"
	b.Do(store.PutUser{User: renamed})
	finds(`assignee.name BEGINSWITH 'Cyr' OR ANY logs.author.name = 'Cyril'`, 5, 8, 21)
}

func findCorrectedComments(b *bench.Bench) {
	x := ExhibitsOf(b)
	b.Restore(x.Holdings)
	finds := func(predicate string, want ...problem.ID) {
		b.Helper()
		Finds(b, Asked{Predicate: predicate, As: x.Ann}, want...)
	}
	first, second := b.Comment("GR\u00dcSSE"), b.Comment("blossom")
	b.Do(store.AddComment{Problem: 13, Comment: first}, store.AddComment{Problem: 13, Comment: second})
	edited := first
	edited.Text = "F\u00dcSSE"
	b.Do(store.PutComment{Problem: 13, Comment: edited})
	finds("ANY comments.text =[cd] 'grusse'")
	finds("ANY comments.text =[cd] 'fusse'", 13)
	finds("title CONTAINS[c] 'uss' OR ANY comments.text CONTAINS[cd] 'uss'", 13)
	finds("comments.@count = 2 AND ANY comments.text = 'blossom'", 13)
	b.Do(store.PutComment{Problem: 13, Comment: edited.Place()})
	finds("ANY comments.text =[cd] 'fusse'")
	finds("ANY comments.text = ''")
	finds("comments.@count = 1 AND ALL comments.text = 'blossom'", 13)
	b.Do(store.PutComment{Problem: 13, Comment: second.Place()})
	finds("SUBQUERY(comments, $c, $c.author != nil).@count > 0 AND identifier = 13")
	finds("comments.@count = 0 AND NONE comments.text = '' AND identifier = 13", 13)

	log := problem.Attachment{ID: b.ID(), Name: "Pump.LOG", MediaType: "text/plain", Bytes: 5 << 30, Author: x.Ann, Created: on(2)}
	picture := problem.Attachment{ID: b.ID(), Name: "a.png", MediaType: "image/png", Bytes: 1, Author: x.bo, Created: on(2)}
	b.Do(store.PutAttachment{Problem: 13, Attachment: log}, store.PutAttachment{Problem: 13, Attachment: picture}, store.PutAttachment{Problem: 5, Attachment: picture})
	finds("ANY attachments.name ENDSWITH[c] '.log'", 13)
	finds("ANY attachments.name ENDSWITH '.log'")
	finds("ANY attachments.mediaType BEGINSWITH 'image/'", 5, 13)
	finds("attachments.@sum.size > 5000000000 AND ALL attachments.size > 0 AND attachments.@count = 2", 13)
	finds("ANY attachments.author.identifier = $ApiUser", 13)
	picture.Deleted = on(3)
	b.Do(store.PutAttachment{Problem: 13, Attachment: picture})
	finds("ANY attachments.mediaType BEGINSWITH 'image/'", 5)
	finds("attachments.@count = 1", 5, 13)
}

// checkFindCandidates searches among as many problems as can be looked at one by one,
// and among one more.
func checkFindCandidates(b *bench.Bench) {
	who, state := b.ID(), b.Objects().States[0]
	h := bench.Holdings{Batch: b.ID(), Metadata: metadata.Content{States: []metadata.State{state}}}
	for _, id := range bench.UpTo(store.MostCandidates) {
		h.Dossiers = append(h.Dossiers, store.Dossier{Problem: problem.Problem{
			ID: id, Fields: problem.Fields{Title: "x", State: state.ID}, Originator: who, Created: on(1), Modifier: who, Modified: on(1), Revision: 1,
		}})
	}
	b.Must("Restore", b.Store.Restore(b.Ctx, h.Archive()))
	const last = store.MostCandidates
	residual := `length(title) > 0`
	b.Equal("the number of hits among as many as there may be", last, len(Search(b, Asked{Predicate: residual})))
	p := h.Dossiers[0].Problem
	p.ID = last + 1
	b.Do(store.CreateProblem{Problem: p})
	seeks(b, func(s Seeker) error {
		for _, a := range []Asked{
			{Predicate: residual}, {Predicate: residual, limit: 1}, {Predicate: `length(title) = 0`, Sort: "-title"},
			{Predicate: residual, after: &store.Hit{ID: last}}, {Predicate: `identifier > 0 AND ` + residual, limit: 3},
			{Predicate: `identifier = 1 OR ` + residual, limit: 1},
		} {
			_, err := s.Search(a)
			b.Fails("Search of "+a.String(), fault.QueryTooExpensive, err)
		}
		for _, test := range []struct {
			a    Asked
			want []problem.ID
		}{
			{Asked{Predicate: `identifier > 1 AND ` + residual, limit: 1}, these(2)},
			{Asked{Predicate: residual + ` AND identifier <= 2`}, these(1, 2)},
			{Asked{Predicate: `title = 'x'`, limit: 2}, these(1, 2)},
			{Asked{Sort: "-identifier", limit: 2}, these(last+1, last)},
			{Asked{Predicate: `watching = YES AND ` + residual}, nil},
		} {
			hits, err := s.Search(test.a)
			if err != nil {
				return err
			}
			b.Equal("the list of "+test.a.String()+"\n", test.want, numbers(hits))
		}
		return nil
	})
}
