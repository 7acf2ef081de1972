package admin

import (
	"context"
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/internal/directory"
	"github.com/problemtracking/problems/domain/tracker/internal/kinds"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
)

// decided is what a decision about a metadata object came to, of whichever kind.
type decided struct {
	store.Change
	object any
	isNew  bool
	after  *metadata.Catalogue
	err    error
}

// creates decides to create an object of a kind in the catalogue of the tests.
func creates[T, P any](r *kinds.Rules[T, P], p P) decided {
	m := kit.At(kit.Now)
	change, a, err := Objects[T, P]{rules: r}.decide(by(kit.Ann), tracker.Write{}, p, r.Blank(kit.Catalogue, m.At), written{Directory: directory.Directory{Catalogue: kit.Catalogue}}, m)
	*r.ID(&a.Value) = ident.None
	return decided{change, a.Value, a.New, a.Catalogue, err}
}

// updates decides to change an object of that catalogue, which problems have or
// not.
func updates[T, P any](r *kinds.Rules[T, P], id ident.ID, used bool, p P) decided {
	old, ok := r.Find(kit.Catalogue, id)
	if !ok {
		panic("the catalogue of the tests has no such object")
	}
	change, a, err := Objects[T, P]{rules: r}.decide(by(kit.Ann), tracker.Write{}, p, old, written{Directory: directory.Directory{Catalogue: kit.Catalogue}, used: used}, kit.At(kit.Now))
	return decided{change, a.Value, a.New, a.Catalogue, err}
}

func partials(all ...kit.Object) patch.Field[[]metadata.Partial] {
	list := []metadata.Partial{}
	for _, o := range all {
		list = append(list, kit.AsPartial(o))
	}
	return patch.Set(list)
}

// D2, D30: what is created.
func TestCreateMetadata(t *testing.T) {
	t.Parallel()
	name := patch.Set(" Jose\u0301 ") // D9: trimmed and in NFC
	for _, c := range []struct {
		rule string
		got  decided
		want any
		log  string
	}{
		{"a state comes last, is neither initial nor resolved, and terminal", creates(&kinds.States, StatePatch{Name: name}),
			metadata.State{Name: "José", Order: 5}, `state José Created : null → {"name":"José","resolved":false,"initial":false,"order":5,"nextStates":[]}`},
		{"a state with all it can have", creates(&kinds.States, StatePatch{Name: name, Resolved: patch.Set(true), Initial: patch.Set(true), Order: patch.Set[int64](-3), Next: partials(kit.Object{"name": "Closed"}, kit.Object{"identifier": kit.Open.String()}, kit.Object{"name": "Closed"})}),
			metadata.State{Name: "José", Resolved: true, Initial: true, Order: -3, Next: []ident.ID{kit.Closed, kit.Open}},
			`state José Created : null → {"name":"José","resolved":true,"initial":true,"order":-3,"nextStates":[` + kit.Ref(kit.Closed, "Closed") + `,` + kit.Ref(kit.Open, "Open") + `]}`},
		{"a priority comes last", creates(&kinds.Priorities, PriorityPatch{Name: name}),
			metadata.Priority{Name: "José", Order: 3}, `priority José Created : null → {"name":"José","order":3}`},
		{"a priority with an order", creates(&kinds.Priorities, PriorityPatch{Name: name, Order: patch.Set[int64](1)}),
			metadata.Priority{Name: "José", Order: 1}, `priority José Created : null → {"name":"José","order":1}`},
		{"a classification", creates(&kinds.Classifications, ClassificationPatch{Name: name}),
			metadata.Classification{Name: "José"}, `classification José Created : null → {"name":"José"}`},
		{"a component at the root", creates(&kinds.Components, ComponentPatch{Name: name, Parent: patch.Null[metadata.Partial]()}),
			metadata.Component{Name: "José"}, `component José Created : null → {"name":"José","closed":false}`},
		{"a component with all it can have", creates(&kinds.Components, ComponentPatch{Name: name, Closed: patch.Set(true), Parent: kit.Partial(kit.Object{"fullName": "Core/Network"}), Successor: kit.Named("Core")}),
			metadata.Component{Name: "José", Closed: true, Parent: kit.Network, Successor: kit.CoreID},
			`component José Created : null → {"name":"José","closed":true,"successor":` + kit.Ref(kit.CoreID, "Core") + `,"parent":` + kit.Ref(kit.Network, "Network") + `}`},
		{"a milestone with only a name", creates(&kinds.Milestones, MilestonePatch{Name: name}),
			metadata.Milestone{Name: "José", Created: kit.Now}, `milestone José Created : null → {"name":"José","creationDate":"2015-11-05T13:00:00.000Z"}`},
		{"a milestone of a component, with dates in UTC, cut to the millisecond", creates(&kinds.Milestones, MilestonePatch{Name: name, Component: kit.Named("Core"), Start: patch.Set(kit.Noon.Add(1234567).In(time.FixedZone("", 3600))), End: patch.Set(kit.Noon.Add(time.Millisecond))}),
			metadata.Milestone{Name: "José", Component: kit.CoreID, Created: kit.Now, Start: kit.Noon.Add(time.Millisecond), End: kit.Noon.Add(time.Millisecond)},
			`milestone José Created : null → {"name":"José","component":` + kit.Ref(kit.CoreID, "Core") + `,"creationDate":"2015-11-05T13:00:00.000Z","startDate":"2015-11-05T12:00:00.001Z","endDate":"2015-11-05T12:00:00.001Z"}`},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			kit.NoError(t, c.got.err)
			kit.Equal(t, "object", c.got.object, c.want)
			kit.Equal(t, "new", c.got.isNew, true)
			kit.Equal(t, "effects", len(unaudited(c.got.Change)), 1)
			kit.Expects(t, c.got.Change, store.CatalogueAt{Version: kit.CatalogueVersion})
			audits(t, c.got.Change, c.log)
		})
	}
}

