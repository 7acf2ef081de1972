package postgres

import "testing"

// TestBackgroundStepsOnlyMakeIndexes reads the statements of the steps for the background, and
// of one of the test.
func TestBackgroundStepsOnlyMakeIndexes(t *testing.T) {
	t.Parallel()
	steps := indexed(t)
	all, err := steps.Compare([]string{"0100"}, 0)
	if err != nil {
		t.Fatal(err)
	}
	behind := 0
	for _, m := range all {
		if !m.Background {
			continue
		}
		behind++
		if indexes, err := steps.Indexes(m); err != nil || len(indexes) == 0 || m.Final {
			t.Errorf("the step %s, final %t, makes %v (%v)", m.Name, m.Final, indexes, err)
		}
	}
	if behind == 0 {
		t.Error("the step of the test is not for the background")
	}
}
