package postgres_test

import (
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/problemtracking/problems/adapters/postgres"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/conformance"
	"github.com/problemtracking/problems/domain/store"
)

// Time limits of the suite, for a machine that is busy with other tests.
const (
	// casePatience is for a case that starts servers.
	casePatience = 6 * time.Minute
	// killPatience is for the longest case: it kills and starts its server once for each
	// kind of Change.
	killPatience = 20 * time.Minute
	// callPatience is for a Commit of many megabytes.
	callPatience = time.Minute
)

func TestConformance(t *testing.T) {
	conformance.RunWith(t, conformance.Harness{
		Name: "postgres",
		Open: func(t conformance.T, env conformance.Env) store.Store {
			// As a service names it, beside the trackers of the other cases.
			return openAt(t, env, strings.Replace(migrated.Take(t), "search_path=", "schema=", 1))
		},
		Reopen: reopen,
		Peer:   reopen,
		Hold:   holdBack,
		Crash: func(t conformance.T, spec conformance.CrashSpec) conformance.CrashRun {
			if spec.Lose {
				return conformance.CrashRun{Declined: "what the disk of a server keeps of what was not synced is not tried; TestServerKilled tries what the server itself keeps"}
			}
			return conformance.KillChild(t, spec)
		},
		Replicate: replicate,
		Caps:      conformance.Capabilities{Durable: conformance.Yes, Shared: conformance.Yes, Replicated: conformance.Yes, LastReads: conformance.Yes},
	}, conformance.Options{Patience: casePatience})
}

// Searches find the same by the index of parts, filled and half filled.
func TestConformanceOfFinding(t *testing.T) {
	conformance.RunWith(t, conformance.Harness{
		Open: func(t conformance.T, env conformance.Env) store.Store {
			return filled{openAt(t, env, migrated.Take(t)).(*postgres.Store)}
		},
		Caps: conformance.Capabilities{Durable: conformance.No, Shared: conformance.No, LastReads: conformance.Yes},
	}, conformance.Options{Only: regexp.MustCompile("FIND-"), Patience: casePatience})
}

// migrated are schemas for tests that need a store of this version, and have nothing to do
// with how it came to be one.
var migrated = postgrestest.Schemas(migrate)

func migrate(ctx context.Context, url string) error {
	_, err := postgres.Migrate(ctx, postgres.Options{URL: url, Timeout: callPatience})
	return err
}

// pairs has an element for each primary with a standby that runs: a machine for tests
// has room for one beside the other servers.
var pairs = make(chan struct{}, 1)

// replicate returns the store of a primary whose standby has to confirm its commits. A
// write has a short time, so that one that waits for what another holds does not wait
// for long.
func replicate(t conformance.T, _ conformance.Env) conformance.Replication {
	pairs <- struct{}{}
	t.Cleanup(func() { <-pairs })
	pair := postgrestest.NewPair(t)
	open := func(url string) store.Store {
		s, err := postgres.Open(t.Context(), postgres.Options{URL: url, Connections: 8, Timeout: 2 * time.Second, AutoMigrate: true})
		if err != nil {
			t.Fatalf("the store cannot be opened: %v", err)
		}
		return s
	}
	return conformance.Replication{
		Open:        func() store.Store { return open(pair.URL()) },
		Freeze:      pair.FreezeStandby,
		Thaw:        pair.ThawStandby,
		CancelWaits: func() { pair.CancelWaits() },
		TakeOver: func() store.Store {
			pair.TakeOver()
			return open(pair.StandbyURL())
		},
	}
}