// D2, D11: what is changed: absent leaves, null clears; what is as before is not
// written.
func TestUpdateMetadata(t *testing.T) {
	t.Parallel()
	inCatalogue := store.CatalogueAt{Version: kit.CatalogueVersion}
	for _, c := range []struct {
		rule   string
		got    decided
		effect store.Effect
		expect []store.Expectation
		log    []string
	}{
		{"nothing is sent", updates(&kinds.States, kit.Open, true, StatePatch{}), nil, nil, nil},
		{"nothing is other than before", updates(&kinds.States, kit.Open, true, StatePatch{Name: patch.Set("Open"), Resolved: patch.Set(false), Initial: patch.Set(true), Order: patch.Set[int64](1)}), nil, nil, nil},
		{"nextStates are a set: their order makes no difference", updates(&kinds.States, kit.Open, true, StatePatch{Next: partials(kit.Object{"name": "Closed"}, kit.Object{"name": "In Progress"})}), nil, nil, nil},
		{"other next states", updates(&kinds.States, kit.Open, true, StatePatch{Next: partials(kit.Object{"name": "Archived"})}),
			store.PutState{State: metadata.State{ID: kit.Open, Name: "Open", Initial: true, Order: 1, Next: []ident.ID{kit.Archived}}}, []store.Expectation{inCatalogue},
			[]string{`state Open Changed nextStates: [` + kit.Ref(kit.InProgress, "In Progress") + `,` + kit.Ref(kit.Closed, "Closed") + `] → [` + kit.Ref(kit.Archived, "Archived") + `]`}},
		{"a state becomes terminal", updates(&kinds.States, kit.Triage, true, StatePatch{Next: partials()}),
			store.PutState{State: metadata.State{ID: kit.Triage, Name: "Triage", Initial: true, Order: 1}}, []store.Expectation{inCatalogue},
			[]string{`state Triage Changed nextStates: [` + kit.Ref(kit.Open, "Open") + `] → []`}},
		{"one of two initial states is so no longer, while problems are in it", updates(&kinds.States, kit.Triage, true, StatePatch{Initial: patch.Set(false), Name: patch.Set("Sorting")}),
			store.PutState{State: metadata.State{ID: kit.Triage, Name: "Sorting", Order: 1, Next: []ident.ID{kit.Open}}}, []store.Expectation{inCatalogue},
			[]string{`state Sorting Changed name: "Triage" → "Sorting"`, `state Sorting Changed initial: true → false`}},
		{"a state that no problem is in becomes resolved", updates(&kinds.States, kit.Triage, false, StatePatch{Resolved: patch.Set(true)}),
			store.PutState{State: metadata.State{ID: kit.Triage, Name: "Triage", Initial: true, Resolved: true, Order: 1, Next: []ident.ID{kit.Open}}},
			[]store.Expectation{inCatalogue, store.StateUnused{State: kit.Triage}}, []string{`state Triage Changed resolved: false → true`}},
		{"a priority", updates(&kinds.Priorities, kit.Low, true, PriorityPatch{Name: patch.Set("Lowest"), Order: patch.Set[int64](metadata.MaxOrder)}),
			store.PutPriority{Priority: metadata.Priority{ID: kit.Low, Name: "Lowest", Order: metadata.MaxOrder}}, []store.Expectation{inCatalogue},
			[]string{`priority Lowest Changed name: "Low" → "Lowest"`, `priority Lowest Changed order: 2 → 2147483647`}},
		{"a classification", updates(&kinds.Classifications, kit.Bug, true, ClassificationPatch{Name: patch.Set("Bug")}),
			store.PutClassification{Classification: metadata.Classification{ID: kit.Bug, Name: "Bug"}}, []store.Expectation{inCatalogue},
			[]string{`classification Bug Changed name: "Incorrect Behavior" → "Bug"`}},
		{"a component moves to the root and is closed", updates(&kinds.Components, kit.Network, true, ComponentPatch{Parent: patch.Null[metadata.Partial](), Closed: patch.Set(true), Successor: kit.Named("Core")}),
			store.PutComponent{Component: metadata.Component{ID: kit.Network, Name: "Network", Closed: true, Successor: kit.CoreID}}, []store.Expectation{inCatalogue},
			[]string{`component Network Changed closed: false → true`, `component Network Changed successor: null → ` + kit.Ref(kit.CoreID, "Core"), `component Network Changed parent: ` + kit.Ref(kit.CoreID, "Core") + ` → null`}},
		{"a parent is closed while what is below it is open", updates(&kinds.Components, kit.CoreID, true, ComponentPatch{Closed: patch.Set(true)}),
			store.PutComponent{Component: metadata.Component{ID: kit.CoreID, Name: "Core", Closed: true}}, []store.Expectation{inCatalogue},
			[]string{`component Core Changed closed: false → true`}},
		{"a component is opened again", updates(&kinds.Components, kit.Legacy, true, ComponentPatch{Closed: patch.Set(false)}),
			store.PutComponent{Component: metadata.Component{ID: kit.Legacy, Name: "Legacy", Successor: kit.CoreID}}, []store.Expectation{inCatalogue},
			[]string{`component Legacy Changed closed: true → false`}},
		{"a milestone's dates are set and cleared", updates(&kinds.Milestones, kit.CoreFirst, true, MilestonePatch{Start: patch.Set(kit.Noon), End: patch.Null[time.Time]()}),
			store.PutMilestone{Milestone: metadata.Milestone{ID: kit.CoreFirst, Name: "1.0", Component: kit.CoreID, Created: kit.Noon, Start: kit.Noon}}, []store.Expectation{inCatalogue},
			[]string{`milestone 1.0 Changed startDate: null → "2015-11-05T12:00:00.000Z"`, `milestone 1.0 Changed endDate: "2015-11-05T13:00:00.000Z" → null`}},
		{"a milestone moves", updates(&kinds.Milestones, kit.CoreFirst, true, MilestonePatch{Component: kit.Named("Network")}),
			store.PutMilestone{Milestone: metadata.Milestone{ID: kit.CoreFirst, Name: "1.0", Component: kit.Network, Created: kit.Noon, End: kit.Now}}, []store.Expectation{inCatalogue},
			[]string{`milestone 1.0 Changed component: ` + kit.Ref(kit.CoreID, "Core") + ` → ` + kit.Ref(kit.Network, "Network")}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			kit.NoError(t, c.got.err)
			kit.Equal(t, "new", c.got.isNew, false)
			if c.effect == nil {
				kit.Nothing(t, c.got.Change)
				return
			}
			kit.Equal(t, "effects", unaudited(c.got.Change), []store.Effect{c.effect})
			kit.Expects(t, c.got.Change, c.expect...)
			audits(t, c.got.Change, c.log...)
			kit.Equal(t, "version of the catalogue that the answer is rendered with", c.got.after.Version, kit.CatalogueVersion.Next(c.got.Batch))
		})
	}
}

