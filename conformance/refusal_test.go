package conformance

import (
	"sync"
	"testing"

	"github.com/problemtracking/problems/conformance/report"
	"github.com/problemtracking/problems/domain/store"
)

// TestMissingCapabilities lets stores meet the cases about what they declare not
// to do.
func TestMissingCapabilities(t *testing.T) {
	t.Parallel()
	cases := make(map[string]Case)
	for _, c := range Cases() {
		cases[c.ID] = c
	}
	for _, test := range []struct {
		name string
		id   string
		// again makes a store of those that an environment had before.
		again func(t T, first *model) store.Store
		want  report.Status
	}{
		{"another store", "SHARE-002", func(T, *model) store.Store { return newModel() }, report.Passed},
		{"refused", "SHARE-002", func(t T, _ *model) store.Store { t.Fatalf("it is open"); return nil }, report.Passed},
		{"the same data after all", "SHARE-002", func(_ T, first *model) store.Store { return first.peer() }, report.Failed},
		{"the first is closed", "SHARE-002", func(_ T, first *model) store.Store { _ = first.Close(); return newModel() }, report.Failed},
		{"the first is emptied", "SHARE-002", func(_ T, first *model) store.Store {
			first.mu.Lock()
			defer first.mu.Unlock()
			first.now = newWorld()
			first.now.of = first.kept
			return newModel()
		}, report.Failed},
		{"a panic", "SHARE-002", func(T, *model) store.Store { panic("it is open") }, report.Failed},
		{"empty again", "CLOSE-003", func(T, *model) store.Store { return newModel() }, report.Passed},
		{"not empty again", "CLOSE-003", func(_ T, first *model) store.Store { return first.peer() }, report.Failed},
		{"some of it", "CLOSE-003", func(_ T, first *model) store.Store {
			half := newModel()
			half.now.tokens, half.now.versions = first.now.tokens, first.now.versions
			half.now.versions.Catalogue.Number = 3
			return half
		}, report.Failed},
	} {
		t.Run(test.id+" "+test.name, func(t *testing.T) {
			t.Parallel()
			var opened sync.Map // *model by Env.Dir
			h := plain()
			h.Open = func(t T, env Env) store.Store {
				first, again := opened.LoadOrStore(env.Dir, newModel())
				if again {
					return test.again(t, first.(*model))
				}
				return first.(*model)
			}
			if ended := attempt(t, cases[test.id], h, 1); ended.Status != test.want {
				t.Errorf("the case ended %s; want %s: %s", ended.Status, test.want, ended.Failure)
			}
		})
	}
}
