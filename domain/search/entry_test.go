package search

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/budget"
	"github.com/problemtracking/problems/domain/date"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/eval"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// The keys of entries of each kind.
func TestMetadataKeys(t *testing.T) {
	t.Parallel()
	c := catalogue()
	of := func(e predicate.Entity, ids ...ident.ID) []predicate.Value {
		values := []predicate.Value{}
		for _, id := range ids {
			values = append(values, Metadata(c, e, id))
		}
		return values
	}
	component := func(id ident.ID) predicate.Value { return Metadata(c, predicate.Component, id) }
	for _, w := range []struct {
		entity predicate.Entity
		id     ident.ID
		want   map[string]predicate.Value
	}{
		{predicate.State, open, map[string]predicate.Value{"identifier": open, "name": "Open", "resolved": false, "initial": true, "order": int64(1),
			"nextStates": of(predicate.State, done), "previousStates": of(predicate.State)}},
		{predicate.State, done, map[string]predicate.Value{"identifier": done, "name": "Done", "resolved": true, "initial": false, "order": int64(2),
			"nextStates": of(predicate.State), "previousStates": of(predicate.State, open)}},
		{predicate.Priority, low, map[string]predicate.Value{"identifier": low, "name": "Low", "order": int64(2)}},
		{predicate.Classification, task, map[string]predicate.Value{"identifier": task, "name": "Task"}},
		{predicate.Component, server, map[string]predicate.Value{"identifier": server, "name": "Server", "fullName": "Server", "closed": false,
			"successor": nil, "parent": nil, "children": of(predicate.Component, api, login)}},
		{predicate.Component, api, map[string]predicate.Value{"identifier": api, "name": "API", "fullName": "Server/API", "closed": false,
			"successor": component(login), "parent": component(server), "children": of(predicate.Component)}},
		{predicate.Milestone, spring, map[string]predicate.Value{"identifier": spring, "name": "Spring", "component": component(server),
			"creationDate": noon, "startDate": nil, "endDate": noon.AddDate(0, 6, 0)}},
		{predicate.User, bob, map[string]predicate.Value{"identifier": bob, "name": "Bob", "email": "bob@example.org", "inactive": true}},
	} {
		e := Metadata(c, w.entity, w.id)
		if e.Identity() != w.id {
			t.Errorf("%s %v: identity %v", w.entity, w.id, e.Identity())
		}
		checkKeys(t, e, w.entity, w.want)
	}
}

// checkKeys checks that the entry knows all keys of the schema, and their values.
func checkKeys(t *testing.T, e predicate.Entry, of predicate.Entity, want map[string]predicate.Value) {
	t.Helper()
	for _, key := range predicate.Keys(of) {
		value, known := want[key.Name]
		got, err := e.Get(t.Context(), key)
		if err != nil || !known || !reflect.DeepEqual(got, value) {
			t.Errorf("%s of a %s: %v (%v); want %v", key.Name, of, got, err, value)
		}
		if got == nil && !key.Nullable {
			t.Errorf("%s of a %s is nil", key.Name, of)
		}
	}
	if _, err := e.Get(t.Context(), &predicate.Key{Name: "colour", Of: of}); err == nil {
		t.Errorf("a %s has a colour", of)
	}
}

// A missing object is a nil interface, so a predicate finds nil.
func TestMetadataOfNothing(t *testing.T) {
	t.Parallel()
	c := catalogue()
	for _, kind := range []predicate.Entity{predicate.State, predicate.Priority, predicate.Classification, predicate.Component, predicate.Milestone, predicate.User, predicate.Problem} {
		for _, id := range []ident.ID{ident.None, id(99)} {
			if e := Metadata(c, kind, id); e != nil {
				t.Errorf("%s %v is %v", kind, id, e)
			}
		}
	}
}