// D2, D18: what is refused, with all faults of a body together.
func TestMetadataRefuses(t *testing.T) {
	t.Parallel()
	null := patch.Null[string]()
	nobody := kit.Partial(kit.Object{"name": "Nobody"})
	for _, c := range []struct {
		rule  string
		got   decided
		kind  fault.Kind
		items []string
	}{
		{"all that can be wrong with a state", creates(&kinds.States, StatePatch{Name: null, Resolved: patch.Null[bool](), Initial: patch.Null[bool](), Order: patch.Null[int64](), Next: patch.Null[[]metadata.Partial]()}),
			fault.InvalidValue, []string{"invalid-value /name", "invalid-value /resolved", "invalid-value /initial", "invalid-value /order", "invalid-value /nextStates"}},
		{"next states that do not exist", creates(&kinds.States, StatePatch{Name: patch.Set("a"), Next: patch.Set([]metadata.Partial{kit.AsPartial(kit.Object{"name": "Open"}), kit.AsPartial(kit.Object{"name": "Nobody"}), kit.AsPartial("Open"), kit.AsPartial(kit.Object{})})}),
			fault.ValidationFailed, []string{"metadata-not-found /nextStates/1", "invalid-type /nextStates/2", "metadata-ambiguous /nextStates/3"}},
		{"too many next states", creates(&kinds.States, StatePatch{Name: patch.Set("a"), Next: patch.Set(make([]metadata.Partial, 1001))}), fault.InvalidValue, []string{"invalid-value /nextStates"}},
		{"an order out of range", creates(&kinds.Priorities, PriorityPatch{Name: patch.Set(""), Order: patch.Set[int64](metadata.MaxOrder + 1)}),
			fault.InvalidValue, []string{"invalid-value /name", "invalid-value /order"}},
		{"a name of 256 characters", creates(&kinds.Classifications, ClassificationPatch{Name: patch.Set(strings.Repeat("é", 256))}), fault.InvalidValue, []string{"invalid-value /name"}},
		{"a slash in the name of a component", creates(&kinds.Components, ComponentPatch{Name: patch.Set("a/b"), Closed: patch.Null[bool](), Parent: nobody, Successor: nobody}),
			fault.ValidationFailed, []string{"invalid-value /name", "invalid-value /closed", "metadata-not-found /parent", "metadata-not-found /successor"}},
		{"a component without name", creates(&kinds.Components, ComponentPatch{Name: patch.Set(" ")}), fault.InvalidValue, []string{"invalid-value /name"}},
		{"closed components are refused as new values", creates(&kinds.Components, ComponentPatch{Name: patch.Set("a"), Parent: kit.Named("Legacy"), Successor: kit.Named("Legacy")}),
			fault.InvalidValue, []string{"invalid-value /parent", "invalid-value /successor"}},
		{"also for milestones", creates(&kinds.Milestones, MilestonePatch{Name: patch.Set("a"), Component: kit.Named("Legacy")}), fault.InvalidValue, []string{"invalid-value /component"}},
		{"a milestone that ends before it starts", creates(&kinds.Milestones, MilestonePatch{Name: patch.Set("a"), Start: patch.Set(kit.Now), End: patch.Set(kit.Noon)}), fault.InvalidValue, []string{"invalid-value /endDate"}},
		{"a milestone that starts after its end", updates(&kinds.Milestones, kit.CoreFirst, false, MilestonePatch{Start: patch.Set(kit.Noon.Add(2 * time.Hour))}), fault.InvalidValue, []string{"invalid-value /startDate"}},
		{"a date beyond all years", creates(&kinds.Milestones, MilestonePatch{Name: patch.Set("a"), End: patch.Set(time.Date(10000, 1, 1, 0, 0, 0, 0, time.UTC))}), fault.InvalidValue, []string{"invalid-value /endDate"}},
		{"a name that is taken", updates(&kinds.States, kit.Open, false, StatePatch{Name: patch.Set("Closed")}), fault.AlreadyExists, nil},
		{"422 before 409", updates(&kinds.States, kit.Open, false, StatePatch{Name: patch.Set("Closed"), Order: patch.Null[int64]()}), fault.InvalidValue, []string{"invalid-value /order"}},
		{"the name of a milestone of the same component", creates(&kinds.Milestones, MilestonePatch{Name: patch.Set("1.0"), Component: kit.Named("Core")}), fault.AlreadyExists, nil},
		{"a component below itself", updates(&kinds.Components, kit.CoreID, false, ComponentPatch{Parent: kit.Named("Network")}), fault.MetadataCycle, nil},
		{"a state that problems are in becomes resolved", updates(&kinds.States, kit.Triage, true, StatePatch{Resolved: patch.Set(true)}), fault.InUse, nil},
		{"a state that problems are in is resolved no longer", updates(&kinds.States, kit.Closed, true, StatePatch{Resolved: patch.Set(false)}), fault.InUse, nil},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			kit.WantFault(t, c.got.err, c.kind, c.items...)
			kit.Nothing(t, c.got.Change)
			if !reflect.ValueOf(c.got.object).IsZero() {
				t.Errorf("the answer is %+v", c.got.object)
			}
		})
	}
}

