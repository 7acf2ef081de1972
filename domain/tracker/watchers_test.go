package tracker

import (
	"slices"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/user"
)

// W8, D1, D8: a watcher raises the revision only. It is no change by anybody, and
// no news to anybody.
func TestAddWatcher(t *testing.T) {
	t.Parallel()
	old := newLoaded(assigned(ann), readByAssignee)
	old.Watchers = []ident.ID{ann}
	for _, c := range []struct {
		rule string
		user metadata.Partial
		want user.User
	}{
		{"by e-mail address, in another case", object{"email": "BOB@example.org"}, user.User{ID: bob, Name: "Bob", Email: "bob@example.org"}},
		{"by name", object{"name": "Bob"}, user.User{ID: bob, Name: "Bob", Email: "bob@example.org"}},
		{"as R4 shows him", userObject(eve2, "Eve", "eve@example.com", false), user.User{ID: eve2, Name: "Eve", Email: "eve@example.com"}},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			change, a, err := decideWatcher(by(bob), AddWatcher{User: c.user}, old, 1000, at(now))
			noError(t, err)
			equal(t, "answer", a, Answer[user.User]{Value: c.want, Catalogue: old.catalogue, Revision: 4, New: true})
			want := old.Problem
			want.Revision = 4
			expects(t, change, store.ProblemAt{ID: 7, Revision: 3, Batch: storedBy}, store.CatalogueAt{Version: catalogueVersion})
			equal(t, "effects", change.Effects, []store.Effect{
				store.Watch{Problem: 7, User: c.want.ID},
				store.UpdateProblem{Problem: want, Size: logSize(change, 7)},
			})
			logged(t, change, `7@4 WatcherAdded watchers: null → `+ref(c.want.ID, c.want.Name))
			equal(t, "D8: significant", change.Log[0].Type.Significant(), false)
		})
	}
}

// D15: adding a watcher who watches already changes nothing, even one who is
// inactive by now (D2), and on a full problem.
func TestAddWatcherAgain(t *testing.T) {
	t.Parallel()
	old := newLoaded()
	old.Watchers = []ident.ID{cat, bob}
	for _, name := range []string{"Bob", "Cat"} {
		change, a, err := decideWatcher(by(bob), AddWatcher{User: object{"name": name}}, old, 2, at(now))
		noError(t, err)
		nothing(t, change)
		equal(t, "new", a.New, false)
		equal(t, "revision", a.Revision, int64(3))
		equal(t, "user", a.Value.Name, name)
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
		{"D3: nobody", AddWatcher{User: object{"name": "Zoe"}}, 9, fault.MetadataNotFound, []string{"metadata-not-found "}},
		{"D3: several", AddWatcher{User: object{"name": "Eve"}}, 9, fault.MetadataAmbiguous, []string{"metadata-ambiguous "}},
		{"D3: {}", AddWatcher{User: object{}}, 9, fault.MetadataAmbiguous, []string{"metadata-ambiguous "}},
		{"D3: an unknown member", AddWatcher{User: object{"name": "Bob", "login": "bob"}}, 9, fault.UnknownField, []string{"unknown-field /login"}},
		{"D3: no object", AddWatcher{User: "bob"}, 9, fault.InvalidType, []string{"invalid-type "}},
		{"D3: null", AddWatcher{}, 9, fault.InvalidType, []string{"invalid-type "}},
		{"what the adapter said is not said again", AddWatcher{Write: Write{Faults: malformed}}, 9, fault.InvalidType, []string{"invalid-type "}},
		{"D2: an inactive user", AddWatcher{User: object{"name": "Cat"}}, 9, fault.InvalidValue, []string{"invalid-value "}},
		{"D22: one watcher too many", AddWatcher{User: object{"name": "Bob"}}, 1, fault.InvalidValue, []string{"invalid-value "}},
		{"D18: 412 before 422", AddWatcher{Write: Write{IfMatch: &Match{Revisions: []int64{1}}}}, 9, fault.StaleRevision, nil},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			old := newLoaded()
			old.Watchers = []ident.ID{ann}
			change, a, err := decideWatcher(by(bob), c.cmd, old, c.limit, at(now))
			wantFault(t, err, c.kind, c.items...)
			nothing(t, change)
			equal(t, "answer", a, Answer[user.User]{})
		})
	}
}

// D1: modificationDate stays when only a watcher comes, however late it is; the
// log entry is not dated before it.
func TestAddWatcherTimes(t *testing.T) {
	t.Parallel()
	for _, clock := range []time.Time{now, noon.Add(-time.Hour)} {
		change, _, err := decideWatcher(by(bob), AddWatcher{User: object{"name": "Bob"}}, newLoaded(), 9, at(clock))
		noError(t, err)
		equal(t, "modificationDate", updated(t, change, 7).Modified, noon)
		equal(t, "modifier", updated(t, change, 7).Modifier, ann)
		if change.Log[0].Created.Before(noon) {
			t.Errorf("the entry of %s is dated before the last one", change.Log[0].Created)
		}
	}
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
		if _, err := s.AddWatcher(t.Context(), who, id, AddWatcher{User: partialID(who.User)}); err != nil {
			t.Fatal(err)
		}
	}
	before, err := s.LoadProblem(t.Context(), ann, id, store.Watchers|store.Log)
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
	equal(t, "revision", stopped.Revision, before.Revision+1)
	after, err := s.LoadProblem(t.Context(), ann, id, store.Watchers|store.Log)
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "watchers", after.Value.Watchers, []ident.ID{s.admin.User})
	equal(t, "modifier", after.Value.Modifier, before.Value.Modifier)
	entry := after.Value.Log[len(after.Value.Log)-1]
	if from, ok := entry.From.Ref(); entry.Type != "WatcherRemoved" || entry.Field != "watchers" || !ok || from != ann.User || entry.To != "" {
		t.Errorf("the log ends with %+v", entry)
	}
	again, err := s.StopWatching(t.Context(), ann, id, Write{})
	if err != nil {
		t.Fatal(err)
	}
	equal(t, "revision of somebody who does not watch", again.Revision, after.Revision)
	if _, err := s.StopWatching(t.Context(), ann, 99, Write{}); !fault.Is(err, fault.ProblemNotFound) {
		t.Errorf("an unknown problem: %v", err)
	}
	past, err := s.LoadProblemAsOf(t.Context(), ann, id, store.Watchers, AsOf{Revision: before.Revision})
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
		{ID: testID(1), Name: "b"}, {ID: testID(2), Name: "é"}, {ID: testID(3), Name: "B"}, {ID: testID(4), Name: "b"},
	}})
	var got []ident.ID
	for _, u := range Watchers(store.Snapshot{Watchers: []ident.ID{testID(4), testID(2), testID(1), testID(3)}}, c) {
		got = append(got, u.ID)
	}
	equal(t, "watchers", got, []ident.ID{testID(3), testID(1), testID(4), testID(2)})
	if got := Watchers(store.Snapshot{Problem: problem.Problem{ID: 1}}, c); got == nil || len(got) != 0 {
		t.Errorf("no watchers: got %#v, want an empty list", got)
	}
}
