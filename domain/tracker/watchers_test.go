package tracker

import (
	"slices"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/tracker/internal/kit"
	"github.com/problemtracking/problems/domain/user"
)

// W8, D1, D8: a watcher raises the revision only. It is no change by anybody, and
// no news to anybody.
func TestAddWatcher(t *testing.T) {
	t.Parallel()
	old := newLoaded(assigned(kit.Ann), readByAssignee)
	old.Watchers = []ident.ID{kit.Ann}
	for _, c := range []struct {
		rule string
		user metadata.Partial
		want user.User
	}{
		{"by e-mail address, in another case", kit.AsPartial(kit.Object{"email": "BOB@example.org"}), user.User{ID: kit.Bob, Name: "Bob", Email: "bob@example.org"}},
		{"by name", kit.AsPartial(kit.Object{"name": "Bob"}), user.User{ID: kit.Bob, Name: "Bob", Email: "bob@example.org"}},
		{"as R4 shows him", kit.AsPartial(userObject(kit.Eve2, "Eve", "eve@example.com", false)), user.User{ID: kit.Eve2, Name: "Eve", Email: "eve@example.com"}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			change, a, err := decideWatcher(by(kit.Bob), AddWatcher{User: c.user}, old, 1000, kit.At(kit.Now))
			kit.NoError(t, err)
			kit.Equal(t, "answer", a, Answer[user.User]{Value: c.want, Catalogue: old.catalogue, Revision: 4, New: true})
			want := old.Problem
			want.Revision = 4
			kit.Expects(t, change, store.ProblemAt{ID: 7, Revision: 3, Batch: kit.StoredBy}, store.CatalogueAt{Version: kit.CatalogueVersion})
			kit.Equal(t, "effects", change.Effects, []store.Effect{
				store.Watch{Problem: 7, User: c.want.ID},
				store.UpdateProblem{Problem: want, Size: kit.LogSize(change, 7)},
			})
			kit.Logged(t, change, `7@4 WatcherAdded watchers: null → `+kit.Ref(c.want.ID, c.want.Name))
			kit.Equal(t, "D8: significant", change.Log[0].Type.Significant(), false)
		})
	}
}

// D15: adding a watcher who watches already changes nothing, even one who is
// inactive by now (D2), and on a full problem.
func TestAddWatcherAgain(t *testing.T) {
	t.Parallel()
	old := newLoaded()
	old.Watchers = []ident.ID{kit.Cat, kit.Bob}
	for _, name := range []string{"Bob", "Cat"} {
		change, a, err := decideWatcher(by(kit.Bob), AddWatcher{User: kit.AsPartial(kit.Object{"name": name})}, old, 2, kit.At(kit.Now))
		kit.NoError(t, err)
		kit.Nothing(t, change)
		kit.Equal(t, "new", a.New, false)
		kit.Equal(t, "revision", a.Revision, int64(3))
		kit.Equal(t, "user", a.Value.Name, name)
	}
}

func TestAddWatcherRefuses(t *testing.T) {
	t.Parallel()
	var malformed fault.List
	malformed.Add(fault.InvalidType, fault.Location{}, "must be an object")
	for _, c := range []struct {
		rule  string
		cmd   AddWatcher
		limit int
		kind  fault.Kind
		items []string
	}{
		{"D3: nobody", AddWatcher{User: kit.AsPartial(kit.Object{"name": "Zoe"})}, 9, fault.MetadataNotFound, []string{"metadata-not-found "}},
		{"D3: several", AddWatcher{User: kit.AsPartial(kit.Object{"name": "Eve"})}, 9, fault.MetadataAmbiguous, []string{"metadata-ambiguous "}},
		{"D3: {}", AddWatcher{User: kit.AsPartial(kit.Object{})}, 9, fault.MetadataAmbiguous, []string{"metadata-ambiguous "}},
		{"D3: an unknown member", AddWatcher{User: kit.AsPartial(kit.Object{"name": "Bob", "login": "bob"})}, 9, fault.UnknownField, []string{"unknown-field /login"}},
		{"D3: no object", AddWatcher{User: kit.AsPartial("bob")}, 9, fault.InvalidType, []string{"invalid-type "}},
		{"D3: null", AddWatcher{}, 9, fault.InvalidType, []string{"invalid-type "}},
		{"what the adapter said is not said again", AddWatcher{Write: Write{Faults: malformed}}, 9, fault.InvalidType, []string{"invalid-type "}},
		{"D2: an inactive user", AddWatcher{User: kit.AsPartial(kit.Object{"name": "Cat"})}, 9, fault.InvalidValue, []string{"invalid-value "}},
		{"D22: one watcher too many", AddWatcher{User: kit.AsPartial(kit.Object{"name": "Bob"})}, 1, fault.InvalidValue, []string{"invalid-value "}},
		{"D18: 412 before 422", AddWatcher{Write: Write{IfMatch: &Match{Revisions: []int64{1}}}}, 9, fault.StaleRevision, nil},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			old := newLoaded()
			old.Watchers = []ident.ID{kit.Ann}
			change, a, err := decideWatcher(by(kit.Bob), c.cmd, old, c.limit, kit.At(kit.Now))
			kit.WantFault(t, err, c.kind, c.items...)
			kit.Nothing(t, change)
			kit.Equal(t, "answer", a, Answer[user.User]{})
		})
	}
}