// D2: full names have at most 4,096 bytes. A change is refused at the member that makes one longer.
func TestFullNameLimit(t *testing.T) {
	t.Parallel()
	s := newService(t)
	name := func(r string) patch.Field[string] { return patch.Set(strings.Repeat(r, 255)) }
	create := func(p ComponentPatch) (metadata.Component, error) {
		a, err := s.Components().Create(t.Context(), s.admin, CreateObject[ComponentPatch]{Patch: p})
		return a.Value, err
	}
	update := func(o metadata.Component, p ComponentPatch) error {
		_, err := s.Components().Update(t.Context(), s.admin, o.ID, UpdateObject[ComponentPatch]{Patch: p})
		return err
	}
	below := func(o metadata.Component) patch.Field[metadata.Partial] {
		return kit.Partial(kit.Object{"identifier": o.ID.String()})
	}
	root, err := create(ComponentPatch{Name: name("a")})
	kit.NoError(t, err)
	leaf := root
	for range 15 { // 4,095 bytes
		leaf, err = create(ComponentPatch{Name: name("b"), Parent: below(leaf)})
		kit.NoError(t, err)
	}
	other, err := create(ComponentPatch{Name: patch.Set("c")})
	kit.NoError(t, err)
	_, err = create(ComponentPatch{Name: patch.Set("d"), Parent: below(leaf)})
	kit.WantFault(t, err, fault.InvalidValue, "invalid-value /name")
	kit.WantFault(t, update(other, ComponentPatch{Parent: below(leaf)}), fault.InvalidValue, "invalid-value /parent")
	kit.WantFault(t, update(root, ComponentPatch{Parent: below(other)}), fault.InvalidValue, "invalid-value /parent")
	kit.WantFault(t, update(root, ComponentPatch{Name: name("é")}), fault.InvalidValue, "invalid-value /name")
	kit.WantFault(t, update(root, ComponentPatch{Name: name("é"), Closed: patch.Null[bool]()}), fault.InvalidValue, "invalid-value /name", "invalid-value /closed")
	kit.WantFault(t, update(root, ComponentPatch{Parent: below(leaf)}), fault.MetadataCycle)
	kit.NoError(t, update(root, ComponentPatch{Name: name("z"), Closed: patch.Set(true)}))
	kit.NoError(t, update(root, ComponentPatch{Name: patch.Set("z")}))
	kit.NoError(t, update(root, ComponentPatch{Parent: below(other)}))
}

