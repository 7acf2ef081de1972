package postgres

import (
	"context"
	"crypto/rand"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/domain/fault"
)

// A password that changes while the store is open is used for new connections.
func TestPasswordChanges(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-long runs it")
	}
	t.Parallel()
	role := "t_" + strings.ToLower(rand.Text())
	var admin *pgx.Conn
	execute := func(statement string) {
		t.Helper()
		if _, err := admin.Exec(context.Background(), statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
	home := postgrestest.Database(t)
	var err error
	if admin, err = pgx.Connect(t.Context(), home); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		execute("REASSIGN OWNED BY " + role + " TO CURRENT_USER")
		execute("DROP OWNED BY " + role)
		execute("DROP ROLE " + role)
		_ = admin.Close(context.Background())
	})
	execute("CREATE ROLE " + role + " LOGIN PASSWORD 'one'")
	u, err := url.Parse(home)
	if err != nil {
		t.Fatal(err)
	}
	execute("ALTER DATABASE " + u.Path[1:] + " OWNER TO " + role)
	u.User = url.User(role)

	var password atomic.Value
	password.Store("one")
	s, err := Open(t.Context(), Options{URL: u.String(), CurrentPassword: func() string { return password.Load().(string) }, AutoMigrate: true, AcceptLoss: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	execute("ALTER ROLE " + role + " PASSWORD 'two'")
	if _, err := s.Versions(t.Context()); err != nil {
		t.Errorf("a connection that was made before: %v", err)
	}
	execute("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE usename = '" + role + "'")
	s.pool.Reset()
	if _, err := s.Versions(t.Context()); !fault.Is(err, fault.Unavailable) {
		t.Errorf("new connections with the former password: %v", err)
	}
	password.Store("two")
	if _, err := s.Versions(t.Context()); err != nil {
		t.Errorf("new connections with the new password: %v", err)
	}
}