// D1: modificationDate stays when only a watcher comes, however late it is; the
// log entry is not dated before it.
func TestAddWatcherTimes(t *testing.T) {
	t.Parallel()
	for _, clock := range []time.Time{kit.Now, kit.Noon.Add(-time.Hour)} {
		change, _, err := decideWatcher(by(kit.Bob), AddWatcher{User: kit.AsPartial(kit.Object{"name": "Bob"})}, newLoaded(), 9, kit.At(clock))
		kit.NoError(t, err)
		kit.Equal(t, "modificationDate", kit.Updated(t, change, 7).Modified, kit.Noon)
		kit.Equal(t, "modifier", kit.Updated(t, change, 7).Modifier, kit.Ann)
		if change.Log[0].Created.Before(kit.Noon) {
			t.Errorf("the entry of %s is dated before the last one", change.Log[0].Created)
		}
	}
}

// D16, D1, D8: the caller alone leaves. Like W8 this raises the revision only, and is no
// news to anybody.
func TestStopWatchingDecision(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule     string
		watchers []ident.ID
		write    Write
	}{
		{"alone", []ident.ID{kit.Bob}, Write{}},
		{"among others", []ident.ID{kit.Ann, kit.Bob, kit.Cat}, Write{}},
		{"at the revision that was read", []ident.ID{kit.Bob, kit.Eve1}, Write{IfMatch: &Match{Revisions: []int64{3}}}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			old := newLoaded(assigned(kit.Ann), readByAssignee)
			old.Watchers = c.watchers
			change, a, err := decideUnwatch(by(kit.Bob), c.write, old, kit.At(kit.Now))
			kit.NoError(t, err)
			kit.Equal(t, "answer", a, Answer[struct{}]{Catalogue: old.catalogue, Revision: 4})
			want := old.Problem
			want.Revision = 4
			kit.Expects(t, change, store.ProblemAt{ID: 7, Revision: 3, Batch: kit.StoredBy}, store.CatalogueAt{Version: kit.CatalogueVersion})
			kit.Equal(t, "effects", change.Effects, []store.Effect{
				store.Unwatch{Problem: 7, User: kit.Bob},
				store.UpdateProblem{Problem: want, Size: kit.LogSize(change, 7)},
			})
			kit.Logged(t, change, `7@4 WatcherRemoved watchers: `+kit.Ref(kit.Bob, "Bob")+` → null`)
			kit.Equal(t, "D8: significant", change.Log[0].Type.Significant(), false)
			kit.Equal(t, "D39: events", changes.Events(change), []event.Event{{
				Type: event.ProblemChanged, Problem: 7, Title: "Login fails", State: kit.Open, Revision: 4,
				Lines: []event.Line{{ID: change.Log[0].ID, Type: "WatcherRemoved", Field: "watchers", From: change.Log[0].From}},
			}})
		})
	}
}