// D22: so many milestones are created as the limit says. A store that has more keeps them.
func TestMilestoneLimit(t *testing.T) {
	t.Parallel()
	s := newService(t)
	servers := map[int]service{}
	for _, most := range []int{1, 3} {
		servers[most] = limited(s.memory, s.clock, tracker.Limits{Milestones: most})
	}
	create := func(most int, name string, w tracker.Write) (tracker.Answer[metadata.Milestone], error) {
		return servers[most].Milestones().Create(t.Context(), s.admin, CreateObject[MilestonePatch]{Write: w, Patch: MilestonePatch{Name: patch.Set(name)}})
	}
	var group sync.WaitGroup
	var refused atomic.Int32
	for n := range 5 {
		group.Go(func() {
			if _, err := create(3, strconv.Itoa(n), tracker.Write{}); fault.Is(err, fault.InvalidValue) {
				refused.Add(1)
			} else if err != nil {
				t.Error(err)
			}
		})
	}
	group.Wait()
	kit.Equal(t, "how many of five at once are refused", int(refused.Load()), 2)
	_, err := create(3, "dry", tracker.Write{DryRun: true})
	kit.WantFault(t, err, fault.InvalidValue, "invalid-value ")
	_, err = create(3, "", tracker.Write{})
	kit.WantFault(t, err, fault.InvalidValue, "invalid-value /name", "invalid-value ")
	_, err = create(1, "more", tracker.Write{})
	if !strings.Contains(err.Error(), "there are 3 milestones already, and the limit is 1") {
		t.Errorf("above the limit: %v", err)
	}
	all, err := servers[1].Milestones().List(t.Context())
	kit.NoError(t, err)
	kit.Equal(t, "how many there are", len(all.Value), 3)
	_, err = servers[1].Milestones().Update(t.Context(), s.admin, all.Value[0].ID, UpdateObject[MilestonePatch]{Patch: MilestonePatch{Name: patch.Set("renamed")}})
	kit.NoError(t, err)
	_, err = servers[1].Components().Create(t.Context(), s.admin, CreateObject[ComponentPatch]{Patch: ComponentPatch{Name: patch.Set("of another kind")}})
	kit.NoError(t, err)
}

