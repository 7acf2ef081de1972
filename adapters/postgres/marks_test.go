package postgres

import "testing"

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
