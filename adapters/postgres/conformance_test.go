package postgres_test

import (
	"sync"
	"testing"

	"github.com/problemtracking/problems/adapters/postgres"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/conformance"
	"github.com/problemtracking/problems/domain/store"
)

func TestConformance(t *testing.T) {
	var schemas sync.Map // the URLs, by the directory of their environment
	again := func(t conformance.T, env conformance.Env) store.Store {
		url, _ := schemas.Load(env.Dir)
		s, err := postgres.Open(t.Context(), postgres.Options{URL: url.(string), AutoMigrate: true})
		if err != nil {
			t.Fatalf("the store cannot be opened: %v", err)
		}
		return s
	}
	conformance.Run(t, conformance.Harness{
		Open: func(t conformance.T, env conformance.Env) store.Store {
			schemas.Store(env.Dir, postgrestest.Schema(t.(testing.TB)))
			return again(t, env)
		},
		Reopen: again,
		Peer:   again,
		Caps:   conformance.Capabilities{Durable: conformance.Yes, Shared: conformance.Yes},
	})
}
