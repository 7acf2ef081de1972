package postgres_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/problemtracking/problems/adapters/postgres"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/conformance"
	"github.com/problemtracking/problems/domain/store"
)

func TestConformance(t *testing.T) {
	// A child process has nothing of the environment but its directory, so
	// that the place of the data is written there.
	place := func(env conformance.Env) string { return filepath.Join(env.Dir, "url") }
	again := func(t conformance.T, env conformance.Env) store.Store {
		url, err := os.ReadFile(place(env))
		if err != nil {
			t.Fatalf("the environment has no store: %v", err)
		}
		s, err := postgres.Open(t.Context(), postgres.Options{URL: string(url), AutoMigrate: true})
		if err != nil {
			t.Fatalf("the store cannot be opened: %v", err)
		}
		return s
	}
	conformance.Run(t, conformance.Harness{
		Name: "postgres",
		Open: func(t conformance.T, env conformance.Env) store.Store {
			if err := os.WriteFile(place(env), []byte(postgrestest.Schema(t)), 0o600); err != nil {
				t.Fatalf("the place of the store cannot be kept: %v", err)
			}
			return again(t, env)
		},
		Reopen: again,
		Peer:   again,
		Crash:  conformance.KillChild,
		Caps:   conformance.Capabilities{Durable: conformance.Yes, Shared: conformance.Yes},
	})
}
