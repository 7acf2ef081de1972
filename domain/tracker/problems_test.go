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
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

func newCreation() creation { return creation{catalogue: kit.Catalogue, id: 12} }

func titled(title string) ProblemPatch { return ProblemPatch{Title: patch.Set(title)} }

// D1, D8: what the creation of a problem with nothing but a title is.
func TestCreateWithTitle(t *testing.T) {
	t.Parallel()
	m := kit.At(kit.Now)
	change, a, err := decideCreate(by(kit.Bob), CreateProblem{ProblemPatch: titled("  Cafe\u0301 <closed> & \"quoted\"\t")}, newCreation(), m)
	kit.NoError(t, err)

	want := problem.Problem{
		ID:         12,
		Fields:     problem.Fields{Title: "Café <closed> & \"quoted\"", State: kit.Open}, // D9: trimmed, NFC; D1: first initial state
		Originator: kit.Bob,
		Created:    kit.Now,
		Modifier:   kit.Bob,
		Modified:   kit.Now,
		Revision:   1,
	}
	kit.Equal(t, "batch", change.Batch, kit.BatchOf(m))
	kit.Equal(t, "author", change.Author, kit.Bob)
	kit.Equal(t, "time", change.At, kit.Now)
	kit.Expects(t, change, store.CatalogueAt{Version: kit.CatalogueVersion})
	size := int64(len(want.Title)) + problem.SavedSize(want.Fields) + kit.LogSize(change, 12)
	kit.Equal(t, "effects", change.Effects, []store.Effect{
		store.CreateProblem{Problem: want, Size: size},
		store.PutSavepoint{Problem: want},
		store.MarkRead{Problem: 12, User: kit.Bob, Read: true}, // D1: the author of a change has read it
	})
	kit.Logged(t, change, `12@1 ProblemCreated : null → {"title":"Café <closed> & \"quoted\"","state":`+kit.Ref(kit.Open, "Open")+`}`)
	kit.Equal(t, "answer", a, Answer[snapshot.Snapshot]{
		Value: snapshot.Snapshot{
			Problem:   want,
			Batch:     change.Batch,
			Size:      size,
			Catalogue: kit.CatalogueVersion,
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
		State:          kit.Named("Triage"),
		Priority:       kit.Named("Urgent"),
		Classification: kit.Named("Task"),
		Component:      kit.Partial(kit.Object{"fullName": "Core/Network"}),
		Milestone:      kit.Partial(kit.Object{"name": "1.0", "component": nil}),
		Assignee:       kit.Partial(kit.Object{"email": "BOB@example.ORG"}),
	}}
	change, a, err := decideCreate(by(kit.Bob), cmd, newCreation(), kit.At(kit.Now))
	kit.NoError(t, err)
	kit.Equal(t, "fields", a.Value.Fields, problem.Fields{
		Title: "T", State: kit.Triage, Priority: kit.Urgent, Classification: kit.Task, Component: kit.Network, Milestone: kit.First, Assignee: kit.Bob,
	})
	kit.Logged(t, change, `12@1 ProblemCreated : null → {"title":"T","state":`+kit.Ref(kit.Triage, "Triage")+`,"priority":`+kit.Ref(kit.Urgent, "Urgent")+
		`,"classification":`+kit.Ref(kit.Task, "Task")+`,"component":`+kit.Ref(kit.Network, "Network")+`,"milestone":`+kit.Ref(kit.First, "1.0")+`,"assignee":`+kit.Ref(kit.Bob, "Bob")+`}`)
	if !a.Value.ReadByAssignee {
		t.Error("D1: the assignee created the problem, so he has read it")
	}
}

func TestCreateRefuses(t *testing.T) {
	t.Parallel()
	adapter := func(kind fault.Kind, pointer string) (faults fault.List) {
		faults.Add(kind, kit.MemberAt(pointer), "found by the adapter")
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
					Priority:  kit.Named("None such"),
					Component: kit.Named("Legacy"),
					Milestone: kit.Named("1.0"),
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
			CreateProblem{ProblemPatch: ProblemPatch{State: kit.Named("Closed")}},
			fault.RequiredField, []string{"required-field /title"}},
		{"D19: problems are created in an initial state",
			CreateProblem{ProblemPatch: ProblemPatch{Title: patch.Set("T"), State: kit.Named("Closed")}},
			fault.TransitionNotAllowed, nil},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			change, a, err := decideCreate(by(kit.Bob), c.cmd, newCreation(), kit.At(kit.Now))
			kit.WantFault(t, err, c.kind, c.items...)
			kit.Nothing(t, change)
			kit.Equal(t, "answer", a, Answer[snapshot.Snapshot]{})
		})
	}
}

