package conformance

import (
	"sync"
	"testing"

	"github.com/problemtracking/problems/conformance/harness"
	"github.com/problemtracking/problems/conformance/internal/model"
	"github.com/problemtracking/problems/domain/store"
)

func TestModel(t *testing.T) {
	t.Parallel()
	Run(t, sharing(func(m *model.Model) store.Store { return m }))
}

// sharing returns a harness of stores that are made of models, of which those of
// one environment share their data.
func sharing(handle func(*model.Model) store.Store) harness.Harness {
	var open sync.Map // *model by Env.Dir
	return harness.Harness{
		Open: func(_ harness.T, env harness.Env) store.Store {
			m := model.NewModel()
			open.Store(env.Dir, m)
			return handle(m)
		},
		Peer: func(t harness.T, env harness.Env) store.Store {
			m, ok := open.Load(env.Dir)
			if !ok {
				t.Fatalf("no store is open in %s", env.Dir)
			}
			return handle(m.(*model.Model).Peer())
		},
		Caps: harness.Capabilities{Durable: harness.No, Shared: harness.Yes},
	}
}
