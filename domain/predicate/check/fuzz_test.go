package check

import (
	"testing"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/internal/predicatetest"
	"github.com/problemtracking/problems/domain/predicate/internal/syntax"
)

// FuzzCheck: every predicate becomes a Plan or an Error about any entity. Its printed
// form becomes the same Plan.
func FuzzCheck(f *testing.F) {
	for _, text := range predicatetest.Seeds() {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := syntax.Parse(text)
		if err != nil {
			return
		}
		for _, root := range []predicate.Entity{predicate.Problem, predicate.User, predicate.Component, predicate.Milestone, predicate.Priority, predicate.Classification, predicate.State} {
			plan, err := planOf(s, root, checkEnv)
			if err != nil {
				predicatetest.CheckPlace(t, text, err)
				continue
			}
			if plan.Root != root || plan.Slots < 1 || plan.Slots > predicate.MaxNodes {
				t.Fatalf("about %s, %d slots", plan.Root, plan.Slots)
			}
			spelled := s.String()
			if len(spelled) > predicate.MaxBytes {
				continue
			}
			printed, err := syntax.Parse(spelled)
			if err != nil {
				t.Fatal(err)
			}
			again, err := planOf(printed, root, checkEnv)
			if err != nil {
				t.Fatalf("%s: %v", s, err)
			}
			if got, want := predicatetest.PlanForm(again.Where), predicatetest.PlanForm(plan.Where); got != want {
				t.Fatalf("%s becomes\n%s, and printed\n%s", text, want, got)
			}
		}
	})
}

// FuzzOrder: every sort becomes an order by to-one keys, or an Error.
func FuzzOrder(f *testing.F) {
	for _, text := range []string{"", "title", "-state.name,modificationDate", "a,,", "#id,--", "watchers.@count", "component.parent.parent.name"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		orders, err := CompileOrder(text, predicate.Problem)
		if err != nil {
			predicatetest.CheckPlace(t, text, err)
			return
		}
		for _, o := range orders {
			if typ := o.Path.Type(); typ.Many || typ.Kind == predicate.Object || o.Path.Slot != 0 || len(o.Path.Steps) == 0 {
				t.Fatalf("%s: sorted by %s", text, predicatetest.ExprForm(o.Path))
			}
		}
	})
}
