package pushdown

import (
	"testing"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/check"
	"github.com/problemtracking/problems/domain/predicate/internal/predicatetest"
)

// compile compiles a predicate in the environment of a world.
func compile(t testing.TB, w predicatetest.World, text string, root predicate.Entity) *predicate.Plan {
	t.Helper()
	p, err := check.Compile(text, root, w.Env)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return p
}
