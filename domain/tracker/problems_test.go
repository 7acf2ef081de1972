package tracker

import (
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

func newCreation() creation { return creation{catalogue: testCatalogue, id: 12} }

func titled(title string) ProblemPatch { return ProblemPatch{Title: patch.Set(title)} }

// D1, D8: what the creation of a problem with nothing but a title is.
func TestCreateWithTitle(t *testing.T) {
	t.Parallel()
	m := at(now)
	change, a, err := decideCreate(by(bob), CreateProblem{ProblemPatch: titled("  Cafe\u0301 <closed> & \"quoted\"\t")}, newCreation(), m)
	noError(t, err)

	want := problem.Problem{
		ID:         12,
		Fields:     problem.Fields{Title: "Café <closed> & \"quoted\"", State: open}, // D9: trimmed, NFC; D1: first initial state
		Originator: bob,
		Created:    now,
		Modifier:   bob,
		Modified:   now,
		Revision:   1,
	}
	equal(t, "batch", change.Batch, batchOf(m))
	equal(t, "author", change.Author, bob)
	equal(t, "time", change.At, now)
	expects(t, change, store.CatalogueAt{Version: catalogueVersion})
	size := int64(len(want.Title)) + problem.SavedSize(want.Fields) + logSize(change, 12)
	equal(t, "effects", change.Effects, []store.Effect{
		store.CreateProblem{Problem: want, Size: size},
		store.PutSavepoint{Problem: want},
		store.MarkRead{Problem: 12, User: bob, Read: true}, // D1: the author of a change has read it
	})
	logged(t, change, `12@1 ProblemCreated : null → {"title":"Café <closed> & \"quoted\"","state":`+ref(open, "Open")+`}`)
	equal(t, "answer", a, Answer[snapshot.Snapshot]{
		Value: snapshot.Snapshot{
			Problem:   want,
			Batch:     change.Batch,
			Size:      size,
			Catalogue: catalogueVersion,
			Read:      true,
			Keywords:  []problem.Keyword{},
			Log:       change.Log,
		},
		Catalogue: a.Catalogue,
		Revision:  1,
		New:       true,
	})
}

// D8: all fields that are set, in the order of D1, as they are called now.
func TestCreateWithEverything(t *testing.T) {
	t.Parallel()
	cmd := CreateProblem{ProblemPatch: ProblemPatch{
		Title:          patch.Set("T"),
		State:          named("Triage"),
		Priority:       named("Urgent"),
		Classification: named("Task"),
		Component:      partial(object{"fullName": "Core/Network"}),
		Milestone:      partial(object{"name": "1.0", "component": nil}),
		Assignee:       partial(object{"email": "BOB@example.ORG"}),
	}}
	change, a, err := decideCreate(by(bob), cmd, newCreation(), at(now))
	noError(t, err)
	equal(t, "fields", a.Value.Fields, problem.Fields{
		Title: "T", State: triage, Priority: urgent, Classification: task, Component: network, Milestone: first, Assignee: bob,
	})
	logged(t, change, `12@1 ProblemCreated : null → {"title":"T","state":`+ref(triage, "Triage")+`,"priority":`+ref(urgent, "Urgent")+
		`,"classification":`+ref(task, "Task")+`,"component":`+ref(network, "Network")+`,"milestone":`+ref(first, "1.0")+`,"assignee":`+ref(bob, "Bob")+`}`)
	if !a.Value.ReadByAssignee {
		t.Error("D1: the assignee created the problem, so he has read it")
	}
}

func TestCreateRefuses(t *testing.T) {
	t.Parallel()
	adapter := func(kind fault.Kind, pointer string) (faults fault.List) {
		faults.Add(kind, memberAt(pointer), "found by the adapter")
		return faults
	}
	for _, c := range []struct {
		rule  string
		cmd   CreateProblem
		kind  fault.Kind
		items []string
	}{
		{"D1: a title is required", CreateProblem{},
			fault.RequiredField, []string{"required-field /title"}},
		{"D1: a title is never null", CreateProblem{ProblemPatch: ProblemPatch{Title: patch.Null[string]()}},
			fault.InvalidValue, []string{"invalid-value /title"}},
		{"D9: a title of white space is empty", CreateProblem{ProblemPatch: titled(" \u2003\t")},
			fault.InvalidValue, []string{"invalid-value /title"}},
		{"D1: a title has at most 1000 characters", CreateProblem{ProblemPatch: titled(strings.Repeat("é", 1001))},
			fault.InvalidValue, []string{"invalid-value /title"}},
		{"D18: what the adapter said of a member is not said again", CreateProblem{Write: Write{Faults: adapter(fault.InvalidType, "/title")}},
			fault.InvalidType, []string{"invalid-type /title"}},
		{"D18: nothing is said of the members of a body that is no object", CreateProblem{Write: Write{Faults: adapter(fault.InvalidType, "")}},
			fault.InvalidType, []string{"invalid-type "}},
		{"D11: all faults are reported together, the adapter's and the domain's",
			CreateProblem{
				Write: Write{Faults: adapter(fault.UnknownField, "/colour")},
				ProblemPatch: ProblemPatch{
					State:     patch.Null[metadata.Partial](),
					Priority:  named("None such"),
					Component: named("Legacy"),
					Milestone: named("1.0"),
					Assignee:  patch.Set[metadata.Partial](metadata.Text("bob")),
					Read:      patch.Null[bool](),
				}},
			fault.ValidationFailed, []string{
				"unknown-field /colour", "required-field /title", "invalid-value /state", "metadata-not-found /priority",
				"invalid-value /component", "metadata-ambiguous /milestone", "invalid-type /assignee", "invalid-value /read",
			}},
		{"D18: faults of one kind give that kind",
			CreateProblem{ProblemPatch: ProblemPatch{Title: patch.Null[string](), State: patch.Null[metadata.Partial]()}},
			fault.InvalidValue, []string{"invalid-value /title", "invalid-value /state"}},
		{"D18: faults of the body come before the transition",
			CreateProblem{ProblemPatch: ProblemPatch{State: named("Closed")}},
			fault.RequiredField, []string{"required-field /title"}},
		{"D19: problems are created in an initial state",
			CreateProblem{ProblemPatch: ProblemPatch{Title: patch.Set("T"), State: named("Closed")}},
			fault.TransitionNotAllowed, nil},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			change, a, err := decideCreate(by(bob), c.cmd, newCreation(), at(now))
			wantFault(t, err, c.kind, c.items...)
			nothing(t, change)
			equal(t, "answer", a, Answer[snapshot.Snapshot]{})
		})
	}
}

