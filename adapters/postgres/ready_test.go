package postgres_test

import (
	"crypto/rand"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/problemtracking/problems/adapters/postgres"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/tracker"
)

// A service is not ready while an operator's lock stops the writes of problems.
func TestReadyIsAboutLocks(t *testing.T) {
	t.Parallel()
	url := postgrestest.Database(t)
	admin := connect(t, url)
	s := open(t, postgres.Options{URL: url})
	service := tracker.New(tracker.Options{Store: s, Now: time.Now, Random: rand.Reader})
	for _, lock := range []string{
		"LOCK TABLE problems IN SHARE MODE", // as CREATE INDEX takes it
		"LOCK TABLE log IN ACCESS EXCLUSIVE MODE",
		"LOCK TABLE pending IN EXCLUSIVE MODE",
		"SELECT FROM versions FOR UPDATE",
	} {
		eventually(t, "the service is ready before "+lock, func() bool { return service.Ready(t.Context()) == nil })
		execute(t, admin, "BEGIN", lock)
		eventually(t, "the service is not ready during "+lock, func() bool { return fault.Is(service.Ready(t.Context()), fault.Unavailable) })
		execute(t, admin, "ROLLBACK")
	}
}

// A service is not ready while its database is read-only, though it can be read, and
// is ready again afterwards.
func TestReadyIsAboutWrites(t *testing.T) {
	t.Parallel()
	url := postgrestest.Database(t)
	admin := connect(t, url)
	s := open(t, postgres.Options{URL: url})
	service := tracker.New(tracker.Options{Store: s, Now: time.Now, Random: rand.Reader})
	database := pgx.Identifier{admin.Config().Database}.Sanitize()
	others := "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
	if err := service.Ready(t.Context()); err != nil {
		t.Fatal(err)
	}
	execute(t, admin, "ALTER DATABASE "+database+" SET default_transaction_read_only = on", others)
	eventually(t, "the service says that the database is read-only", func() bool {
		err := service.Ready(t.Context())
		return fault.Is(err, fault.Unavailable) && strings.Contains(err.Error(), "read-only")
	})
	eventually(t, "the database can be read meanwhile", func() bool {
		_, err := s.Versions(t.Context())
		return err == nil
	})
	execute(t, admin, "ALTER DATABASE "+database+" RESET default_transaction_read_only", others)
	eventually(t, "the service is ready again", func() bool { return service.Ready(t.Context()) == nil })
}
