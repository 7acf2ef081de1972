package body

import (
	"testing"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
)

// One patch is resolved once, and applied to many problems.
func TestSettings(t *testing.T) {
	t.Parallel()
	var faults fault.List
	set := ResolvePatch(&problem.Patch{
		Title:     patch.Set("After"),
		Milestone: patch.Null[metadata.Partial](),
		Component: named("Core"),
	}, catalogue, &faults)
	for _, old := range []problem.Fields{
		{Title: "Before", Milestone: cat, State: cat},
		{Title: "After", Component: legacy, State: cat},
	} {
		if got, want := set.Apply(old, catalogue, &faults), (problem.Fields{Title: "After", Component: core, State: cat}); got != want {
			t.Errorf("%+v became %+v, want %+v", old, got, want)
		}
	}
	if len(faults) > 0 {
		t.Errorf("faults: %v", faults)
	}
}

// Faults of the patch come once. A closed component is a fault for the problems outside of it.
func TestSettingsRefuse(t *testing.T) {
	t.Parallel()
	var faults fault.List
	ResolvePatch(&problem.Patch{
		Title:     patch.Null[string](),
		State:     patch.Null[metadata.Partial](),
		Component: named("Nowhere"),
		Read:      patch.Null[bool](),
	}, catalogue, &faults)
	for _, member := range []string{"title", "state", "component", "read"} {
		if !faults.Covers(fault.At(member)) {
			t.Errorf("no fault at %s: %v", member, faults)
		}
	}
	set := ResolvePatch(&problem.Patch{Component: named("Legacy")}, catalogue, new(fault.List))
	for from, refused := range map[ident.ID]bool{legacy: false, core: true} {
		var faults fault.List
		set.Apply(problem.Fields{Component: from}, catalogue, &faults)
		if faults.Covers(fault.At("component")) != refused {
			t.Errorf("from %v to the closed component: %v", from, faults)
		}
	}
}
