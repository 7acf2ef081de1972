package pushdown

import (
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/internal/predicatetest"
)

// TestSplitIsBounded: Split decides constant conditions only when this takes little
// work. The rest is residual and can be stopped.
func TestSplitIsBounded(t *testing.T) {
	t.Parallel()
	w := predicatetest.NewWorld()
	for _, n := range []int{50, 1000, 8000} {
		text := "'" + strings.Repeat("a", n) + "' MATCHES '(a|aa)*b'"
		compiled, residual := Split(compile(t, w, text, predicate.Problem))
		if decided := n <= 100; decided != (residual == nil) || decided != (len(compiled) == 1) {
			t.Errorf("%d characters: %v and %v", n, compiled, residual)
		}
		both := text + " AND watching = YES"
		if compiled, residual := Split(compile(t, w, both, predicate.Problem)); (residual == nil) != (n <= 100) || len(compiled) == 0 {
			t.Errorf("%d characters, and more: %v and %v", n, compiled, residual)
		}
	}
}
