package postgres

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
	"github.com/problemtracking/problems/adapters/internal/sqlstore/upgradetest"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/domain/fault"
)

// next returns the steps of a version after this one, with one more step.
func next(t *testing.T, mark string) sqlstore.Steps {
	t.Helper()
	return upgradetest.Next(t, builtin, "9998_next", mark+"\nCREATE TABLE next (id bigint);\n")
}

// TestFinalStepWaitsForOlderServers migrates beside a server of an older version. A step
// that only adds is done. A final one is refused with the server's name, until it has
// stopped.
func TestFinalStepWaitsForOlderServers(t *testing.T) {
	t.Parallel()
	for mark, refused := range map[string]bool{"-- It only adds.": false, upgradetest.Final: true} {
		d := newDatabase(t, postgrestest.Schema(t))
		older, err := Open(t.Context(), Options{URL: d.url + "&application_name=old%20one", AutoMigrate: true})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(func() { _ = older.Close() })
		newer := Options{URL: d.url, AutoMigrate: true, steps: next(t, mark)}
		s, err := Open(t.Context(), newer)
		if !refused {
			if err != nil {
				t.Errorf("beside an older server, a step that only adds: %v", err)
				continue
			}
			t.Cleanup(func() { _ = s.Close() })
			if _, err := older.Versions(t.Context()); err != nil {
				t.Errorf("beside a step that only adds, the older server: %v", err)
			}
			continue
		}
		if !fault.Is(err, fault.Unavailable) {
			t.Fatalf("beside an older server, a final step: %v; want an error that waiting cures", err)
		}
		wants(t, err, `stop them first`)
		if !regexp.MustCompile(`"old one" from \S+, which knows the steps up to 0\d+ \(connections: \d+\)$`).MatchString(err.Error()) {
			t.Errorf("the older server is not named: %v", err)
		}
		if got := d.strings("SELECT name FROM problems_migrations WHERE name = '9998'"); len(got) > 0 {
			t.Error("the final step was done all the same")
		}
		if _, err := older.Versions(t.Context()); err != nil {
			t.Errorf("after the refusal, the older server: %v", err)
		}
		if err := older.Close(); err != nil {
			t.Error(err)
		}
		s, err = Open(t.Context(), newer)
		if err != nil {
			t.Fatalf("after the end of the older server: %v", err)
		}
		t.Cleanup(func() { _ = s.Close() })
	}
}

// TestOlderServerAfterFinalStep has an older server without a connection while a final step
// is done. It does not go on after that, and says why.
func TestOlderServerAfterFinalStep(t *testing.T) {
	t.Parallel()
	url := postgrestest.Schema(t)
	proxy := postgrestest.NewProxy(t, url)
	older, err := Open(t.Context(), Options{URL: proxy.URL(), AutoMigrate: true, AcquireTimeout: time.Second})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = older.Close() })
	proxy.Refuse(true)
	proxy.CutNow()
	var s *Store
	for end := time.Now().Add(time.Minute); s == nil; time.Sleep(10 * time.Millisecond) { // the database notices the lost connections
		if s, err = Open(t.Context(), Options{URL: url, AutoMigrate: true, steps: next(t, upgradetest.Final)}); err != nil && time.Now().After(end) {
			t.Fatal(err)
		}
	}
	t.Cleanup(func() { _ = s.Close() })
	proxy.Refuse(false)
	for end := time.Now().Add(time.Minute); ; time.Sleep(10 * time.Millisecond) {
		_, err := older.Versions(t.Context())
		if err == nil {
			t.Fatal("after a final step, the older server goes on")
		}
		if strings.Contains(err.Error(), "a version that knows step 9998 is needed") {
			return
		}
		if time.Now().After(end) {
			t.Fatalf("after a final step, the older server says %v", err)
		}
	}
}
