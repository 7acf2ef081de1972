package conformance

import (
	"testing"

	"github.com/problemtracking/problems/domain/store"
)

func TestModel(t *testing.T) {
	t.Parallel()
	Run(t, Harness{
		Open: func(T, Env) store.Store { return newModel() },
		Caps: Capabilities{Durable: No},
	})
}
