package postgrestest_test

import (
	"context"
	"net/url"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

// throughSessions returns the URL of a server by way of sessions.
func throughSessions(t *testing.T) string {
	u, err := url.Parse(postgrestest.NewLocal(t).URL())
	if err != nil {
		t.Fatal(err)
	}
	p, err := postgrestest.NewSessions(u.Host)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Close() })
	u.Host = p.Addr().String()
	return u.String()
}

// backend is the number of the process that serves a connection.
func backend(t *testing.T, conn *pgx.Conn) int { return ask[int](t, conn, "SELECT pg_backend_pid()") }

func TestSessionServesAgainAsNew(t *testing.T) {
	t.Parallel()
	url := throughSessions(t) + "&lock_timeout=4321"
	first := connect(t, url)
	pid, key := backend(t, first), first.PgConn().SecretKey()
	run(t, first, "PREPARE mine AS SELECT 1")
	run(t, first, "SET lock_timeout = 1")
	run(t, first, "SET search_path = pg_catalog")
	run(t, first, "CREATE TEMP TABLE mine ()")
	run(t, first, "SELECT pg_advisory_lock(hashtext('TestSessionServesAgainAsNew'))")
	if err := first.Close(t.Context()); err != nil {
		t.Fatal(err)
	}

	var again *pgx.Conn
	for range 100 { // it is cleared a moment later
		again = connect(t, url)
		if backend(t, again) == pid {
			break
		}
	}
	if backend(t, again) != pid {
		t.Fatal("the session was not used again")
	}
	if got := again.PgConn().SecretKey(); string(got) != string(key) {
		t.Error("the key for cancel requests is another one")
	}
	if got := ask[string](t, again, "SHOW lock_timeout"); got != "4321ms" {
		t.Errorf("lock_timeout is %s; want that of the URL", got)
	}
	if got := ask[string](t, again, "SELECT current_schema()"); got != "public" {
		t.Errorf("the session is in %s; want public", got)
	}
	for _, leftover := range []string{
		"SELECT count(*) FROM pg_prepared_statements WHERE name = 'mine'",
		"SELECT count(*) FROM pg_class WHERE relname = 'mine'",
		"SELECT count(*) FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()",
	} {
		if got := ask[int](t, again, leftover); got != 0 {
			t.Errorf("%s: %d are left of the client before", leftover, got)
		}
	}
	if got := ask[string](t, connect(t, url+"1"), "SHOW lock_timeout"); got != "43211ms" {
		t.Errorf("with other parameters, lock_timeout is %s; want those", got)
	}
}

func TestSessionOfALostClientEnds(t *testing.T) {
	t.Parallel()
	url := throughSessions(t)
	witness := connect(t, url)
	for name, lose := range map[string]func(*pgx.Conn){
		"vanishes":            func(conn *pgx.Conn) { conn.PgConn().Conn().Close() },
		"ends in transaction": func(conn *pgx.Conn) { run(t, conn, "BEGIN"); _ = conn.Close(t.Context()) },
	} {
		t.Run(name, func(t *testing.T) {
			conn := connect(t, url)
			pid := backend(t, conn)
			lose(conn)
			until(t, "the session has ended", func() bool {
				var there bool
				err := witness.QueryRow(t.Context(), "SELECT EXISTS (SELECT FROM pg_stat_activity WHERE pid = $1)", pid).Scan(&there)
				return err == nil && !there
			})
		})
	}
}

func TestSessionTakesCancelRequests(t *testing.T) {
	t.Parallel()
	url := throughSessions(t)
	conn := connect(t, url)
	done := make(chan error, 1)
	go func() {
		_, err := conn.Exec(context.Background(), "SELECT pg_sleep(600)")
		done <- err
	}()
	witness := connect(t, url)
	pid := int(conn.PgConn().PID())
	until(t, "the statement runs", func() bool {
		var active bool
		err := witness.QueryRow(t.Context(), "SELECT state = 'active' FROM pg_stat_activity WHERE pid = $1", pid).Scan(&active)
		return err == nil && active
	})
	if err := conn.PgConn().CancelRequest(t.Context()); err != nil {
		t.Fatal(err)
	}
	if err := <-done; err == nil {
		t.Error("the statement ran to its end")
	}
}