// D11, D30: what only the service writes has to equal the current values.
func TestMetadataReadOnly(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule     string
		check    func(kit.Object) fault.List
		readOnly kit.Object
		want     []string
	}{
		{"as it was read", readOnlyFaults(&kinds.Components, kit.Network), kit.Object{"identifier": kit.Network.String(), "fullName": "Core/Network"}, nil},
		{"another identifier and full name", readOnlyFaults(&kinds.Components, kit.Network), kit.Object{"identifier": kit.CoreID.String(), "fullName": "Network"}, []string{"/fullName", "/identifier"}},
		{"null", readOnlyFaults(&kinds.Components, kit.Network), kit.Object{"identifier": nil, "fullName": nil}, []string{"/fullName", "/identifier"}},
		{"other types", readOnlyFaults(&kinds.Milestones, kit.First), kit.Object{"identifier": json.Number("1"), "creationDate": json.Number("1")}, []string{"/creationDate", "/identifier"}},
		{"times as instants", readOnlyFaults(&kinds.Milestones, kit.First), kit.Object{"identifier": kit.First.String(), "creationDate": "2015-11-05T13:00:00+01:00"}, nil},
		{"another time", readOnlyFaults(&kinds.Milestones, kit.First), kit.Object{"creationDate": "2015-11-05T12:00:00.001Z"}, []string{"/creationDate"}},
		{"what a state does not have", readOnlyFaults(&kinds.States, kit.Open), kit.Object{"fullName": "Open"}, []string{"/fullName"}},
		{"a state's identifier", readOnlyFaults(&kinds.States, kit.Open), kit.Object{"identifier": kit.Closed.String()}, []string{"/identifier"}},
	} {
		var got []string
		for _, item := range c.check(c.readOnly) {
			got = append(got, kit.Pointer(item.At))
			kit.Equal(t, "kind", item.Kind, fault.ReadOnlyField)
		}
		kit.Equal(t, c.rule, got, c.want)
	}
}

func readOnlyFaults[T, P any](r *kinds.Rules[T, P], id ident.ID) func(kit.Object) fault.List {
	return func(members kit.Object) (faults fault.List) {
		old, _ := r.Find(kit.Catalogue, id)
		r.Compare(kit.ObjectSentBack(members), old, kit.Catalogue).Refuse(&faults)
		return faults
	}
}