func TestProblemKeys(t *testing.T) {
	t.Parallel()
	c := catalogue()
	r := &archive{dossiers: []store.Dossier{sample(), other()}}
	p := NewProblems(r, c, ann)
	entry := func(of predicate.Entity, id ident.ID) predicate.Value { return Metadata(c, of, id) }
	d := sample()
	s := strip(Snapshot(d, ann), 0)
	s.Claim = problem.Claim{ID: ident.ID{15: 1}, Holder: bob, Expires: noon}
	e := p.entry(s)
	fields := map[string]predicate.Value{
		"title": "The API is slow", "due": date.Of(noon).End(time.UTC), "creationDate": d.Created, "modificationDate": d.Modified, "resolveDate": d.Resolved,
		"originator": entry(predicate.User, bob), "assignee": entry(predicate.User, ann), "modifier": entry(predicate.User, ann), "resolver": entry(predicate.User, ann),
		"component": entry(predicate.Component, api), "milestone": entry(predicate.Milestone, spring), "priority": entry(predicate.Priority, high),
		"classification": entry(predicate.Classification, task), "state": entry(predicate.State, done),
	}
	members := map[string][]predicate.Value{}
	want := map[string]predicate.Value{"identifier": int64(12), "watching": false, "read": true, "readByAssignee": true, "claim.holder": entry(predicate.User, bob), "claim.expires": noon}
	for _, key := range predicate.Keys(predicate.Problem) {
		if value, ok := fields[key.Name]; ok {
			want[key.Name] = value
		}
		if key.Type.Many {
			value, err := e.Get(t.Context(), key)
			if err != nil {
				t.Fatal(err)
			}
			members[key.Name] = value.([]predicate.Value)
			want[key.Name] = value
		}
	}
	checkKeys(t, e, predicate.Problem, want)
	for name, n := range map[string]int{"history": 2, "logs": 2, "keywords": 2, "comments": 1, "attachments": 1, "relationships": 2, "watchers": 1} {
		if len(members[name]) != n {
			t.Fatalf("%d %s, not %d", len(members[name]), name, n)
		}
	}
	first := func(name string) predicate.Entry { return members[name][0].(predicate.Entry) }
	before := map[string]predicate.Value{}
	for name, value := range fields {
		before[name] = value
	}
	before["state"], before["resolver"], before["resolveDate"] = entry(predicate.State, open), nil, nil
	before["modifier"], before["modificationDate"] = entry(predicate.User, bob), d.Created
	checkKeys(t, first("history"), predicate.Savepoint, before)
	checkKeys(t, first("logs"), predicate.Log, map[string]predicate.Value{"type": "ProblemCreated", "creationDate": d.Created, "author": entry(predicate.User, bob), "isSignificant": true})
	checkKeys(t, members["logs"][1].(predicate.Entry), predicate.Log, map[string]predicate.Value{"type": "WatcherAdded", "creationDate": noon, "author": entry(predicate.User, ann), "isSignificant": false})
	checkKeys(t, first("keywords"), predicate.Keyword, map[string]predicate.Value{"name": "customer", "value": nil})
	checkKeys(t, members["keywords"][1].(predicate.Entry), predicate.Keyword, map[string]predicate.Value{"name": "version", "value": "7.4"})
	checkKeys(t, first("comments"), predicate.Comment, map[string]predicate.Value{"author": entry(predicate.User, bob), "creationDate": noon, "text": "Seen again."})
	checkKeys(t, first("attachments"), predicate.Attachment, map[string]predicate.Value{"name": "a.png", "mediaType": "image/png", "size": int64(7), "author": entry(predicate.User, bob)})
	link := first("relationships")
	child := get(t, link, predicate.Relationship, "child").(predicate.Entry)
	checkKeys(t, link, predicate.Relationship, map[string]predicate.Value{"type": int64(501), "problemIdentifier": int64(13), "parentId": int64(12), "parent": e, "child": child})
	if title := get(t, child, predicate.Problem, "title"); title != "The disk is slow" || child.Identity() == e.Identity() {
		t.Errorf("the child is %v", title)
	}
	if !reflect.DeepEqual(first("watchers"), entry(predicate.User, bob)) {
		t.Errorf("the watcher is %v", first("watchers"))
	}
	for _, name := range []string{"history", "logs", "keywords", "comments", "relationships"} {
		if identity := first(name).Identity(); slices.ContainsFunc(members[name][1:], func(v predicate.Value) bool { return v.(predicate.Entry).Identity() == identity }) {
			t.Errorf("two of the %s are the same", name)
		}
	}
	if r.one != 7 || r.many != 1 {
		t.Errorf("%d parts and %d bulks loaded; want each of the 7 parts once, and the problems at the other ends together", r.one, r.many)
	}
}

