package upgradetest

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
	"github.com/problemtracking/problems/domain/predicate"
)

// First returns the steps of the first version: the first step alone.
func First(t *testing.T, steps sqlstore.Steps) sqlstore.Steps {
	t.Helper()
	const name = "migrations/0001_initial.up.sql"
	text, err := fs.ReadFile(steps.Files, name)
	if err != nil {
		t.Fatal(err)
	}
	steps.Files = fstest.MapFS{name: {Data: text}}
	return steps
}

// FoldingIsFinal holds each version of the folding to a final step: a server of an older
// version, which folds texts otherwise, is then excluded before texts are folded anew.
func FoldingIsFinal(t *testing.T, steps sqlstore.Steps) {
	t.Helper()
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
