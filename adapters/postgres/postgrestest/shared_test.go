package postgrestest_test

import (
	"fmt"
	"os"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

func TestMain(m *testing.M) {
	if os.Getenv(childVariable) != "" {
		waitToBeKilled()
	}
	os.Exit(postgrestest.Main(m))
}

func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { conn.PgConn().Conn().Close() })
	return conn
}

func TestSchemaIsEmptyAndOnesOwn(t *testing.T) {
	t.Parallel()
	for range 2 {
		conn := connect(t, postgrestest.Schema(t))
		run(t, conn, "CREATE TABLE things (id int)")
	}
}

func TestDatabaseIsEmptyAndOnesOwn(t *testing.T) {
	t.Parallel()
	for range 2 {
		conn := connect(t, postgrestest.Database(t))
		run(t, conn, "CREATE TABLE things (id int)")
		run(t, conn, "ALTER DATABASE "+ask[string](t, conn, "SELECT current_database()")+" SET default_transaction_read_only = on")
	}
}

func TestBothAreDroppedAtTheEnd(t *testing.T) {
	t.Parallel()
	witness := connect(t, postgrestest.Schema(t))
	var schema, database string
	t.Run("of a test that leaves connections at work", func(inner *testing.T) {
		// These are closed by the outer test: after both have been dropped.
		conn := connect(t, postgrestest.Schema(inner))
		schema = ask[string](t, conn, "SELECT current_schema()")
		run(t, conn, "CREATE TABLE things (id int)")
		run(t, conn, "BEGIN")
		run(t, conn, "INSERT INTO things VALUES (1)")
		database = ask[string](t, connect(t, postgrestest.Database(inner)), "SELECT current_database()")
	})
	if got := ask[int](t, witness, "SELECT count(*) FROM pg_namespace WHERE nspname = '"+schema+"'"); got != 0 {
		t.Error("the schema is still there")
	}
	if got := ask[int](t, witness, "SELECT count(*) FROM pg_database WHERE datname = '"+database+"'"); got != 0 {
		t.Error("the database is still there")
	}
}

func TestSharedServerIsAsDurableAsTheAdapterInsists(t *testing.T) {
	t.Parallel()
	conn := connect(t, postgrestest.Schema(t))
	for _, name := range []string{"fsync", "synchronous_commit"} {
		if got := ask[string](t, conn, "SHOW "+name); got != "on" {
			t.Errorf("%s is %s; want on", name, got)
		}
	}
	if got := ask[int](t, conn, "SELECT setting::int FROM pg_settings WHERE name = 'max_connections'"); got < 400 {
		t.Errorf("max_connections is %d; want at least 400", got)
	}
}

// recorder is a test that keeps its failures to itself.
type recorder struct {
	testing.TB
	mu       sync.Mutex
	messages []string
}

func (r *recorder) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.messages = append(r.messages, fmt.Sprintf(format, args...))
}

func (r *recorder) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// says reports whether a failure contains a text.
func (r *recorder) says(text string) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Contains(strings.Join(r.messages, "\n"), text)
}
