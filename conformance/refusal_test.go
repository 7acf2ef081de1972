package conformance

import (
	"sync"
	"testing"

	"github.com/problemtracking/problems/conformance/harness"
	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/model"
	"github.com/problemtracking/problems/conformance/report"
	"github.com/problemtracking/problems/domain/store"
)

// TestMissingCapabilities lets stores meet the cases about what they declare not
// to do.
func TestMissingCapabilities(t *testing.T) {
	t.Parallel()
	cases := make(map[string]bench.Case)
	for _, c := range Cases() {
		cases[c.ID] = c
	}
	for _, test := range []struct {
		name string
		id   string
		// again makes a store of those that an environment had before.
		again func(t harness.T, first *model.Model) store.Store
		want  report.Status
	}{
		{"another store", "SHARE-002", func(harness.T, *model.Model) store.Store { return model.NewModel() }, report.Passed},
		{"refused", "SHARE-002", func(t harness.T, _ *model.Model) store.Store { t.Fatalf("it is open"); return nil }, report.Passed},
		{"the same data after all", "SHARE-002", func(_ harness.T, first *model.Model) store.Store { return first.Peer() }, report.Failed},
		{"the first is closed", "SHARE-002", func(_ harness.T, first *model.Model) store.Store { _ = first.Close(); return model.NewModel() }, report.Failed},
		{"the first is emptied", "SHARE-002", func(_ harness.T, first *model.Model) store.Store {
			first.Mu.Lock()
			defer first.Mu.Unlock()
			first.Now = model.NewWorld()
			first.Now.Of = first.Kept
			return model.NewModel()
		}, report.Failed},
		{"a panic", "SHARE-002", func(harness.T, *model.Model) store.Store { panic("it is open") }, report.Failed},
		{"empty again", "CLOSE-003", func(harness.T, *model.Model) store.Store { return model.NewModel() }, report.Passed},
		{"not empty again", "CLOSE-003", func(_ harness.T, first *model.Model) store.Store { return first.Peer() }, report.Failed},
		{"some of it", "CLOSE-003", func(_ harness.T, first *model.Model) store.Store {
			half := model.NewModel()
			half.Now.AllTokens, half.Now.Counters = first.Now.AllTokens, first.Now.Counters
			half.Now.Counters.Catalogue.Number = 3
			return half
		}, report.Failed},
	} {
		t.Run(test.id+" "+test.name, func(t *testing.T) {
			t.Parallel()
			var opened sync.Map // *model by Env.Dir
			h := plain()
			h.Open = func(t harness.T, env harness.Env) store.Store {
				first, again := opened.LoadOrStore(env.Dir, model.NewModel())
				if again {
					return test.again(t, first.(*model.Model))
				}
				return first.(*model.Model)
			}
			if ended := attempt(t, cases[test.id], h, 1); ended.Status != test.want {
				t.Errorf("the case ended %s; want %s: %s", ended.Status, test.want, ended.Failure)
			}
		})
	}
}