// D18: transition-not-allowed lists the states that are allowed, in their order.
func TestTransitionListsStates(t *testing.T) {
	t.Parallel()
	_, _, err := decideCreate(by(kit.Bob), CreateProblem{ProblemPatch: ProblemPatch{Title: patch.Set("T"), State: kit.Named("Closed")}}, newCreation(), kit.At(kit.Now))
	if f := kit.FaultOf(t, err); !strings.HasSuffix(f.Detail, ": Open, Triage") {
		t.Errorf("the detail %q does not end with the initial states", f.Detail)
	}
	_, _, err = decideUpdate(by(kit.Bob), UpdateProblem{ProblemPatch: ProblemPatch{State: kit.Named("In Progress")}}, newLoaded(in(kit.Closed)), kit.At(kit.Now))
	if f := kit.FaultOf(t, err); !strings.HasSuffix(f.Detail, ": Open, Archived") {
		t.Errorf("the detail %q does not end with the next states", f.Detail)
	}
}

// Spec section 2: a patch of one field, with all that follows from it.
func TestUpdateTitle(t *testing.T) {
	t.Parallel()
	m := kit.At(kit.Now)
	old := newLoaded(assigned(kit.Ann), func(l *loaded) { l.ReadByAssignee = true })
	change, a, err := decideUpdate(by(kit.Bob), UpdateProblem{ProblemPatch: titled("Login fails for all")}, old, m)
	kit.NoError(t, err)

	want := old.Problem
	want.Title, want.Modifier, want.Modified, want.Revision = "Login fails for all", kit.Bob, kit.Now, 4
	kit.Expects(t, change, store.ProblemAt{ID: 7, Revision: 3, Batch: kit.StoredBy}, store.CatalogueAt{Version: kit.CatalogueVersion})
	size := int64(len(" for all")) + problem.SavedSize(want.Fields) + kit.LogSize(change, 7)
	kit.Equal(t, "effects", change.Effects, []store.Effect{
		store.ForgetReads{Problem: 7, But: kit.Bob}, // D1: news to everybody else
		store.MarkRead{Problem: 7, User: kit.Bob, Read: true},
		store.PutSavepoint{Problem: want},
		store.UpdateProblem{Problem: want, Size: size},
	})
	kit.Logged(t, change, `7@4 FieldChanged title: "Login fails" → "Login fails for all"`)

	shown := old.Snapshot
	shown.Size = size
	shown.Problem, shown.Batch, shown.Read, shown.ReadByAssignee, shown.Log = want, change.Batch, true, false, change.Log
	kit.Equal(t, "answer", a, Answer[snapshot.Snapshot]{Value: shown, Catalogue: old.catalogue, Revision: 4})
}