// D18: transition-not-allowed lists the states that are allowed, in their order.
func TestTransitionListsStates(t *testing.T) {
	t.Parallel()
	_, _, err := decideCreate(by(bob), CreateProblem{ProblemPatch: ProblemPatch{Title: patch.Set("T"), State: named("Closed")}}, newCreation(), at(now))
	if f := faultOf(t, err); !strings.HasSuffix(f.Detail, ": Open, Triage") {
		t.Errorf("the detail %q does not end with the initial states", f.Detail)
	}
	_, _, err = decideUpdate(by(bob), UpdateProblem{ProblemPatch: ProblemPatch{State: named("In Progress")}}, newLoaded(in(closed)), at(now))
	if f := faultOf(t, err); !strings.HasSuffix(f.Detail, ": Open, Archived") {
		t.Errorf("the detail %q does not end with the next states", f.Detail)
	}
}

// Spec section 2: a patch of one field, with all that follows from it.
func TestUpdateTitle(t *testing.T) {
	t.Parallel()
	m := at(now)
	old := newLoaded(assigned(ann), func(l *loaded) { l.ReadByAssignee = true })
	change, a, err := decideUpdate(by(bob), UpdateProblem{ProblemPatch: titled("Login fails for all")}, old, m)
	noError(t, err)

	want := old.Problem
	want.Title, want.Modifier, want.Modified, want.Revision = "Login fails for all", bob, now, 4
	expects(t, change, store.ProblemAt{ID: 7, Revision: 3, Batch: storedBy}, store.CatalogueAt{Version: catalogueVersion})
	size := int64(len(" for all")) + problem.SavedSize(want.Fields) + logSize(change, 7)
	equal(t, "effects", change.Effects, []store.Effect{
		store.ForgetReads{Problem: 7, But: bob}, // D1: news to everybody else
		store.MarkRead{Problem: 7, User: bob, Read: true},
		store.PutSavepoint{Problem: want},
		store.UpdateProblem{Problem: want, Size: size},
	})
	logged(t, change, `7@4 FieldChanged title: "Login fails" → "Login fails for all"`)

	shown := old.Snapshot
	shown.Size = size
	shown.Problem, shown.Batch, shown.Read, shown.ReadByAssignee, shown.Log = want, change.Batch, true, false, change.Log
	equal(t, "answer", a, Answer[snapshot.Snapshot]{Value: shown, Catalogue: old.catalogue, Revision: 4})
}

