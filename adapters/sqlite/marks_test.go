package sqlite

import (
	"testing"

	"github.com/problemtracking/problems/domain/predicate"
)

// TestFoldingHasAFinalStep holds each version of the folding to a final step: a server of an
// older version, which folds texts otherwise, is then excluded before texts are folded anew.
func TestFoldingHasAFinalStep(t *testing.T) {
	t.Parallel()
	for version := 1; version <= predicate.FoldVersion; version++ {
		number, final, err := steps.FoldedBy(version)
		if err != nil || number == 0 || !final {
			t.Errorf("the step with \"-- Folds: %d\" is %d, final %t, %v; want one with \"-- Final: \" as well", version, number, final, err)
		}
	}
	if number, _, err := steps.FoldedBy(predicate.FoldVersion + 1); number != 0 || err != nil {
		t.Errorf("step %d folds by a version that is not there (%v)", number, err)
	}
}