// D2: of two servers that give one name to two objects, one is refused.
func TestNameTakenMeanwhile(t *testing.T) {
	t.Parallel()
	other := newService(t)
	cmd := CreateObject[MilestonePatch]{Patch: MilestonePatch{Name: patch.Set("1.0")}}
	s := other.behind(kit.Hooked{OnCommit: kit.Once(func() {
		_, err := other.Milestones().Create(t.Context(), other.admin, cmd)
		kit.NoError(t, err)
	})})
	_, err := s.Milestones().Create(t.Context(), s.admin, cmd)
	kit.WantFault(t, err, fault.AlreadyExists)
}

// Two servers that each put a component below the other's leave no circle.
func TestComponentsMovedBelowEachOther(t *testing.T) {
	t.Parallel()
	other := newService(t)
	ids := map[string]ident.ID{}
	for _, name := range []string{"a", "b"} {
		a, err := other.Components().Create(t.Context(), other.admin, CreateObject[ComponentPatch]{Patch: ComponentPatch{Name: patch.Set(name)}})
		kit.NoError(t, err)
		ids[name] = a.Value.ID
	}
	move := func(s service, what, below string) error {
		_, err := s.Components().Update(t.Context(), s.admin, ids[what], UpdateObject[ComponentPatch]{Patch: ComponentPatch{Parent: kit.Named(below)}})
		return err
	}
	s := other.behind(kit.Hooked{OnCommit: kit.Once(func() { kit.NoError(t, move(other, "a", "b")) })})
	kit.WantFault(t, move(s, "b", "a"), fault.MetadataCycle)
}

// D2: resolved of a state in use cannot change, also when a problem is moved into
// it at the same moment by another server; afterwards it can.
func TestResolvedOfStateInUse(t *testing.T) {
	t.Parallel()
	other := newService(t)
	id := other.create(t, "a problem") // is in Open
	states, err := other.States().List(t.Context())
	kit.NoError(t, err)
	byName := map[string]ident.ID{}
	for _, o := range states.Value {
		byName[o.Name] = o.ID
	}
	move := func(state string) error {
		_, err := other.UpdateProblem(t.Context(), other.admin, id, tracker.UpdateProblem{ProblemPatch: tracker.ProblemPatch{State: kit.Named(state)}})
		return err
	}
	resolve := func(ctx context.Context, s service, state string, dryRun bool) error {
		_, err := s.States().Update(ctx, s.admin, byName[state], UpdateObject[StatePatch]{Write: tracker.Write{DryRun: dryRun}, Patch: StatePatch{Resolved: patch.Set(true)}})
		return err
	}
	kit.WantFault(t, resolve(t.Context(), other, "Open", false), fault.InUse)
	kit.WantFault(t, resolve(t.Context(), other, "Open", true), fault.InUse)

	s := other.behind(kit.Hooked{OnCommit: kit.Once(func() { kit.NoError(t, move("In Progress")) })})
	kit.WantFault(t, resolve(t.Context(), s, "In Progress", false), fault.InUse)
	kit.Equal(t, "the problem's state", other.load(t, id).State, byName["In Progress"])
	kit.NoError(t, move("Closed"))
	kit.NoError(t, resolve(t.Context(), other, "In Progress", false))
}

// A problem that is moved into a state whose resolved changes at the same moment is
// resolved as the state is in the end.
func TestMovedIntoStateThatChanges(t *testing.T) {
	t.Parallel()
	other := newService(t)
	id := other.create(t, "a problem")
	s := other.behind(kit.Hooked{OnCommit: kit.Once(func() {
		states, err := other.States().List(t.Context())
		kit.NoError(t, err)
		for _, o := range states.Value {
			if o.Name == "In Progress" {
				_, err := other.States().Update(t.Context(), other.admin, o.ID, UpdateObject[StatePatch]{Patch: StatePatch{Resolved: patch.Set(true)}})
				kit.NoError(t, err)
			}
		}
	})})
	_, err := s.UpdateProblem(t.Context(), s.admin, id, tracker.UpdateProblem{ProblemPatch: tracker.ProblemPatch{State: kit.Named("In Progress")}})
	kit.NoError(t, err)
	kit.Equal(t, "resolver", other.load(t, id).Resolver, other.admin.User)
}

