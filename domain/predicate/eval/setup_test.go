package eval_test

import (
	"context"
	"testing"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/check"
	"github.com/problemtracking/problems/domain/predicate/eval"
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

// holds evaluates a predicate about an entry.
func holds(t *testing.T, w predicatetest.World, text string, root predicate.Entity, about *predicatetest.Fake) bool {
	t.Helper()
	ok, err := eval.Matches(context.Background(), compile(t, w, text, root), about)
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return ok
}