func get(t *testing.T, e predicate.Entry, of predicate.Entity, name string) predicate.Value {
	t.Helper()
	key, ok := predicate.Lookup(of, name)
	if !ok {
		t.Fatalf("a %s has no %s", of, name)
	}
	value, err := e.Get(t.Context(), key)
	if err != nil {
		t.Fatal(err)
	}
	return value
}

// The needs of a plan are loaded for a batch at once, and nothing more during its
// evaluation.
func TestEntriesAreLoadedAhead(t *testing.T) {
	t.Parallel()
	for text, calls := range map[string]int{
		"title = 'x'":             0,
		"ANY keywords.name = 'x'": 1,
		"ANY keywords.name = 'x' OR comments.@count > 1":                                                              1,
		"NOT watchers.@count = 0 AND length(title) > 3":                                                               1,
		"SUBQUERY(relationships, $r, $r.type = 501 AND $r.ParentId = Id AND $r.child.state.resolved = NO).@count > 0": 2,
		"ANY relationships.child.comments.text = 'x'":                                                                 2,
		"SUBQUERY(relationships.child, $c, ANY $c.keywords.name = 'x').@count > 0":                                    2,
		"'x' IN SUBQUERY(relationships, $r, $r.type = 501).child.keywords.name":                                       2,
	} {
		plan := compile(t, text, predicate.Problem)
		r := &archive{dossiers: []store.Dossier{sample(), other()}}
		p := NewProblems(r, catalogue(), ann)
		var batch []*problemEntry
		for _, d := range r.dossiers {
			batch = append(batch, p.entry(strip(Snapshot(d, ann), 0)))
		}
		if err := p.preload(t.Context(), needsOf(plan), batch); err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		for _, e := range batch {
			if _, err := eval.Matches(t.Context(), plan, e); err != nil {
				t.Fatal(err)
			}
		}
		if r.many != calls || r.one != 0 {
			t.Errorf("%s: loaded %d times together and %d times alone; want %d and none", text, r.many, r.one, calls)
		}
	}
}

// Errors of the store end the evaluation unchanged.
func TestEntryErrors(t *testing.T) {
	t.Parallel()
	r := &archive{dossiers: []store.Dossier{sample()}, err: context.Canceled}
	p := NewProblems(r, catalogue(), ann)
	for _, text := range []string{"ANY keywords.name = 'x'", "ANY relationships.child.title = 'x'"} {
		plan := compile(t, text, predicate.Problem)
		s := strip(Snapshot(sample(), ann), snapshot.Relationships)
		if _, err := eval.Matches(t.Context(), plan, p.entry(s)); err != context.Canceled {
			t.Errorf("%s: %v", text, err)
		}
		if err := p.preload(t.Context(), needsOf(plan), []*problemEntry{p.entry(s)}); err != context.Canceled {
			t.Errorf("%s, preload: %v", text, err)
		}
	}
}

// A problem of a dossier has the user's view, with all its parts.
func TestSnapshotOfDossier(t *testing.T) {
	t.Parallel()
	d := sample()
	for as, want := range map[ident.ID][3]bool{ann: {false, true, true}, bob: {true, false, true}} {
		s := Snapshot(d, as)
		if got := [3]bool{s.Watching, s.Read, s.ReadByAssignee}; got != want {
			t.Errorf("as %v: %v, not %v", as, got, want)
		}
	}
	bare := Snapshot(store.Dossier{Problem: other().Problem, Readers: []ident.ID{ident.None}}, ann)
	if bare.ReadByAssignee {
		t.Error("nobody is assigned, and has read it")
	}
	e := NewProblems(nil, catalogue(), ann).entry(bare)
	for _, key := range predicate.Keys(predicate.Problem) {
		if value, err := e.Get(t.Context(), key); err != nil || key.Type.Many && len(value.([]predicate.Value)) > 0 {
			t.Errorf("%s: %v, %v", key.Name, value, err)
		}
	}
	if bare.Created != noon.Add(0*time.Second) {
		t.Errorf("created %v", bare.Created)
	}
}

