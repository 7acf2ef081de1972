package tracker

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/user"
)

// object is a JSON object as a driving adapter decodes it.
type object = map[string]any

// partial is a field that is sent with a partial object.
func partial(o object) patch.Field[metadata.Partial] { return patch.Set(asPartial(o)) }

// asPartial returns a decoded JSON value as the driving adapter sends a reference.
func asPartial(value any) metadata.Partial {
	switch value := value.(type) {
	case nil:
		return nil
	case string:
		return metadata.Text(value)
	case json.Number:
		return metadata.Number(value)
	case int:
		return metadata.Number(strconv.Itoa(value))
	case bool:
		return metadata.Flag(value)
	case []any:
		list := make(metadata.List, len(value))
		for i, element := range value {
			list[i] = asPartial(element)
		}
		return list
	case object:
		members := make(metadata.Members, len(value))
		for name, member := range value {
			members[name] = asPartial(member)
		}
		return members
	}
	panic(fmt.Sprintf("no JSON value: %T", value))
}

// named is a field that is sent with the name of an object.
func named(name string) patch.Field[metadata.Partial] { return partial(object{"name": name}) }

// The objects of the catalogue that most tests share: see newContent.
var (
	ann, bob, cat = testID(1), testID(2), testID(3) // Cat is inactive
	eve1, eve2    = testID(4), testID(5)            // share a name

	open, triage, inProgress, closed, archived = testID(11), testID(12), testID(13), testID(14), testID(15)
	urgent, low                                = testID(21), testID(22)
	bug, task                                  = testID(31), testID(32)
	coreID, network, legacy                    = testID(41), testID(42), testID(43)
	first, coreFirst                           = testID(51), testID(52)
)

func testID(n byte) ident.ID { return ident.ID{6: 0x70, 8: 0x80, 15: n} }

// catalogueVersion is the version of testCatalogue.
var catalogueVersion = ident.Version{Number: 5, Batch: testID(201)}

// storedBy is the batch that made the revision of the problem of newLoaded.
var storedBy = testID(202)

var testCatalogue = metadata.NewCatalogue(catalogueVersion, newContent())

func newContent() metadata.Content {
	return metadata.Content{
		States: []metadata.State{
			{ID: open, Name: "Open", Initial: true, Order: 1, Next: []ident.ID{inProgress, closed}},
			{ID: triage, Name: "Triage", Initial: true, Order: 1, Next: []ident.ID{open}},
			{ID: inProgress, Name: "In Progress", Order: 2, Next: []ident.ID{open, closed}},
			{ID: closed, Name: "Closed", Resolved: true, Order: 3, Next: []ident.ID{open, archived}},
			{ID: archived, Name: "Archived", Resolved: true, Order: 4},
		},
		Priorities: []metadata.Priority{{ID: urgent, Name: "Urgent", Order: 1}, {ID: low, Name: "Low", Order: 2}},
		Classifications: []metadata.Classification{
			{ID: bug, Name: "Incorrect Behavior"},
			{ID: task, Name: "Task"},
		},
		Components: []metadata.Component{
			{ID: coreID, Name: "Core"},
			{ID: network, Name: "Network", Parent: coreID},
			{ID: legacy, Name: "Legacy", Closed: true, Successor: coreID},
		},
		Milestones: []metadata.Milestone{
			{ID: first, Name: "1.0", Created: noon},
			{ID: coreFirst, Name: "1.0", Component: coreID, Created: noon, End: noon.Add(time.Hour)},
		},
		Users: []user.User{
			{ID: ann, Name: "Ann", Email: "ann@example.org"},
			{ID: bob, Name: "Bob", Email: "bob@example.org"},
			{ID: cat, Name: "Cat", Email: "cat@example.org", Inactive: true},
			{ID: eve1, Name: "Eve", Email: "eve@example.org"},
			{ID: eve2, Name: "Eve", Email: "eve@example.com"},
		},
	}
}

// noon is when the problem of newLoaded was last changed; the decisions of most
// tests are made an hour later, at now.
var (
	noon = time.Date(2015, 11, 5, 12, 0, 0, 0, time.UTC)
	now  = noon.Add(time.Hour)
)

func at(t time.Time) changes.Moment {
	return changes.Moment{At: t, IDs: ident.NewSequence(t, [10]byte{9: 1})}
}

// batchOf returns the identifier that a decision at the moment gives its batch:
// the first of the sequence.
func batchOf(m changes.Moment) ident.ID { return m.IDs.Next() }

// by is a caller that may do everything the tracker decides about.
func by(who ident.ID) Caller { return Caller{User: who, Scope: access.Admin} }

// newLoaded is problem 7 in its third revision, made and last changed by Ann, as
// somebody sees it who has not read it. Nobody is assigned.
func newLoaded(edits ...func(*loaded)) loaded {
	l := loaded{
		Snapshot: snapshot.Snapshot{
			Problem: problem.Problem{
				ID:         7,
				Fields:     problem.Fields{Title: "Login fails", State: open, Priority: low},
				Originator: ann,
				Created:    noon.Add(-time.Hour),
				Modifier:   ann,
				Modified:   noon,
				Revision:   3,
			},
			Batch:     storedBy,
			Catalogue: catalogueVersion,
			Keywords: []problem.Keyword{
				{Name: "build", Value: problem.Text("1A2")},
				{Name: "regression"},
			},
		},
		catalogue: testCatalogue,
	}
	for _, edit := range edits {
		edit(&l)
	}
	return l
}

