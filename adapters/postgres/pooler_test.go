package postgres_test

import (
	"context"
	"regexp"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"

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
	var free databases
	transactions := conformance.Options{Only: regexp.MustCompile("^(COM|FEED|ID|LAST|OUT|RES|VER|VIEW)-"), Patience: casePatience}
	if *exhaustive {
		transactions.Only = nil
	}
	conformance.RunWith(t, conformance.Harness{
		Open: func(c conformance.T, env conformance.Env) store.Store {
			direct := free.take(t)
			c.Cleanup(func() { free.give(t, direct) })
			s, err := postgres.Open(c.Context(), postgres.Options{URL: pooler.URL(direct), Direct: direct, Pooler: true, Timeout: callPatience, AcquireTimeout: callPatience / 2, AutoMigrate: true})
			if err != nil {
				c.Fatalf("the store cannot be opened: %v", err)
			}
			return s
		},
		Caps: conformance.Capabilities{Durable: conformance.No, Shared: conformance.No, LastReads: conformance.Yes},
	}, transactions)
}

// databases are those that no case uses at the moment. A pooler knows no
// search_path, so that a schema each, which takes less time, would not do.
type databases struct {
	mu   sync.Mutex
	free []string
}

func (d *databases) take(t *testing.T) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if last := len(d.free) - 1; last >= 0 {
		url := d.free[last]
		d.free = d.free[:last]
		return url
	}
	return postgrestest.Database(t)
}

// give takes back a database, and empties it.
func (d *databases) give(t *testing.T, url string) {
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		t.Errorf("a database cannot be emptied: %v", err)
		return
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(context.Background(), "SET client_min_messages = warning; DROP SCHEMA public CASCADE; CREATE SCHEMA public"); err != nil {
		t.Errorf("a database cannot be emptied: %v", err)
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.free = append(d.free, url)
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
