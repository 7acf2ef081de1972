package metadata

import (
	"math/rand/v2"
	"reflect"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/user"
)

// filled has two objects of each kind, with no member at its zero.
func filled() Content {
	at := time.Date(2026, time.March, 1, 12, 0, 0, 0, time.UTC)
	return Content{
		States:          []State{{id(1), "Open", true, true, 3, []ident.ID{id(2), id(3)}}, {id(2), "Done", true, true, 4, []ident.ID{id(1)}}},
		Priorities:      []Priority{{id(11), "High", 3}, {id(12), "Low", 4}},
		Classifications: []Classification{{id(21), "Bug"}, {id(22), "Task"}},
		Components:      []Component{{id(31), "App", true, id(32), id(33)}, {id(32), "UI", true, id(31), id(34)}},
		Milestones:      []Milestone{{id(41), "1.0", id(31), at, at.Add(1), at.Add(2)}, {id(42), "2.0", id(32), at, at, at}},
		Users:           []user.User{{ID: id(51), Name: "Ann", Email: "ann@example.org", Mail: user.MailMine, Preferences: "keys=off", Inactive: true, RobotOf: id(58)}, {ID: id(52), Name: "Bob", Email: "bob@example.org", Mail: user.MailNone, Preferences: "density=compact", Inactive: true}},
	}
}

func fingerprint(c Content) Fingerprint { return NewCatalogue(ident.Version{}, c).Fingerprint() }

// TestFingerprintHasAll changes each member of each kind, future ones included.
func TestFingerprintHasAll(t *testing.T) {
	t.Parallel()
	seen := map[Fingerprint]string{fingerprint(filled()): "nothing"}
	differs := func(name string, c Content) {
		t.Helper()
		f := fingerprint(c)
		if other, ok := seen[f]; ok {
			t.Errorf("a change of %s has the fingerprint of a change of %s", name, other)
		}
		seen[f] = name
	}
	kinds := reflect.TypeFor[Content]()
	for k := range kinds.NumField() {
		kind := kinds.Field(k)
		list := func(c *Content) reflect.Value { return reflect.ValueOf(c).Elem().Field(k) }
		for m := range kind.Type.Elem().NumField() {
			name := kind.Name + "." + kind.Type.Elem().Field(m).Name
			c := filled()
			member := list(&c).Index(0).Field(m)
			if member.IsZero() {
				t.Errorf("%s is not filled", name)
			}
			another(t, name, member)
			differs(name, c)
			if member.SetZero(); member.Kind() != reflect.Bool { // a bool has no third value
				differs(name+", which is left out,", c)
			}
		}
		fewer := filled()
		list(&fewer).Set(list(&fewer).Slice(0, 1))
		differs(kind.Name+", of which one is left out,", fewer)
	}
	differs("everything", Content{})
}

// another changes a value.
func another(t *testing.T, name string, v reflect.Value) {
	t.Helper()
	switch old := v.Interface().(type) {
	case ident.ID:
		v.Set(reflect.ValueOf(id(99)))
	case string, user.Mail, user.Preferences:
		v.SetString(v.String() + "!")
	case bool:
		v.SetBool(!old)
	case int:
		v.SetInt(int64(old) - 300)
	case time.Time:
		v.Set(reflect.ValueOf(old.Add(time.Millisecond)))
	case []ident.ID:
		v.Set(reflect.ValueOf([]ident.ID{old[1], old[0]}))
	default:
		t.Fatalf("%s: values of type %T are not known here", name, old)
	}
}

// Neighbouring values have different encodings.
func TestFingerprintKeepsValuesApart(t *testing.T) {
	t.Parallel()
	for name, pair := range map[string][2]Content{
		"texts": {
			{Users: []user.User{{ID: id(1), Name: "ab", Email: "c"}}},
			{Users: []user.User{{ID: id(1), Name: "a", Email: "bc"}}},
		},
		"kinds": {
			{Classifications: []Classification{{ID: id(1), Name: "a"}}},
			{Components: []Component{{ID: id(1), Name: "a"}}},
		},
		"references": {
			{States: []State{{ID: id(1), Next: []ident.ID{id(2)}}, {ID: id(3), Name: "a"}}},
			{States: []State{{ID: id(1)}, {ID: id(3), Name: "a", Next: []ident.ID{id(2)}}}},
		},
		"times": {
			{Milestones: []Milestone{{ID: id(1), Start: time.Unix(1, 0)}}},
			{Milestones: []Milestone{{ID: id(1), End: time.Unix(1, 0)}}},
		},
	} {
		if fingerprint(pair[0]) == fingerprint(pair[1]) {
			t.Errorf("%s: the fingerprints are the same", name)
		}
	}
}

// Equal content has one fingerprint, whatever its origin.
func TestFingerprintOfEqualContent(t *testing.T) {
	t.Parallel()
	want := fingerprint(filled())
	random := rand.New(rand.NewPCG(1, 2))
	for range 20 {
		c := filled()
		c.States, c.Priorities, c.Classifications = shuffled(random, c.States), shuffled(random, c.Priorities), shuffled(random, c.Classifications)
		c.Components, c.Milestones, c.Users = shuffled(random, c.Components), shuffled(random, c.Milestones), shuffled(random, c.Users)
		if fingerprint(c) != want {
			t.Fatal("it depends on the order in which objects are given")
		}
	}
	if NewCatalogue(ident.Version{Number: 7, Batch: id(90)}, filled()).Fingerprint() != want {
		t.Error("it depends on the version")
	}
	zoned := filled()
	for i := range zoned.Milestones {
		m := &zoned.Milestones[i]
		zone := time.FixedZone("", 3600)
		m.Created, m.Start, m.End = m.Created.In(zone), m.Start.In(zone), m.End.In(zone)
	}
	if fingerprint(zoned) != want {
		t.Error("it depends on the zone of times")
	}
	none, empty := Content{States: []State{{ID: id(1)}}}, Content{States: []State{{ID: id(1), Next: []ident.ID{}}}, Users: []user.User{}}
	if fingerprint(none) != fingerprint(empty) {
		t.Error("it depends on whether what is empty is nil")
	}
}

// All requests share a catalogue, so it must cost no more than one digest.
func TestFingerprintIsComputedOnce(t *testing.T) {
	c := NewCatalogue(ident.Version{}, filled())
	found := make([]Fingerprint, 8)
	var all sync.WaitGroup
	for i := range found {
		all.Go(func() { found[i] = c.Fingerprint() })
	}
	all.Wait()
	if slices.ContainsFunc(found, func(f Fingerprint) bool { return f != found[0] || f == Fingerprint{} }) {
		t.Errorf("those who ask at once are told %x", found)
	}
	c.content.Users[0].Name = "Anne" // only this test modifies a catalogue
	if c.Fingerprint() != found[0] {
		t.Error("it is computed again")
	}
	if n := testing.AllocsPerRun(100, func() { _ = c.Fingerprint() }); n != 0 {
		t.Errorf("it takes %v allocations", n)
	}
}
