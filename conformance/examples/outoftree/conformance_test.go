package boltstore_test

import (
	"path/filepath"
	"testing"

	"example.org/boltstore"
	"github.com/problemtracking/problems/conformance"
	"github.com/problemtracking/problems/domain/store"
)

func TestConformance(t *testing.T) {
	t.Parallel()
	open := func(t conformance.T, env conformance.Env) store.Store {
		s, err := boltstore.Open(t.Context(), boltstore.Options{Path: filepath.Join(env.Dir, "problems.db")})
		if err != nil {
			t.Fatalf("the store cannot be opened: %v", err)
		}
		return s
	}
	conformance.Run(t, conformance.Harness{
		Name:   "boltstore",
		Open:   open,
		Reopen: open,
		Crash:  conformance.CutPower,
		// bbolt locks its file: nobody else can open it meanwhile.
		Caps: conformance.Capabilities{Durable: conformance.Yes, Shared: conformance.No},
	})
}
