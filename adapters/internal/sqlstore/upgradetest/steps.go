package upgradetest

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
	"github.com/problemtracking/problems/domain/predicate"
)

// Final is the mark of a step that servers without it cannot live with.
const Final = "-- Final: older servers would lose it."

// Next returns the steps of a version after this one: with one more step.
func Next(t *testing.T, steps sqlstore.Steps, name, text string) sqlstore.Steps {
	t.Helper()
	all := fstest.MapFS{"migrations/" + name + ".up.sql": {Data: []byte(text)}}
	known, err := fs.Glob(steps.Files, "migrations/*.sql")
	if err != nil || len(known) == 0 {
		t.Fatal("there are no steps: ", err)
	}
	for _, name := range known {
		text, err := fs.ReadFile(steps.Files, name)
		if err != nil {
			t.Fatal(err)
		}
		all[name] = &fstest.MapFile{Data: text}
	}
	steps.Files = all
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