// D8: one entry for each field that changed, in the order of D1, all of one batch
// and of one revision.
func TestUpdateLogsEveryField(t *testing.T) {
	t.Parallel()
	old := newLoaded(component(coreID), assigned(ann))
	change, a, err := decideUpdate(by(bob), UpdateProblem{ProblemPatch: ProblemPatch{
		Title:          patch.Set("A \"b\" <c>"),
		State:          named("Closed"),
		Priority:       patch.Null[metadata.Partial](),
		Classification: named("Task"),
		Component:      named("Core"), // as it is
		Milestone:      partial(object{"identifier": coreFirst.String()}),
		Assignee:       named("Bob"),
	}}, old, at(now))
	noError(t, err)
	logged(t, change,
		`7@4 FieldChanged title: "Login fails" → "A \"b\" <c>"`,
		`7@4 FieldChanged state: `+ref(open, "Open")+` → `+ref(closed, "Closed"),
		`7@4 FieldChanged priority: `+ref(low, "Low")+` → null`,
		`7@4 FieldChanged classification: null → `+ref(task, "Task"),
		`7@4 FieldChanged milestone: null → `+ref(coreFirst, "1.0"),
		`7@4 FieldChanged assignee: `+ref(ann, "Ann")+` → `+ref(bob, "Bob"),
	)
	equal(t, "stored", updated(t, change, 7), a.Value.Problem)
	equal(t, "savepoints", effectsOf[store.PutSavepoint](change), []store.PutSavepoint{{Problem: a.Value.Problem}})
	equal(t, "revision", a.Revision, int64(4))
}

// D8: a request that changes nothing writes nothing.
func TestUpdateChangesNothing(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule string
		cmd  UpdateProblem
		old  loaded
	}{
		{"nothing sent", UpdateProblem{}, newLoaded()},
		{"the same title", UpdateProblem{ProblemPatch: titled("Login fails")}, newLoaded()},
		{"D9: the same title, once it is trimmed", UpdateProblem{ProblemPatch: titled(" Login fails\n")}, newLoaded()},
		{"D19: the same state, from which it could not be reached", UpdateProblem{ProblemPatch: ProblemPatch{State: named("Open")}}, newLoaded()},
		{"the same terminal state", UpdateProblem{ProblemPatch: ProblemPatch{State: named("Archived")}}, newLoaded(in(archived))},
		{"null where there is nothing", UpdateProblem{ProblemPatch: ProblemPatch{Assignee: patch.Null[metadata.Partial]()}}, newLoaded()},
		{"D2: the same assignee, inactive by now", UpdateProblem{ProblemPatch: ProblemPatch{Assignee: named("Cat")}}, newLoaded(assigned(cat))},
		{"D2: the same component, closed by now", UpdateProblem{ProblemPatch: ProblemPatch{Component: named("Legacy")}}, newLoaded(component(legacy))},
		{"D1: read, and read before", UpdateProblem{ProblemPatch: ProblemPatch{Read: patch.Set(true)}}, newLoaded(read)},
		{"D1: unread, and unread before", UpdateProblem{ProblemPatch: ProblemPatch{Read: patch.Set(false)}}, newLoaded()},
		{"D11: the current revision", UpdateProblem{Revision: patch.Set[int64](3)}, newLoaded()},
		{"D20: the current revision as If-Match", UpdateProblem{Write: Write{IfMatch: &Match{Revisions: []int64{9, 3}}}}, newLoaded()},
		{"D20: the current revision of this history as If-Match", UpdateProblem{Write: Write{IfMatch: &Match{Made: []Made{MadeOf(newLoaded().Snapshot)}}}}, newLoaded()},
		{"D20: any revision as If-Match", UpdateProblem{Write: Write{IfMatch: &Match{Any: true}}}, newLoaded()},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			change, a, err := decideUpdate(by(bob), c.cmd, c.old, at(now))
			noError(t, err)
			nothing(t, change)
			equal(t, "answer", a, Answer[snapshot.Snapshot]{Value: c.old.Snapshot, Catalogue: c.old.catalogue, Revision: 3})
		})
	}
}

