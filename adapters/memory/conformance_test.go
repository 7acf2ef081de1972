package memory_test

import (
	"testing"

	"github.com/problemtracking/problems/adapters/memory"
	"github.com/problemtracking/problems/conformance"
	"github.com/problemtracking/problems/domain/store"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	conformance.Run(t, conformance.Harness{
		Name: "memory",
		Open: func(t conformance.T, _ conformance.Env) store.Store {
			s, err := memory.Open(t.Context(), memory.Options{})
			if err != nil {
				t.Fatalf("open: %v", err)
			}
			return s
		},
		Caps: conformance.Capabilities{Durable: conformance.No, Shared: conformance.No, LastReads: conformance.No},
	})
}