// Get builds the members of a part once. A condition nested in others asks for them for each
// member of the others, and ends at the first of them: the work of an evaluator does not show it.
func TestMembersAreBuiltOnce(t *testing.T) {
	t.Parallel()
	e := NewProblems(&archive{dossiers: []store.Dossier{sample(), other()}}, catalogue(), ann).entry(strip(Snapshot(sample(), ann), 0))
	parts := 0
	for _, key := range predicate.Keys(predicate.Problem) {
		if !key.Type.Many {
			continue
		}
		parts++
		members := func() []predicate.Value { return get(t, e, predicate.Problem, key.Name).([]predicate.Value) }
		first, second := members(), members()
		if &first[0] != &second[0] {
			t.Errorf("the %s are built again", key.Name)
		}
		e.forget()
		if again := members(); &again[0] == &first[0] {
			t.Errorf("the %s of a forgotten problem are kept", key.Name)
		}
	}
	if parts != 7 {
		t.Errorf("%d parts", parts)
	}
}

// keepsMembers reports whether members of a part are built for the entry.
func keepsMembers(e *problemEntry) bool {
	return slices.ContainsFunc(e.members[:], func(v predicate.Value) bool { return v != nil })
}

// An entry keeps its members for one condition. So a batch holds those of one problem.
func TestBatchesKeepNoMembers(t *testing.T) {
	t.Parallel()
	plan := compile(t, "ANY keywords.name MATCHES 'cust.*'", predicate.Problem)
	batch := func(p *Problems) (entries []*problemEntry) {
		for i := range 3 {
			d := sample()
			d.ID = problem.ID(i + 1)
			entries = append(entries, p.entry(Snapshot(d, ann)))
		}
		return entries
	}
	for name, try := range map[string]func(p *Problems, entries []*problemEntry) (found int, err error){
		"AmongAll": func(p *Problems, entries []*problemEntry) (int, error) {
			var f Found
			err := f.add(t.Context(), p, plan, entries)
			return len(f.IDs), err
		},
		"a search": func(p *Problems, entries []*problemEntry) (int, error) {
			q := store.Query{Limit: 10}
			s := selection{query: q, residual: plan, problems: p, evaluator: eval.New(t.Context()), batch: slices.Clone(entries),
				best: best[store.Hit]{limit: q.Limit, compare: func(a, b store.Hit) int { return compareHits(nil, a, b) }}}
			err := s.try(t.Context())
			return len(s.best.sorted()), err
		},
	} {
		p := NewProblems(&archive{}, catalogue(), ann)
		entries := batch(p)
		found, err := try(p, entries)
		if err != nil || found != len(entries) {
			t.Errorf("%s: %d found, %v", name, found, err)
		}
		for _, e := range entries {
			if keepsMembers(e) {
				t.Errorf("%s: problem %d keeps members", name, e.snapshot.ID)
			}
		}
	}
}

// Large problems are loaded one at a time, in any batch. Each takes memory from the
// budget of the request.
func TestLargeEntries(t *testing.T) {
	t.Parallel()
	const size = 10 << 20
	for _, text := range []string{"ANY comments.text = 'x' OR comments.@count > 0", "ANY keywords.name = 'x' OR ANY comments.text != 'x'"} {
		plan := compile(t, text, predicate.Problem)
		r := &archive{size: size}
		var want int
		for i := range 30 {
			d := sample()
			d.ID = problem.ID(i + 1)
			r.dossiers = append(r.dossiers, d)
		}
		memory := budget.New(1 << 30)
		account := memory.Open(nil)
		ctx := budget.With(t.Context(), account)
		p := NewProblems(r, catalogue(), ann)
		var batch []*problemEntry
		for _, d := range r.dossiers {
			batch = append(batch, p.entry(strip(Snapshot(d, ann), 0)))
		}
		if err := p.preload(ctx, needsOf(plan), batch); err != nil {
			t.Fatal(err)
		}
		if held, _ := memory.Held(); held != 0 {
			t.Errorf("%s: %d bytes are held before anything is asked for", text, held)
		}
		for i, e := range batch {
			holds, err := eval.Matches(ctx, plan, e)
			if err != nil || !holds {
				t.Fatalf("%s: %t, %v", text, holds, err)
			}
			want++
			for _, before := range batch[:i] {
				if before.snapshot.Comments != nil || before.snapshot.Keywords != nil || keepsMembers(before) {
					t.Fatalf("%s: problem %d is kept", text, before.snapshot.ID)
				}
			}
			if held, _ := memory.Held(); held != size {
				t.Errorf("%s: %d bytes are held", text, held)
			}
		}
		if r.one < want {
			t.Errorf("%s: %d loads of %d problems", text, r.one, want)
		}
	}
}