// A store can have from elsewhere what requests do not set: earlier imports took it. It
// can be sent back as it was read, beside a change of something else, and be set right.
func TestValuesFromElsewhereCanStay(t *testing.T) {
	t.Parallel()
	s := newService(t)
	const far = 1 << 40
	start, end := kit.Noon.AddDate(0, 0, 1), kit.Noon
	state := s.memory.Current().Clone()
	c := &state.Content
	c.Users[0].Email = "noat"
	c.Priorities[0].Order = far
	ids := ident.NewSequence(kit.Noon, [10]byte{})
	old, next := ids.Next(), ids.Next()
	c.Milestones = []metadata.Milestone{{ID: ids.Next(), Name: "1.0", Created: kit.Noon, Start: start, End: end}}
	c.Components = []metadata.Component{{ID: old, Name: "Old", Successor: next}, {ID: next, Name: "Next", Successor: old}}
	s.memory.State = state
	s.Service = newServer(s.memory, s.clock).Service // which has no other catalogue in its cache

	user, priority, milestone := c.Users[0].ID, c.Priorities[0].ID, c.Milestones[0].ID
	name := patch.Set("Renamed")
	_, err := s.Users().Update(t.Context(), s.admin, user, UpdateObject[UserPatch]{Patch: UserPatch{Name: name, Email: patch.Set("noat")}})
	kit.NoError(t, err)
	_, err = s.Priorities().Update(t.Context(), s.admin, priority, UpdateObject[PriorityPatch]{Patch: PriorityPatch{Name: name, Order: patch.Set[int64](far)}})
	kit.NoError(t, err)
	_, err = s.Milestones().Update(t.Context(), s.admin, milestone, UpdateObject[MilestonePatch]{Patch: MilestonePatch{Name: name, Start: patch.Set(start), End: patch.Set(end)}})
	kit.NoError(t, err)
	_, err = s.Components().Update(t.Context(), s.admin, old, UpdateObject[ComponentPatch]{Patch: ComponentPatch{Name: name, Successor: kit.Partial(kit.Object{"identifier": next.String()})}})
	kit.NoError(t, err)

	_, err = s.Users().Update(t.Context(), s.admin, user, UpdateObject[UserPatch]{Patch: UserPatch{Email: patch.Set("at")}})
	isFault(t, err, fault.InvalidValue)
	_, err = s.Priorities().Update(t.Context(), s.admin, priority, UpdateObject[PriorityPatch]{Patch: PriorityPatch{Order: patch.Set[int64](far + 1)}})
	isFault(t, err, fault.InvalidValue)
	_, err = s.Milestones().Update(t.Context(), s.admin, milestone, UpdateObject[MilestonePatch]{Patch: MilestonePatch{Start: patch.Set(start.AddDate(0, 0, 1))}})
	isFault(t, err, fault.InvalidValue)

	_, err = s.Users().Update(t.Context(), s.admin, user, UpdateObject[UserPatch]{Patch: UserPatch{Email: patch.Set("at@example.org")}})
	kit.NoError(t, err)
	_, err = s.Priorities().Update(t.Context(), s.admin, priority, UpdateObject[PriorityPatch]{Patch: PriorityPatch{Order: patch.Set[int64](1)}})
	kit.NoError(t, err)
	_, err = s.Milestones().Update(t.Context(), s.admin, milestone, UpdateObject[MilestonePatch]{Patch: MilestonePatch{Start: patch.Null[time.Time]()}})
	kit.NoError(t, err)
	_, err = s.Components().Update(t.Context(), s.admin, old, UpdateObject[ComponentPatch]{Patch: ComponentPatch{Successor: patch.Null[metadata.Partial]()}})
	kit.NoError(t, err)
}

func isFault(t *testing.T, err error, kind fault.Kind) {
	t.Helper()
	if !fault.Is(err, kind) {
		t.Errorf("%v, want the kind %s", err, kind)
	}
}
