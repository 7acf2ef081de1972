package conformance

import (
	"context"
	"maps"
	"reflect"
	"slices"
	"testing"

	"github.com/problemtracking/problems/conformance/harness"
	"github.com/problemtracking/problems/conformance/internal/cases/changes"
	"github.com/problemtracking/problems/conformance/internal/crash"
	"github.com/problemtracking/problems/conformance/internal/model"
	"github.com/problemtracking/problems/conformance/report"
	"github.com/problemtracking/problems/domain/store"
)

// lastChange is a store that remembers its last Change.
type lastChange struct {
	store.Store
	change store.Change
}

func (s *lastChange) Commit(ctx context.Context, change store.Change) (store.Receipt, error) {
	s.change = change
	return s.Store.Commit(ctx, change)
}

// The Change of READ-001/all-members has an effect of every type that package store has.
func TestAllMembersHasAllEffects(t *testing.T) {
	t.Parallel()
	stored := &lastChange{Store: model.NewModel()}
	h := plain()
	h.Open = func(harness.T, harness.Env) store.Store { return stored }
	if ended := attempt(t, changes.Members()[0], h, 1); ended.Status != report.Passed {
		t.Fatalf("the case fails: %s", ended.Reason)
	}
	has := make(map[string]bool)
	for _, e := range stored.change.Effects {
		has[reflect.TypeOf(e).Name()] = true
	}
	if got, want := slices.Sorted(maps.Keys(has)), slices.Sorted(slices.Values(implementing(t, "effect"))); !slices.Equal(got, want) {
		t.Errorf("the Change has effects of the types %v, and package store has %v", got, want)
	}
}

// Each effect is a Change of its own before a crash: a store may sync some kinds of Changes
// and forget others.
func TestEachEffectIsTheLastBeforeACrash(t *testing.T) {
	t.Parallel()
	has := make(map[string]bool)
	for _, kind := range crash.Kinds() {
		if kind.Effect != nil {
			has[reflect.TypeOf(kind.Effect(harness.Statement{})).Name()] = true
		}
	}
	if got, want := slices.Sorted(maps.Keys(has)), slices.Sorted(slices.Values(implementing(t, "effect"))); !slices.Equal(got, want) {
		t.Errorf("the kinds have effects of the types %v, and package store has %v", got, want)
	}
}
