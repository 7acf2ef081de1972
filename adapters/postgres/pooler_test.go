package postgres_test

import (
	"regexp"
	"strings"
	"testing"

	"github.com/problemtracking/problems/adapters/postgres"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/conformance"
	"github.com/problemtracking/problems/domain/store"
)

// TestPooler runs the suite through PgBouncer, which gives each transaction
// another session of the server. What does not depend on that is left to
// TestConformance: being opened again, several handles, and, unless
// -postgres.exhaustive is given, what a single statement reads.
func TestPooler(t *testing.T) {
	t.Parallel()
	pooler := postgrestest.NewPooler(t, postgrestest.Database(t))
	databases := postgrestest.Databases(migrate) // a pooler knows no search_path
	transactions := conformance.Options{Only: regexp.MustCompile("^(COM|FEED|ID|LAST|OUT|RES|VER|VIEW)-"), Patience: casePatience}
	if *exhaustive {
		transactions.Only = nil
	}
	conformance.RunWith(t, conformance.Harness{
		Open: func(c conformance.T, env conformance.Env) store.Store {
			direct := databases.Take(c)
			s, err := postgres.Open(c.Context(), postgres.Options{URL: pooler.URL(direct) + "&connect_timeout=60", Direct: direct, Pooler: true, Timeout: callPatience, AcquireTimeout: callPatience / 2, AutoMigrate: true})
			if err != nil {
				c.Fatalf("the store cannot be opened: %v", err)
			}
			return s
		},
		Caps: conformance.Capabilities{Durable: conformance.No, Shared: conformance.No, LastReads: conformance.Yes},
	}, transactions)
}

// TestPoolerIsNamed opens stores that were not told of the pooler. One that takes
// what it cannot keep is noticed by the second store, which finds the statements
// of the first.
func TestPoolerIsNamed(t *testing.T) {
	t.Parallel()
	direct := postgrestest.Database(t)
	open(t, postgres.Options{URL: direct})
	for _, c := range []struct {
		name     string
		settings string
		opened   int // how many stores are
	}{
		{"settings of the session refused", "", 0},
		{"settings of the session ignored", "ignore_startup_parameters = statement_timeout,tcp_keepalives_idle,tcp_keepalives_interval,tcp_keepalives_count,default_transaction_isolation,lock_timeout", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			url := postgrestest.NewPooler(t, direct, c.settings).URL(direct)
			for range c.opened {
				open(t, postgres.Options{URL: url, Connections: 1})
			}
			s, err := postgres.Open(t.Context(), postgres.Options{URL: url, Connections: 1})
			if err == nil {
				_ = s.Close()
			}
			if err == nil || !strings.Contains(err.Error(), "leads to a pooler in transaction mode, say that it is a pooler") {
				t.Errorf("got %v; want to read that it is a pooler", err)
			}
		})
	}
}