func TestUpdateRefuses(t *testing.T) {
	t.Parallel()
	nobody := patch.Null[metadata.Partial]()
	for _, c := range []struct {
		rule  string
		cmd   UpdateProblem
		old   loaded
		kind  fault.Kind
		items []string
	}{
		{"D1: the title is never null", UpdateProblem{ProblemPatch: ProblemPatch{Title: patch.Null[string]()}}, newLoaded(),
			fault.InvalidValue, []string{"invalid-value /title"}},
		{"D1: the state is never null", UpdateProblem{ProblemPatch: ProblemPatch{State: nobody}}, newLoaded(),
			fault.InvalidValue, []string{"invalid-value /state"}},
		{"D1: read is never null", UpdateProblem{ProblemPatch: ProblemPatch{Read: patch.Null[bool]()}}, newLoaded(),
			fault.InvalidValue, []string{"invalid-value /read"}},
		{"D3: no such object", UpdateProblem{ProblemPatch: ProblemPatch{Milestone: named("9.9")}}, newLoaded(),
			fault.MetadataNotFound, []string{"metadata-not-found /milestone"}},
		{"D3: several such users", UpdateProblem{ProblemPatch: ProblemPatch{Assignee: named("Eve")}}, newLoaded(),
			fault.MetadataAmbiguous, []string{"metadata-ambiguous /assignee"}},
		{"D3: {} is ambiguous", UpdateProblem{ProblemPatch: ProblemPatch{Priority: partial(object{})}}, newLoaded(),
			fault.MetadataAmbiguous, []string{"metadata-ambiguous /priority"}},
		{"D3: a member that such objects do not have", UpdateProblem{ProblemPatch: ProblemPatch{State: partial(object{"colour": "red"})}}, newLoaded(),
			fault.UnknownField, []string{"unknown-field /state/colour"}},
		{"D3: anything but an object", UpdateProblem{ProblemPatch: ProblemPatch{State: patch.Set[metadata.Partial](metadata.Text("Open"))}}, newLoaded(),
			fault.InvalidType, []string{"invalid-type /state"}},
		{"D3: a state is not found by the identifier of a user", UpdateProblem{ProblemPatch: ProblemPatch{State: partial(object{"identifier": ann.String()})}}, newLoaded(),
			fault.MetadataNotFound, []string{"metadata-not-found /state"}},
		{"D2: an inactive user as a new value", UpdateProblem{ProblemPatch: ProblemPatch{Assignee: named("Cat")}}, newLoaded(assigned(ann)),
			fault.InvalidValue, []string{"invalid-value /assignee"}},
		{"D2: a closed component as a new value", UpdateProblem{ProblemPatch: ProblemPatch{Component: named("Legacy")}}, newLoaded(component(coreID)),
			fault.InvalidValue, []string{"invalid-value /component"}},
		{"D11: all faults of a body together", UpdateProblem{
			ProblemPatch: ProblemPatch{Title: patch.Set(""), State: nobody, Assignee: named("Cat"), Priority: partial(object{"x": 1, "name": true})},
			Service:      sentBack(object{"identifier": number(8), "keywords": nil}),
		}, newLoaded(),
			fault.ValidationFailed, []string{
				"invalid-value /title", "invalid-value /state", "invalid-value /assignee", "unknown-field /priority/x", "invalid-type /priority/name",
				"read-only-field /identifier", "read-only-field /keywords",
			}},
		{"D18: 422 before 409", UpdateProblem{ProblemPatch: ProblemPatch{Title: patch.Set(""), State: named("Triage")}}, newLoaded(),
			fault.InvalidValue, []string{"invalid-value /title"}},
		{"D19: a state that is not next", UpdateProblem{ProblemPatch: ProblemPatch{State: named("Triage")}}, newLoaded(),
			fault.TransitionNotAllowed, nil},
		{"D19: nothing follows a terminal state", UpdateProblem{ProblemPatch: ProblemPatch{State: named("Open")}}, newLoaded(in(archived)),
			fault.TransitionNotAllowed, nil},
		{"D19: an initial state is not next by being initial", UpdateProblem{ProblemPatch: ProblemPatch{State: named("Triage")}}, newLoaded(in(closed)),
			fault.TransitionNotAllowed, nil},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			change, a, err := decideUpdate(by(bob), c.cmd, c.old, at(now))
			wantFault(t, err, c.kind, c.items...)
			nothing(t, change)
			equal(t, "answer", a, Answer[snapshot.Snapshot]{})
		})
	}
}

