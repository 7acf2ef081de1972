package sqlite_test

import (
	"path/filepath"
	"testing"

	"github.com/problemtracking/problems/adapters/sqlite"
	"github.com/problemtracking/problems/conformance"
	"github.com/problemtracking/problems/domain/store"
)

func TestConformance(t *testing.T) {
	open := func(t conformance.T, env conformance.Env) store.Store {
		s, err := sqlite.Open(t.Context(), sqlite.Options{Path: filepath.Join(env.Dir, "problems.db")})
		if err != nil {
			t.Fatalf("the store cannot be opened: %v", err)
		}
		return s
	}
	conformance.Run(t, conformance.Harness{
		Name:   "sqlite",
		Open:   open,
		Reopen: open,
		Peer:   open,
		Crash:  conformance.CutPower,
		Caps:   conformance.Capabilities{Durable: conformance.Yes, Shared: conformance.Yes},
	})
}