// D8: one entry for each field that changed, in the order of D1, all of one batch
// and of one revision.
func TestUpdateLogsEveryField(t *testing.T) {
	t.Parallel()
	old := newLoaded(component(kit.CoreID), assigned(kit.Ann))
	change, a, err := decideUpdate(by(kit.Bob), UpdateProblem{ProblemPatch: ProblemPatch{
		Title:          patch.Set("A \"b\" <c>"),
		State:          kit.Named("Closed"),
		Priority:       patch.Null[metadata.Partial](),
		Classification: kit.Named("Task"),
		Component:      kit.Named("Core"), // as it is
		Milestone:      kit.Partial(kit.Object{"identifier": kit.CoreFirst.String()}),
		Assignee:       kit.Named("Bob"),
	}}, old, kit.At(kit.Now))
	kit.NoError(t, err)
	kit.Logged(t, change,
		`7@4 FieldChanged title: "Login fails" → "A \"b\" <c>"`,
		`7@4 FieldChanged state: `+kit.Ref(kit.Open, "Open")+` → `+kit.Ref(kit.Closed, "Closed"),
		`7@4 FieldChanged priority: `+kit.Ref(kit.Low, "Low")+` → null`,
		`7@4 FieldChanged classification: null → `+kit.Ref(kit.Task, "Task"),
		`7@4 FieldChanged milestone: null → `+kit.Ref(kit.CoreFirst, "1.0"),
		`7@4 FieldChanged assignee: `+kit.Ref(kit.Ann, "Ann")+` → `+kit.Ref(kit.Bob, "Bob"),
	)
	kit.Equal(t, "stored", kit.Updated(t, change, 7), a.Value.Problem)
	kit.Equal(t, "savepoints", kit.EffectsOf[store.PutSavepoint](change), []store.PutSavepoint{{Problem: a.Value.Problem}})
	kit.Equal(t, "revision", a.Revision, int64(4))
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
		{"D19: the same state, from which it could not be reached", UpdateProblem{ProblemPatch: ProblemPatch{State: kit.Named("Open")}}, newLoaded()},
		{"the same terminal state", UpdateProblem{ProblemPatch: ProblemPatch{State: kit.Named("Archived")}}, newLoaded(in(kit.Archived))},
		{"null where there is nothing", UpdateProblem{ProblemPatch: ProblemPatch{Assignee: patch.Null[metadata.Partial]()}}, newLoaded()},
		{"D2: the same assignee, inactive by now", UpdateProblem{ProblemPatch: ProblemPatch{Assignee: kit.Named("Cat")}}, newLoaded(assigned(kit.Cat))},
		{"D2: the same component, closed by now", UpdateProblem{ProblemPatch: ProblemPatch{Component: kit.Named("Legacy")}}, newLoaded(component(kit.Legacy))},
		{"D1: read, and read before", UpdateProblem{ProblemPatch: ProblemPatch{Read: patch.Set(true)}}, newLoaded(read)},
		{"D1: unread, and unread before", UpdateProblem{ProblemPatch: ProblemPatch{Read: patch.Set(false)}}, newLoaded()},
		{"D11: the current revision", UpdateProblem{Revision: patch.Set[int64](3)}, newLoaded()},
		{"D20: the current revision as If-Match", UpdateProblem{Write: Write{IfMatch: &Match{Revisions: []int64{9, 3}}}}, newLoaded()},
		{"D20: the current revision of this history as If-Match", UpdateProblem{Write: Write{IfMatch: &Match{Made: []Made{MadeOf(newLoaded().Snapshot)}}}}, newLoaded()},
		{"D20: any revision as If-Match", UpdateProblem{Write: Write{IfMatch: &Match{Any: true}}}, newLoaded()},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			change, a, err := decideUpdate(by(kit.Bob), c.cmd, c.old, kit.At(kit.Now))
			kit.NoError(t, err)
			kit.Nothing(t, change)
			kit.Equal(t, "answer", a, Answer[snapshot.Snapshot]{Value: c.old.Snapshot, Catalogue: c.old.catalogue, Revision: 3})
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
		{"D3: no such object", UpdateProblem{ProblemPatch: ProblemPatch{Milestone: kit.Named("9.9")}}, newLoaded(),
			fault.MetadataNotFound, []string{"metadata-not-found /milestone"}},
		{"D3: several such users", UpdateProblem{ProblemPatch: ProblemPatch{Assignee: kit.Named("Eve")}}, newLoaded(),
			fault.MetadataAmbiguous, []string{"metadata-ambiguous /assignee"}},
		{"D3: {} is ambiguous", UpdateProblem{ProblemPatch: ProblemPatch{Priority: kit.Partial(kit.Object{})}}, newLoaded(),
			fault.MetadataAmbiguous, []string{"metadata-ambiguous /priority"}},
		{"D3: a member that such objects do not have", UpdateProblem{ProblemPatch: ProblemPatch{State: kit.Partial(kit.Object{"colour": "red"})}}, newLoaded(),
			fault.UnknownField, []string{"unknown-field /state/colour"}},
		{"D3: anything but an object", UpdateProblem{ProblemPatch: ProblemPatch{State: patch.Set[metadata.Partial](metadata.Text("Open"))}}, newLoaded(),
			fault.InvalidType, []string{"invalid-type /state"}},
		{"D3: a state is not found by the identifier of a user", UpdateProblem{ProblemPatch: ProblemPatch{State: kit.Partial(kit.Object{"identifier": kit.Ann.String()})}}, newLoaded(),
			fault.MetadataNotFound, []string{"metadata-not-found /state"}},
		{"D2: an inactive user as a new value", UpdateProblem{ProblemPatch: ProblemPatch{Assignee: kit.Named("Cat")}}, newLoaded(assigned(kit.Ann)),
			fault.InvalidValue, []string{"invalid-value /assignee"}},
		{"D2: a closed component as a new value", UpdateProblem{ProblemPatch: ProblemPatch{Component: kit.Named("Legacy")}}, newLoaded(component(kit.CoreID)),
			fault.InvalidValue, []string{"invalid-value /component"}},
		{"D11: all faults of a body together", UpdateProblem{
			ProblemPatch: ProblemPatch{Title: patch.Set(""), State: nobody, Assignee: kit.Named("Cat"), Priority: kit.Partial(kit.Object{"x": 1, "name": true})},
			Service:      kit.SentBack(kit.Object{"identifier": number(8), "keywords": nil}),
		}, newLoaded(),
			fault.ValidationFailed, []string{
				"invalid-value /title", "invalid-value /state", "invalid-value /assignee", "unknown-field /priority/x", "invalid-type /priority/name",
				"read-only-field /identifier", "read-only-field /keywords",
			}},
		{"D18: 422 before 409", UpdateProblem{ProblemPatch: ProblemPatch{Title: patch.Set(""), State: kit.Named("Triage")}}, newLoaded(),
			fault.InvalidValue, []string{"invalid-value /title"}},
		{"D19: a state that is not next", UpdateProblem{ProblemPatch: ProblemPatch{State: kit.Named("Triage")}}, newLoaded(),
			fault.TransitionNotAllowed, nil},
		{"D19: nothing follows a terminal state", UpdateProblem{ProblemPatch: ProblemPatch{State: kit.Named("Open")}}, newLoaded(in(kit.Archived)),
			fault.TransitionNotAllowed, nil},
		{"D19: an initial state is not next by being initial", UpdateProblem{ProblemPatch: ProblemPatch{State: kit.Named("Triage")}}, newLoaded(in(kit.Closed)),
			fault.TransitionNotAllowed, nil},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			change, a, err := decideUpdate(by(kit.Bob), c.cmd, c.old, kit.At(kit.Now))
			kit.WantFault(t, err, c.kind, c.items...)
			kit.Nothing(t, change)
			kit.Equal(t, "answer", a, Answer[snapshot.Snapshot]{})
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
		{"another field", at1(ProblemPatch{Assignee: kit.Named("Bob")}), problem.Fields{Title: "Login fails", State: kit.Open, Priority: kit.Low, Assignee: kit.Bob}, "", nil},
		{"all fields of the base sent back", at1(ProblemPatch{Title: patch.Set("Login"), Priority: patch.Null[metadata.Partial](), State: kit.Named("Closed")}),
			problem.Fields{Title: "Login fails", State: kit.Closed, Priority: kit.Low}, "", nil},
		{"the same value", at1(ProblemPatch{Title: patch.Set("Login fails")}), since.Fields, "", nil},
		{"other values", at1(ProblemPatch{Title: patch.Set("Log in"), Priority: kit.Named("Urgent"), Assignee: kit.Named("Bob")}), problem.Fields{},
			fault.StaleRevision, []string{"stale-revision /title", "stale-revision /priority"}},
		{"other values than those of the second revision", UpdateProblem{Base: patch.Set[int64](2), ProblemPatch: titled("Login")}, problem.Fields{},
			fault.StaleRevision, []string{"stale-revision /title"}},
		{"the current revision", UpdateProblem{Base: patch.Set[int64](3), ProblemPatch: titled("Login")}, problem.Fields{Title: "Login", State: kit.Open, Priority: kit.Low}, "", nil},
		{"a comment does not come with half of the fields", UpdateProblem{Base: patch.Set[int64](1), ProblemPatch: titled("Log in"), Comment: patch.Set("a")}, problem.Fields{},
			fault.StaleRevision, []string{"stale-revision /title"}},
		{"D19 is checked anew", at1(ProblemPatch{State: kit.Named("Triage")}), problem.Fields{}, fault.TransitionNotAllowed, nil},
		{"D20: If-Match stays strict", UpdateProblem{Base: patch.Set[int64](1), Write: Write{IfMatch: &Match{Revisions: []int64{1}}}}, problem.Fields{}, fault.StaleRevision, nil},
		{"a revision to come", UpdateProblem{Base: patch.Set[int64](4)}, problem.Fields{}, fault.MalformedRequest, nil},
		{"no revision", UpdateProblem{Base: patch.Set[int64](0)}, problem.Fields{}, fault.MalformedRequest, nil},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			change, a, err := decideUpdate(by(kit.Bob), c.cmd, since, kit.At(kit.Now))
			if c.kind != "" {
				kit.WantFault(t, err, c.kind, c.items...)
				kit.Nothing(t, change)
				return
			}
			kit.NoError(t, err)
			kit.Equal(t, "fields", a.Value.Fields, c.want)
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
		{UpdateProblem{Comment: patch.Set("It was the fuse."), ProblemPatch: ProblemPatch{State: kit.Named("Closed")}}, []string{`7@4 FieldChanged state: ` + kit.Ref(kit.Open, "Open") + ` → ` + kit.Ref(kit.Closed, "Closed")}, 1},
	} {
		change, a, err := decideUpdate(by(kit.Bob), c.cmd, old, kit.At(kit.Now))
		kit.NoError(t, err)
		added := kit.EffectsOf[store.AddComment](change)
		if len(added) != 1 || added[0].Comment.Text != "It was the fuse." || added[0].Comment.Author != kit.Bob || len(kit.EffectsOf[store.PutSavepoint](change)) != c.savepoints {
			t.Errorf("the effects are %+v", change.Effects)
			continue
		}
		kit.Logged(t, change, append([]string{`7@4 CommentAdded comments: null → "` + added[0].Comment.ID.String() + `"`}, c.logs...)...)
		kit.Equal(t, "stored", kit.Updated(t, change, 7), a.Value.Problem)
		size := old.Size + added[0].Comment.Size() + kit.LogSize(change, 7)
		if c.savepoints > 0 {
			size += problem.SavedSize(a.Value.Fields)
		}
		kit.Equal(t, "size", a.Value.Size, size)
	}
	_, _, err := decideUpdate(by(kit.Bob), UpdateProblem{Comment: patch.Set(" "), ProblemPatch: titled("")}, old, kit.At(kit.Now))
	kit.WantFault(t, err, fault.InvalidValue, "invalid-value /title", "invalid-value /comment")

	change, a, err := decideCreate(by(kit.Bob), CreateProblem{ProblemPatch: titled("T"), Comment: patch.Set("a")}, newCreation(), kit.At(kit.Now))
	kit.NoError(t, err)
	added := kit.EffectsOf[store.AddComment](change)
	if len(added) != 1 || added[0].Problem != 12 || change.Log[1].Type != problem.CommentAdded || a.Value.Size != kit.EffectsOf[store.CreateProblem](change)[0].Size {
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
			change, _, err := decideUpdate(by(kit.Bob), c.cmd, newLoaded(), kit.At(kit.Now))
			kit.WantFault(t, err, fault.StaleRevision)
			kit.Nothing(t, change)
			kit.Equal(t, "the current revision", kit.FaultOf(t, err).Revision, int64(3))
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
	before := kit.Noon.Add(-time.Minute)
	for _, c := range []struct {
		rule string
		old  loaded
		cmd  ProblemPatch
		want resolution
	}{
		{"a move into a resolved state", newLoaded(), ProblemPatch{State: kit.Named("Closed")}, resolution{kit.Bob, kit.Now}},
		{"a move between two resolved states is a new one", newLoaded(resolvedBy(kit.Ann, before)), ProblemPatch{State: kit.Named("Archived")}, resolution{kit.Bob, kit.Now}},
		{"a move out of a resolved state", newLoaded(resolvedBy(kit.Ann, before)), ProblemPatch{State: kit.Named("Open")}, resolution{}},
		{"a change while resolved is no move", newLoaded(resolvedBy(kit.Ann, before)), titled("T"), resolution{kit.Ann, before}},
		{"the same state again is no move", newLoaded(resolvedBy(kit.Ann, before)), ProblemPatch{Title: patch.Set("T"), State: kit.Named("Closed")}, resolution{kit.Ann, before}},
		{"a move between two open states", newLoaded(), ProblemPatch{State: kit.Named("In Progress")}, resolution{}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			change, a, err := decideUpdate(by(kit.Bob), UpdateProblem{ProblemPatch: c.cmd}, c.old, kit.At(kit.Now))
			kit.NoError(t, err)
			p := kit.Updated(t, change, 7)
			kit.Equal(t, "stored", resolution{p.Resolver, p.Resolved}, c.want)
			kit.Equal(t, "answered", resolution{a.Value.Resolver, a.Value.Resolved}, c.want)
			kit.Equal(t, "savepoint", kit.EffectsOf[store.PutSavepoint](change), []store.PutSavepoint{{Problem: p}})
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
	c.catalogue = metadata.NewCatalogue(ident.Version{Number: 1}, metadata.Content{States: []metadata.State{{ID: kit.Closed, Name: "Done", Initial: true, Resolved: true}}})
	_, a, err := decideCreate(by(kit.Bob), CreateProblem{ProblemPatch: titled("T")}, c, kit.At(kit.Now))
	kit.NoError(t, err)
	if a.Value.Resolver != kit.Bob || !a.Value.Resolved.Equal(kit.Now) {
		t.Errorf("resolved by %s at %s, want %s and %s", a.Value.Resolver, a.Value.Resolved, kit.Bob, kit.Now)
	}
}

// D1: modificationDate is never earlier than before, though clocks step back; and
// all that the request dates has one time.
func TestClockSteppedBack(t *testing.T) {
	t.Parallel()
	change, a, err := decideUpdate(by(kit.Bob), UpdateProblem{ProblemPatch: ProblemPatch{State: kit.Named("Closed")}}, newLoaded(), kit.At(kit.Noon.Add(-time.Minute)))
	kit.NoError(t, err)
	kit.Equal(t, "time of the change", change.At, kit.Noon)
	kit.Equal(t, "modificationDate", a.Value.Modified, kit.Noon)
	kit.Equal(t, "resolveDate", a.Value.Resolved, kit.Noon)
	kit.Logged(t, change, `7@4 FieldChanged state: `+kit.Ref(kit.Open, "Open")+` → `+kit.Ref(kit.Closed, "Closed"))
}

// Problems have numbers that archives can name, with the next one.
func TestNumbersRunOut(t *testing.T) {
	t.Parallel()
	s := newService(t)
	s.memory.Reserved = problem.MaxID - 1
	kit.Equal(t, "the last number", s.create(t, "Last"), problem.MaxID)
	before := len(s.memory.Commits)
	_, err := s.CreateProblem(t.Context(), s.admin, CreateProblem{ProblemPatch: titled("Beyond")})
	if !fault.Is(err, fault.InvalidValue) || !strings.Contains(err.Error(), "9007199254740990") {
		t.Errorf("there is no number left: %v", err)
	}
	kit.Equal(t, "changes", len(s.memory.Commits), before)
}