// D16: nothing changes for somebody who does not watch.
func TestStopWatchingAgain(t *testing.T) {
	t.Parallel()
	for _, watchers := range [][]ident.ID{nil, {kit.Ann, kit.Eve2}} {
		old := newLoaded()
		old.Watchers = watchers
		change, a, err := decideUnwatch(by(kit.Bob), Write{}, old, kit.At(kit.Now))
		kit.NoError(t, err)
		kit.Nothing(t, change)
		kit.Equal(t, "answer", a, Answer[struct{}]{Catalogue: old.catalogue, Revision: 3})
	}
}

func TestStopWatchingRefuses(t *testing.T) {
	t.Parallel()
	var malformed fault.List
	malformed.Add(fault.UnknownField, fault.At("colour"), "is not known")
	stale := &Match{Revisions: []int64{1}}
	for _, c := range []struct {
		rule  string
		write Write
		kind  fault.Kind
		items []string
	}{
		{"D11: what the adapter found", Write{Faults: malformed}, fault.UnknownField, []string{"unknown-field /colour"}},
		{"D20: another revision", Write{IfMatch: stale}, fault.StaleRevision, nil},
		{"D18: 412 before 422", Write{IfMatch: stale, Faults: malformed}, fault.StaleRevision, nil},
	} {
		for _, watchers := range [][]ident.ID{{kit.Bob}, nil} {
			old := newLoaded()
			old.Watchers = watchers
			change, a, err := decideUnwatch(by(kit.Bob), c.write, old, kit.At(kit.Now))
			kit.WantFault(t, err, c.kind, c.items...)
			kit.Nothing(t, change)
			kit.Equal(t, c.rule+": answer", a, Answer[struct{}]{})
		}
	}
}

// D1: modificationDate stays when only a watcher leaves, however late it is; the
// log entry is not dated before it.
func TestStopWatchingTimes(t *testing.T) {
	t.Parallel()
	old := newLoaded()
	old.Watchers = []ident.ID{kit.Bob}
	for _, clock := range []time.Time{kit.Now, kit.Noon.Add(-time.Hour)} {
		change, _, err := decideUnwatch(by(kit.Bob), Write{}, old, kit.At(clock))
		kit.NoError(t, err)
		kit.Equal(t, "modificationDate", kit.Updated(t, change, 7).Modified, kit.Noon)
		kit.Equal(t, "modifier", kit.Updated(t, change, 7).Modifier, kit.Ann)
		if change.Log[0].Created.Before(kit.Noon) {
			t.Errorf("the entry of %s is dated before the last one", change.Log[0].Created)
		}
	}
}

// D8: the entry has the name of the moment, even if another server renames the user
// while the watcher leaves.
func TestStopWatchingUnderAnotherName(t *testing.T) {
	t.Parallel()
	other := newService(t)
	id := other.create(t, "T")
	_, err := other.AddWatcher(t.Context(), other.admin, id, AddWatcher{User: kit.Identified(other.admin.User)})
	kit.NoError(t, err)
	counted := new(kit.Calls)
	s := other.behind(kit.Hooked{Calls: counted, OnCommit: kit.Once(func() { other.rename(t, id) })})
	_, err = s.StopWatching(t.Context(), s.admin, id, Write{})
	kit.NoError(t, err)
	kit.Equal(t, "commits", counted.Commits, 2)
	seen := other.load(t, id)
	kit.Equal(t, "watchers", len(seen.Watchers), 0)
	kit.Equal(t, "the name in the log", seen.Log[len(seen.Log)-1].From, problem.LogRef(s.admin.User, "Renamed"))
}

