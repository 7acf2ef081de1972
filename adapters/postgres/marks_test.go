package postgres

import (
	"testing"

	"github.com/problemtracking/problems/domain/predicate"
)

// TestFoldingHasAFinalStep holds each version of the folding to a final step: a server of an
// older version, which folds texts otherwise, is then excluded before texts are folded anew.
func TestFoldingHasAFinalStep(t *testing.T) {
	t.Parallel()
	for version := 1; version <= predicate.FoldVersion; version++ {
		number, final, err := builtin.FoldedBy(version)
		if err != nil || number == 0 || !final {
			t.Errorf("the step with \"-- Folds: %d\" is %d, final %t, %v; want one with \"-- Final: \" as well", version, number, final, err)
		}
	}
	if number, _, err := builtin.FoldedBy(predicate.FoldVersion + 1); number != 0 || err != nil {
		t.Errorf("step %d folds by a version that is not there (%v)", number, err)
	}
}

// TestBackgroundStepsOnlyMakeIndexes reads the statements of the steps for the background.
func TestBackgroundStepsOnlyMakeIndexes(t *testing.T) {
	t.Parallel()
	all, err := builtin.Compare([]string{"0001"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	behind := 0
	for _, m := range all {
		if !m.Background {
			continue
		}
		behind++
		if indexes, err := builtin.Indexes(m); err != nil || len(indexes) == 0 || m.Final {
			t.Errorf("the step %s, final %t, makes %v (%v)", m.Name, m.Final, indexes, err)
		}
	}
	if behind == 0 {
		t.Error("no step is for the background")
	}
}