func in(state ident.ID) func(*loaded)     { return func(l *loaded) { l.State = state } }
func assigned(to ident.ID) func(*loaded)  { return func(l *loaded) { l.Assignee = to } }
func component(id ident.ID) func(*loaded) { return func(l *loaded) { l.Component = id } }
func read(l *loaded)                      { l.Read = true }

func resolvedBy(who ident.ID, when time.Time) func(*loaded) {
	return func(l *loaded) { l.State, l.Resolver, l.Resolved = closed, who, when }
}

// equal reports a difference between what a test got and what it wants.
func equal(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("%s:\n got %+v\nwant %+v", what, got, want)
	}
}

// noError ends the test when there is an error.
func noError(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatalf("unexpected error: %v", err)
	}
}

// wantFault checks the kind of an error and, where the test names them, its items,
// each as "kind pointer".
func wantFault(t *testing.T, err error, kind fault.Kind, items ...string) {
	t.Helper()
	if !fault.Is(err, kind) {
		t.Fatalf("got the error %v, want one of kind %s", err, kind)
	}
	if len(items) == 0 {
		return
	}
	var got []string
	for _, item := range faultOf(t, err).Items {
		got = append(got, string(item.Kind)+" "+pointer(item.At))
		if item.Detail == "" {
			t.Errorf("the fault at %q has no detail", pointer(item.At))
		}
	}
	slices.Sort(got)
	slices.Sort(items)
	equal(t, "faults", got, items)
}

// faultOf returns err as the fault that it has to be.
func faultOf(t *testing.T, err error) *fault.Error {
	t.Helper()
	f, ok := err.(*fault.Error)
	if !ok {
		t.Fatalf("the error %v is no *fault.Error", err)
	}
	return f
}

// effectsOf returns the effects of one type.
func effectsOf[E store.Effect](c store.Change) (effects []E) {
	for _, e := range c.Effects {
		if e, ok := e.(E); ok {
			effects = append(effects, e)
		}
	}
	return effects
}

// updated returns the problem that the change stores.
func updated(t *testing.T, c store.Change, id problem.ID) problem.Problem {
	t.Helper()
	var found []problem.Problem
	for _, e := range effectsOf[store.UpdateProblem](c) {
		if e.Problem.ID == id {
			found = append(found, e.Problem)
		}
	}
	if len(found) != 1 {
		t.Fatalf("the change stores problem %d %d times, want once: %+v", id, len(found), c.Effects)
	}
	return found[0]
}

// nothing checks that a change does nothing, so that it is not committed (D8).
func nothing(t *testing.T, c store.Change) {
	t.Helper()
	if !c.Empty() {
		t.Errorf("the change is not empty: effects %+v, log %+v", c.Effects, c.Log)
	}
}

// logged checks the log entries of a change: what they say, each as
// "problem@revision Type field: from → to", and that they are of one batch (D8).
func logged(t *testing.T, c store.Change, want ...string) {
	t.Helper()
	var got []string
	seen := map[ident.ID]bool{c.Batch: true}
	for _, e := range c.Log {
		got = append(got, fmt.Sprintf("%d@%d %s %s: %s → %s", e.Problem, e.Revision, e.Type, e.Field, e.From.JSON(), e.To.JSON()))
		if e.Batch != c.Batch || e.Author != c.Author || !e.Created.Equal(c.At) {
			t.Errorf("entry %+v does not carry the batch %s, the author %s and the time %s of its change", e, c.Batch, c.Author, c.At)
		}
		if e.ID.IsNone() || seen[e.ID] {
			t.Errorf("the identifier %s of an entry is not its own", e.ID)
		}
		seen[e.ID] = true
	}
	equal(t, "log", strings.Join(got, "\n"), strings.Join(want, "\n"))
}

// ref is how the log shows an object (D8), written out by the test.
func ref(id ident.ID, name string) string {
	return fmt.Sprintf(`{"identifier":"%s","name":"%s"}`, id, name)
}

// expects checks what a change rests on, in any order.
func expects(t *testing.T, c store.Change, want ...store.Expectation) {
	t.Helper()
	show := func(all []store.Expectation) []string {
		texts := make([]string, len(all))
		for i, e := range all {
			texts[i] = fmt.Sprintf("%T%+v", e, e)
		}
		slices.Sort(texts)
		return texts
	}
	equal(t, "expectations", show(c.Expect), show(want))
}

// logSize returns the size of what a change adds to the log of a problem.
func logSize(change store.Change, id problem.ID) (size int64) {
	for _, e := range change.Log {
		if e.Problem == id {
			size += e.Size()
		}
	}
	return size
}

// pointer returns a place in a body as tests write it, such as /keywords/0/name.
func pointer(at fault.Location) (text string) {
	for _, step := range at.Steps() {
		if text += "/"; step.Element {
			text += strconv.Itoa(step.Index)
		} else {
			text += strings.NewReplacer("~", "~0", "/", "~1").Replace(step.Name)
		}
	}
	return text
}

// memberAt returns the place of a member such as /title, and the whole body for "".
func memberAt(pointer string) fault.Location {
	if name, ok := strings.CutPrefix(pointer, "/"); ok {
		return fault.At(name)
	}
	return fault.Location{}
}