// D52: an update that began with an earlier revision counts on top of the current one.
func TestUpdateOnBase(t *testing.T) {
	t.Parallel()
	// Since the first revision, somebody has given the problem its title and its priority.
	since := newLoaded(func(l *loaded) {
		first, second := l.Problem, l.Problem
		first.Title, first.Priority, first.Revision = "Login", ident.None, 1
		second.Title, second.Revision = "Login fails!", 2
		l.Savepoints = []snapshot.Savepoint{{Problem: first}, {Problem: second}, {Problem: l.Problem}}
	})
	at1 := func(p ProblemPatch) UpdateProblem { return UpdateProblem{Base: patch.Set[int64](1), ProblemPatch: p} }
	for _, c := range []struct {
		rule  string
		cmd   UpdateProblem
		want  problem.Fields
		kind  fault.Kind // empty: it is stored
		items []string
	}{
		{"another field", at1(ProblemPatch{Assignee: named("Bob")}), problem.Fields{Title: "Login fails", State: open, Priority: low, Assignee: bob}, "", nil},
		{"all fields of the base sent back", at1(ProblemPatch{Title: patch.Set("Login"), Priority: patch.Null[metadata.Partial](), State: named("Closed")}),
			problem.Fields{Title: "Login fails", State: closed, Priority: low}, "", nil},
		{"the same value", at1(ProblemPatch{Title: patch.Set("Login fails")}), since.Fields, "", nil},
		{"other values", at1(ProblemPatch{Title: patch.Set("Log in"), Priority: named("Urgent"), Assignee: named("Bob")}), problem.Fields{},
			fault.StaleRevision, []string{"stale-revision /title", "stale-revision /priority"}},
		{"other values than those of the second revision", UpdateProblem{Base: patch.Set[int64](2), ProblemPatch: titled("Login")}, problem.Fields{},
			fault.StaleRevision, []string{"stale-revision /title"}},
		{"the current revision", UpdateProblem{Base: patch.Set[int64](3), ProblemPatch: titled("Login")}, problem.Fields{Title: "Login", State: open, Priority: low}, "", nil},
		{"a comment does not come with half of the fields", UpdateProblem{Base: patch.Set[int64](1), ProblemPatch: titled("Log in"), Comment: patch.Set("a")}, problem.Fields{},
			fault.StaleRevision, []string{"stale-revision /title"}},
		{"D19 is checked anew", at1(ProblemPatch{State: named("Triage")}), problem.Fields{}, fault.TransitionNotAllowed, nil},
		{"D20: If-Match stays strict", UpdateProblem{Base: patch.Set[int64](1), Write: Write{IfMatch: &Match{Revisions: []int64{1}}}}, problem.Fields{}, fault.StaleRevision, nil},
		{"a revision to come", UpdateProblem{Base: patch.Set[int64](4)}, problem.Fields{}, fault.MalformedRequest, nil},
		{"no revision", UpdateProblem{Base: patch.Set[int64](0)}, problem.Fields{}, fault.MalformedRequest, nil},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			change, a, err := decideUpdate(by(bob), c.cmd, since, at(now))
			if c.kind != "" {
				wantFault(t, err, c.kind, c.items...)
				nothing(t, change)
				return
			}
			noError(t, err)
			equal(t, "fields", a.Value.Fields, c.want)
		})
	}
}