// watching finds what the caller watches, and no longer what the caller has left.
func TestStopWatchingIsFound(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ann, _ := s.member(t, "Ann", access.Write)
	one, two := s.create(t, "1"), s.create(t, "2")
	for _, id := range []problem.ID{one, two} {
		for _, caller := range []Caller{ann, s.admin} {
			_, err := s.AddWatcher(t.Context(), caller, id, AddWatcher{User: kit.Identified(caller.User)})
			kit.NoError(t, err)
		}
	}
	finds := func(caller Caller, predicate string, want ...problem.ID) {
		t.Helper()
		a, err := s.As(caller).Search(t.Context(), SearchProblems{Search: Search{Predicate: patch.Set(predicate)}})
		kit.NoError(t, err)
		var got []problem.ID
		for _, found := range a.First.Value {
			got = append(got, found.ID)
		}
		kit.Equal(t, predicate, got, want)
	}
	finds(ann, "watching = YES", one, two)
	_, err := s.StopWatching(t.Context(), ann, one, Write{})
	kit.NoError(t, err)
	finds(ann, "watching = YES", two)
	finds(ann, "watching = NO", one)
	finds(ann, "ANY watchers.name = 'Ann'", two)
	finds(s.admin, "watching = YES", one, two)
	finds(ann, "ANY logs.type = 'WatcherRemoved'", one)
}

func TestStopWatching(t *testing.T) {
	t.Parallel()
	s := newService(t)
	ann, _ := s.member(t, "Ann", access.Write)
	p, err := s.CreateProblem(t.Context(), s.admin, CreateProblem{ProblemPatch: ProblemPatch{Title: patch.Set("The door is open")}})
	if err != nil {
		t.Fatal(err)
	}
	id := p.Value.ID
	for _, who := range []Caller{ann, s.admin} {
		if _, err := s.AddWatcher(t.Context(), who, id, AddWatcher{User: kit.Identified(who.User)}); err != nil {
			t.Fatal(err)
		}
	}
	before, err := s.As(ann).Problem(t.Context(), id, snapshot.Watchers|snapshot.Log)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.StopWatching(t.Context(), ann, id, Write{DryRun: true}); err != nil {
		t.Fatal(err)
	}
	stopped, err := s.StopWatching(t.Context(), ann, id, Write{})
	if err != nil {
		t.Fatal(err)
	}
	kit.Equal(t, "revision", stopped.Revision, before.Revision+1)
	after, err := s.As(ann).Problem(t.Context(), id, snapshot.Watchers|snapshot.Log)
	if err != nil {
		t.Fatal(err)
	}
	kit.Equal(t, "watchers", after.Value.Watchers, []ident.ID{s.admin.User})
	kit.Equal(t, "modifier", after.Value.Modifier, before.Value.Modifier)
	entry := after.Value.Log[len(after.Value.Log)-1]
	if from, ok := entry.From.Ref(); entry.Type != "WatcherRemoved" || entry.Field != "watchers" || !ok || from != ann.User || entry.To != "" {
		t.Errorf("the log ends with %+v", entry)
	}
	again, err := s.StopWatching(t.Context(), ann, id, Write{})
	if err != nil {
		t.Fatal(err)
	}
	kit.Equal(t, "revision of somebody who does not watch", again.Revision, after.Revision)
	if _, err := s.StopWatching(t.Context(), ann, 99, Write{}); !fault.Is(err, fault.ProblemNotFound) {
		t.Errorf("an unknown problem: %v", err)
	}
	past, err := s.As(ann).ProblemAsOf(t.Context(), id, snapshot.Watchers, AsOf{Revision: before.Revision})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Contains(past.Value.Watchers, ann.User) {
		t.Error("the past lacks the watcher")
	}
}

// D10: R4 is ordered by name, by code point, then identifier.
func TestWatchersOrder(t *testing.T) {
	t.Parallel()
	c := metadata.NewCatalogue(ident.Version{Number: 1}, metadata.Content{Users: []user.User{
		{ID: kit.ID(1), Name: "b"}, {ID: kit.ID(2), Name: "é"}, {ID: kit.ID(3), Name: "B"}, {ID: kit.ID(4), Name: "b"},
	}})
	var got []ident.ID
	for _, u := range Watchers(snapshot.Snapshot{Watchers: []ident.ID{kit.ID(4), kit.ID(2), kit.ID(1), kit.ID(3)}}, c) {
		got = append(got, u.ID)
	}
	kit.Equal(t, "watchers", got, []ident.ID{kit.ID(3), kit.ID(1), kit.ID(4), kit.ID(2)})
	if got := Watchers(snapshot.Snapshot{Problem: problem.Problem{ID: 1}}, c); got == nil || len(got) != 0 {
		t.Errorf("no watchers: got %#v, want an empty list", got)
	}
}