// A plan of AmongAll that goes to and fro between large problems ends at a limit: each way
// loads one of them again, and is nearly no work for an evaluator.
func TestLargeProblemsLoadedAgain(t *testing.T) {
	t.Parallel()
	d := sample()
	for range 1000 {
		d.Comments = append(d.Comments, d.Comments[0])
	}
	const size = 10 << 20
	for text, fails := range map[string]bool{
		"ANY relationships.child.comments.text = 'x' OR comments.@count > 0":                                             false,
		"SUBQUERY(comments, $c, NOT ANY relationships.child.comments.text = 'Ordered a new one.').@count > 0 OR id = 12": true,
	} {
		r := &archive{dossiers: []store.Dossier{d, other()}, size: size}
		all, err := AmongAll(t.Context(), r, catalogue(), ann, []*predicate.Plan{compile(t, text, predicate.Problem)}, []problem.ID{12})
		if err != nil {
			t.Fatal(err)
		}
		most := planAgain/size + 10
		if fault.Is(all[0].Err, fault.QueryTooExpensive) != fails || !fails && !all[0].IDs[12] || r.one > most {
			t.Errorf("%s: %v, %v after %d loads", text, all[0].IDs, all[0].Err, r.one)
		}
	}
}

// The plans of others do not count for a plan, and neither does the first load of a problem.
func TestPlansLoadLargeProblemsOnce(t *testing.T) {
	t.Parallel()
	r := &archive{size: planAgain / 10}
	var ids []problem.ID
	for i := range 100 {
		d := sample()
		d.ID = problem.ID(i + 1)
		r.dossiers = append(r.dossiers, d)
		ids = append(ids, d.ID)
	}
	plans := slices.Repeat([]*predicate.Plan{compile(t, "ANY comments.text = 'x' OR keywords.@count > 0", predicate.Problem)}, 3)
	all, err := AmongAll(t.Context(), r, catalogue(), ann, plans, ids)
	if err != nil {
		t.Fatal(err)
	}
	for i, found := range all {
		if found.Err != nil || len(found.IDs) != len(ids) {
			t.Errorf("plan %d: %d of %d problems, %v", i, len(found.IDs), len(ids), found.Err)
		}
	}
}

// More related problems than are kept have the limit of large ones.
func TestOthersLoadedAgain(t *testing.T) {
	t.Parallel()
	root, child := sample(), other()
	root.Relationships, child.Relationships = nil, nil
	dossiers := []store.Dossier{root, child}
	for i := range 2 * maxOthers {
		id := problem.ID(100 + i)
		dossiers = append(dossiers, store.Dossier{Problem: problem.Problem{ID: id, Fields: problem.Fields{Title: "x", State: open}}})
		owner := &dossiers[i%2]
		owner.Relationships = append(owner.Relationships, relationship.Relationship{Owner: owner.ID, Type: relationship.BlockedBy, Other: id})
	}
	first := &dossiers[0]
	first.Relationships = slices.Insert(first.Relationships, 0, relationship.Relationship{Owner: first.ID, Type: relationship.BlockedBy, Other: child.ID})
	r := &archive{dossiers: dossiers}
	p := NewProblems(r, catalogue(), ann)
	plan := compile(t, "SUBQUERY(logs, $l, NOT ANY relationships.child.relationships.child.title = 'x').@count > 0", predicate.Problem)
	e := p.entry(strip(Snapshot(*first, ann), 0))
	const rounds = 2
	for range rounds {
		if _, err := e.satisfies(eval.New(t.Context()), plan.Where); err != nil {
			t.Fatal(err)
		}
	}
	if p.again < rounds*maxOthers*problem.Overhead || p.again > 4*rounds*maxOthers*problem.Overhead {
		t.Errorf("%d bytes are loaded again", p.again)
	}
	p.mostAgain = p.again
	if _, err := e.satisfies(eval.New(t.Context()), plan.Where); !errors.Is(err, errAgain) {
		t.Errorf("no end at the limit: %v", err)
	}
}