// D53: a comment, and the fields beside it, are one change of one revision.
func TestUpdateWithComment(t *testing.T) {
	t.Parallel()
	old := newLoaded()
	for _, c := range []struct {
		cmd        UpdateProblem
		logs       []string
		savepoints int
	}{
		{UpdateProblem{Comment: patch.Set("It was the fuse.")}, nil, 0},
		{UpdateProblem{Comment: patch.Set("It was the fuse."), ProblemPatch: ProblemPatch{State: named("Closed")}}, []string{`7@4 FieldChanged state: ` + ref(open, "Open") + ` → ` + ref(closed, "Closed")}, 1},
	} {
		change, a, err := decideUpdate(by(bob), c.cmd, old, at(now))
		noError(t, err)
		added := effectsOf[store.AddComment](change)
		if len(added) != 1 || added[0].Comment.Text != "It was the fuse." || added[0].Comment.Author != bob || len(effectsOf[store.PutSavepoint](change)) != c.savepoints {
			t.Errorf("the effects are %+v", change.Effects)
			continue
		}
		logged(t, change, append([]string{`7@4 CommentAdded comments: null → "` + added[0].Comment.ID.String() + `"`}, c.logs...)...)
		equal(t, "stored", updated(t, change, 7), a.Value.Problem)
		size := old.Size + added[0].Comment.Size() + logSize(change, 7)
		if c.savepoints > 0 {
			size += problem.SavedSize(a.Value.Fields)
		}
		equal(t, "size", a.Value.Size, size)
	}
	_, _, err := decideUpdate(by(bob), UpdateProblem{Comment: patch.Set(" "), ProblemPatch: titled("")}, old, at(now))
	wantFault(t, err, fault.InvalidValue, "invalid-value /title", "invalid-value /comment")

	change, a, err := decideCreate(by(bob), CreateProblem{ProblemPatch: titled("T"), Comment: patch.Set("a")}, newCreation(), at(now))
	noError(t, err)
	added := effectsOf[store.AddComment](change)
	if len(added) != 1 || added[0].Problem != 12 || change.Log[1].Type != problem.CommentAdded || a.Value.Size != effectsOf[store.CreateProblem](change)[0].Size {
		t.Errorf("the creation is %+v", change)
	}
}

// D11, D18, D20: another revision is 412, says the current one, and comes before
// everything that is wrong with the body.
func TestStaleRevision(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule string
		cmd  UpdateProblem
	}{
		{"an older revision in the body", UpdateProblem{Revision: patch.Set[int64](2)}},
		{"a newer revision in the body", UpdateProblem{Revision: patch.Set[int64](4)}},
		{"null is not the current revision", UpdateProblem{Revision: patch.Null[int64]()}},
		{"another revision as If-Match", UpdateProblem{Write: Write{IfMatch: &Match{Revisions: []int64{2, 4}}}}},
		{"the same revision of another history as If-Match", UpdateProblem{Write: Write{IfMatch: &Match{Made: []Made{{Revision: 3, By: [4]byte{1}}}}}}},
		{"no revision as If-Match", UpdateProblem{Write: Write{IfMatch: &Match{}}}},
		{"a weak tag as If-Match", UpdateProblem{Write: Write{IfMatch: &Match{Weak: []int64{3}}}}},
		{"If-Match agrees, the body does not", UpdateProblem{Write: Write{IfMatch: &Match{Any: true}}, Revision: patch.Set[int64](2)}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			c.cmd.Title = patch.Set("")
			c.cmd.Faults.Add(fault.UnknownField, fault.At("colour"), "is not known")
			change, _, err := decideUpdate(by(bob), c.cmd, newLoaded(), at(now))
			wantFault(t, err, fault.StaleRevision)
			nothing(t, change)
			equal(t, "the current revision", faultOf(t, err).Revision, int64(3))
		})
	}
}