// TestServerKilled runs the cases of the power being cut on servers of which every
// process is killed instead: what they had not handed to the system is gone. What
// they had handed over survives, synced or not, so that the level of durability in
// this test's report is one of a server that is killed, and of no power cut.
func TestServerKilled(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-long runs it")
	}
	t.Parallel()
	var servers sync.Map                      // *postgrestest.Server, by the directory of the environment
	places := make(chan struct{}, maxServers) // at a time
	conformance.RunWith(t, conformance.Harness{
		Open: func(t conformance.T, env conformance.Env) store.Store {
			places <- struct{}{}
			t.Cleanup(func() { <-places })
			server := postgrestest.NewLocal(t) // sooner than a container
			servers.Store(env.Dir, server)
			return openAt(t, env, server.URL())
		},
		Reopen: reopen,
		Crash: func(t conformance.T, spec conformance.CrashSpec) conformance.CrashRun {
			server, ok := servers.Load(spec.Env.Dir)
			if !ok {
				t.Fatalf("the store in %s has no server", spec.Env.Dir)
			}
			return killServer(t, spec, server.(*postgrestest.Server))
		},
		Caps: conformance.Capabilities{Durable: conformance.Yes, Shared: conformance.No, LastReads: conformance.Yes},
	}, conformance.Options{
		Only: regexp.MustCompile("/power-cut$"),
		// The time of a case begins before it has a server: no more cases than servers.
		Parallel: maxServers,
		Patience: killPatience,
	})
}

// maxServers is how many servers a machine for tests can run beside the shared one.
const maxServers = 2

// place is where an environment says which store is its own: a child process knows
// nothing of it but the directory.
func place(env conformance.Env) string { return filepath.Join(env.Dir, "url") }

func openAt(t conformance.T, env conformance.Env, url string) store.Store {
	if err := os.WriteFile(place(env), []byte(url), 0o600); err != nil {
		t.Fatalf("the place of the store cannot be kept: %v", err)
	}
	return reopen(t, env)
}

func reopen(t conformance.T, env conformance.Env) store.Store {
	url, err := os.ReadFile(place(env))
	if err != nil {
		t.Fatalf("the environment has no store: %v", err)
	}
	s, err := postgres.Open(t.Context(), postgres.Options{URL: string(url), Connections: 4, Timeout: callPatience, AcquireTimeout: callPatience / 2, AutoMigrate: true})
	if err != nil {
		t.Fatalf("the store cannot be opened: %v", err)
	}
	return s
}

// killServer kills every process of the server at once while a child commits.
func killServer(t conformance.T, spec conformance.CrashSpec, server *postgrestest.Server) conformance.CrashRun {
	child := conformance.StartChild(t, spec)
	early := child.Reached()
	server.Kill()
	select {
	case <-child.Rested(): // it has said what it was told of what was under way
	case <-t.Context().Done():
	}
	ledger := child.Kill()
	server.Start()
	return conformance.CrashRun{Ledger: ledger, Early: early}
}

// TestCitus runs the suite with a schema for each tracker, on the Citus whose coordinator
// PROBLEMS_TEST_CITUS names. Each schema is on one of its servers.
func TestCitus(t *testing.T) {
	base := os.Getenv("PROBLEMS_TEST_CITUS")
	if base == "" {
		t.Skip("PROBLEMS_TEST_CITUS names no coordinator")
	}
	t.Parallel()
	admin, err := pgxpool.New(t.Context(), base)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(admin.Close)
	var version string
	if err := admin.QueryRow(t.Context(), "SELECT extversion FROM pg_extension WHERE extname = 'citus'").Scan(&version); err != nil {
		t.Fatalf("the database that PROBLEMS_TEST_CITUS names has no Citus: %v", err)
	}
	t.Logf("Citus %s", version)
	separator := "?"
	if strings.Contains(base, "?") {
		separator = "&"
	}
	conformance.RunWith(t, conformance.Harness{
		Name: "postgres",
		Open: func(t conformance.T, env conformance.Env) store.Store {
			schema := "t_" + strings.ToLower(rand.Text())
			t.Cleanup(func() {
				if _, err := admin.Exec(context.Background(), "DROP SCHEMA IF EXISTS "+schema+" CASCADE"); err != nil {
					t.Errorf("the schema cannot be dropped: %v", err)
				}
			})
			return openAt(t, env, base+separator+"schema="+schema+"&citus.enable_schema_based_sharding=on")
		},
		Peer: reopen,
		Caps: conformance.Capabilities{Durable: conformance.No, Shared: conformance.Yes, LastReads: conformance.Yes},
	}, conformance.Options{})
}
