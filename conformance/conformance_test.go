package conformance

import (
	"sync"
	"testing"

	"github.com/problemtracking/problems/domain/store"
)

func TestModel(t *testing.T) {
	t.Parallel()
	Run(t, sharing(func(m *model) store.Store { return m }))
}

// sharing returns a harness of stores that are made of models, of which those of
// one environment share their data.
func sharing(handle func(*model) store.Store) Harness {
	var open sync.Map // *model by Env.Dir
	return Harness{
		Open: func(_ T, env Env) store.Store {
			m := newModel()
			open.Store(env.Dir, m)
			return handle(m)
		},
		Peer: func(t T, env Env) store.Store {
			m, ok := open.Load(env.Dir)
			if !ok {
				t.Fatalf("no store is open in %s", env.Dir)
			}
			return handle(m.(*model).peer())
		},
		Caps: Capabilities{Durable: No, Shared: Yes},
	}
}