// D1: resolver and resolveDate are of the latest move into a resolved state.
func TestResolver(t *testing.T) {
	t.Parallel()
	type resolution struct {
		Resolver ident.ID
		Resolved time.Time
	}
	before := noon.Add(-time.Minute)
	for _, c := range []struct {
		rule string
		old  loaded
		cmd  ProblemPatch
		want resolution
	}{
		{"a move into a resolved state", newLoaded(), ProblemPatch{State: named("Closed")}, resolution{bob, now}},
		{"a move between two resolved states is a new one", newLoaded(resolvedBy(ann, before)), ProblemPatch{State: named("Archived")}, resolution{bob, now}},
		{"a move out of a resolved state", newLoaded(resolvedBy(ann, before)), ProblemPatch{State: named("Open")}, resolution{}},
		{"a change while resolved is no move", newLoaded(resolvedBy(ann, before)), titled("T"), resolution{ann, before}},
		{"the same state again is no move", newLoaded(resolvedBy(ann, before)), ProblemPatch{Title: patch.Set("T"), State: named("Closed")}, resolution{ann, before}},
		{"a move between two open states", newLoaded(), ProblemPatch{State: named("In Progress")}, resolution{}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			change, a, err := decideUpdate(by(bob), UpdateProblem{ProblemPatch: c.cmd}, c.old, at(now))
			noError(t, err)
			p := updated(t, change, 7)
			equal(t, "stored", resolution{p.Resolver, p.Resolved}, c.want)
			equal(t, "answered", resolution{a.Value.Resolver, a.Value.Resolved}, c.want)
			equal(t, "savepoint", effectsOf[store.PutSavepoint](change), []store.PutSavepoint{{Problem: p}})
			if len(change.Log) != 1 {
				t.Errorf("D8: %d log entries, want one: resolver and resolveDate have none of their own", len(change.Log))
			}
		})
	}
}

// D1: a problem created in a state that is initial and resolved is resolved by
// its originator.
func TestCreateResolved(t *testing.T) {
	t.Parallel()
	c := newCreation()
	c.catalogue = metadata.NewCatalogue(ident.Version{Number: 1}, metadata.Content{States: []metadata.State{{ID: closed, Name: "Done", Initial: true, Resolved: true}}})
	_, a, err := decideCreate(by(bob), CreateProblem{ProblemPatch: titled("T")}, c, at(now))
	noError(t, err)
	if a.Value.Resolver != bob || !a.Value.Resolved.Equal(now) {
		t.Errorf("resolved by %s at %s, want %s and %s", a.Value.Resolver, a.Value.Resolved, bob, now)
	}
}

// D1: modificationDate is never earlier than before, though clocks step back; and
// all that the request dates has one time.
func TestClockSteppedBack(t *testing.T) {
	t.Parallel()
	change, a, err := decideUpdate(by(bob), UpdateProblem{ProblemPatch: ProblemPatch{State: named("Closed")}}, newLoaded(), at(noon.Add(-time.Minute)))
	noError(t, err)
	equal(t, "time of the change", change.At, noon)
	equal(t, "modificationDate", a.Value.Modified, noon)
	equal(t, "resolveDate", a.Value.Resolved, noon)
	logged(t, change, `7@4 FieldChanged state: `+ref(open, "Open")+` → `+ref(closed, "Closed"))
}

// Problems have numbers that archives can name, with the next one.
func TestNumbersRunOut(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.memory.reserved = problem.MaxID - 1
	equal(t, "the last number", s.create(t, "Last"), problem.MaxID)
	before := len(s.memory.commits)
	_, err := s.CreateProblem(t.Context(), s.admin, CreateProblem{ProblemPatch: titled("Beyond")})
	if !fault.Is(err, fault.InvalidValue) || !strings.Contains(err.Error(), "9007199254740990") {
		t.Errorf("there is no number left: %v", err)
	}
	equal(t, "changes", len(s.memory.commits), before)
}
