package pushdown

import (
	"testing"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/check"
	"github.com/problemtracking/problems/domain/predicate/internal/predicatetest"
)

// TestHostileSplit checks that Split makes little of them.
func TestHostileSplit(t *testing.T) { // not in parallel: it counts allocations
	env := predicatetest.NewWorld().Env
	for _, a := range predicatetest.Hostile() {
		plan, err := check.Compile(a.Text, predicate.Problem, env)
		if err != nil {
			continue
		}
		const most = 200_000
		if n := testing.AllocsPerRun(1, func() { Split(plan) }); n > most {
			t.Errorf("%s: %.0f allocations, want %d at most", a.Name, n, most)
		}
		compiled, _ := Split(plan)
		nodes := 0
		predicate.Walk(predicate.And{Conds: compiled}, func(any) bool { nodes++; return true })
		if most := 10 * predicate.MaxNodes; nodes > most {
			t.Errorf("%s: %d conditions and expressions are compiled, want %d at most", a.Name, nodes, most)
		}
	}
}
