package body

import (
	"slices"
	"testing"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/text"
	"github.com/problemtracking/problems/domain/user"
)

var (
	core, legacy = ident.ID{15: 1}, ident.ID{15: 2}
	cat          = ident.ID{15: 3}
	noon         = time.Date(2015, 11, 5, 12, 0, 0, 0, time.UTC)
)

var catalogue = metadata.NewCatalogue(ident.Version{Number: 1}, metadata.Content{
	Components: []metadata.Component{{ID: core, Name: "Core"}, {ID: legacy, Name: "Legacy", Closed: true}},
	Users:      []user.User{{ID: cat, Name: "Cat", Email: "cat@example.org", Inactive: true}},
})

func named(name string) patch.Field[metadata.Partial] {
	return patch.Set[metadata.Partial](metadata.Members{"name": metadata.Text(name)})
}

// values are the values that a body sets.
type values struct {
	name, line string
	flag       bool
	order      int
	at         time.Time
	component  ident.ID
}

// Each member that is wrong gets one fault, and the values of the others are set.
func TestMembers(t *testing.T) {
	t.Parallel()
	at := fault.At("member")
	old := values{name: "old", flag: true, order: 3, at: noon, component: core}
	for _, c := range []struct {
		rule  string
		set   func(v *values, faults *fault.List)
		want  values
		fault fault.Kind
	}{
		{"nothing sent", func(v *values, faults *fault.List) {
			SetName(&v.name, patch.Field[string]{}, faults)
			SetFlag(&v.flag, patch.Field[bool]{}, at, faults)
			SetOrder(&v.order, patch.Field[int64]{}, faults)
			SetTime(&v.at, patch.Field[time.Time]{}, at, faults)
			SetReference(&v.component, metadata.Components, patch.Field[metadata.Partial]{}, at, catalogue, faults)
			Require(faults, true, at, "is needed")
		}, old, ""},
		{"all sent", func(v *values, faults *fault.List) {
			SetName(&v.name, patch.Set("new"), faults)
			SetFlag(&v.flag, patch.Set(false), at, faults)
			SetOrder(&v.order, patch.Set[int64](7), faults)
			SetTime(&v.at, patch.Set(noon.Add(time.Millisecond+1)), at, faults)
			SetReference(&v.component, metadata.Components, patch.Null[metadata.Partial](), at, catalogue, faults)
		}, values{name: "new", order: 7, at: noon.Add(time.Millisecond)}, ""},
		{"a time of null", func(v *values, faults *fault.List) { SetTime(&v.at, patch.Null[time.Time](), at, faults) },
			values{name: "old", flag: true, order: 3, component: core}, ""},
		{"a missing member", func(_ *values, faults *fault.List) { Require(faults, false, at, "is needed") }, old, fault.RequiredField},
		{"a flag of null", func(v *values, faults *fault.List) { SetFlag(&v.flag, patch.Null[bool](), at, faults) }, old, fault.InvalidValue},
		{"an order of null", func(v *values, faults *fault.List) { SetOrder(&v.order, patch.Null[int64](), faults) }, old, fault.InvalidValue},
		{"a line of null", func(v *values, faults *fault.List) { v.line = Line(text.Name, patch.Null[string](), at, faults) }, old, fault.InvalidValue},
		{"an unknown component", func(v *values, faults *fault.List) {
			SetReference(&v.component, metadata.Components, named("None"), at, catalogue, faults)
		}, old, fault.MetadataNotFound},
		{"a closed component", func(_ *values, faults *fault.List) { checkNew(catalogue, legacy, at, faults) }, old, fault.InvalidValue},
		{"a closed component that stays", func(v *values, faults *fault.List) {
			v.component = Resolve(catalogue, metadata.Components, named("Legacy").Value, legacy, at, faults)
		}, values{name: "old", flag: true, order: 3, at: noon, component: legacy}, ""},
		{"an inactive user", func(_ *values, faults *fault.List) { checkNew(catalogue, cat, at, faults) }, old, fault.InvalidValue},
	} {
		t.Run(c.rule, func(t *testing.T) {
			t.Parallel()
			got := old
			var faults fault.List
			c.set(&got, &faults)
			if got != c.want {
				t.Errorf("got %+v, want %+v", got, c.want)
			}
			var kinds []fault.Kind
			for _, f := range faults {
				kinds = append(kinds, f.Kind)
			}
			if want := []fault.Kind{c.fault}; c.fault == "" && kinds != nil || c.fault != "" && !slices.Equal(kinds, want) {
				t.Errorf("got the faults %v, want %q", faults, c.fault)
			}
		})
	}
}

// A member has one fault, not two for one mistake.
func TestOneFaultForAMember(t *testing.T) {
	t.Parallel()
	var faults fault.List
	faults.Add(fault.InvalidValue, fault.At("title"), "is a number")
	Require(&faults, false, fault.At("title"), "is needed")
	AddInvalid(&faults, fault.At("title"), text.CheckTime(time.Time{}.AddDate(20000, 0, 0)))
	AddInvalid(&faults, fault.At("other"), nil)
	if len(faults) != 1 {
		t.Errorf("got %d faults, want one: %v", len(faults), faults)
	}
}
