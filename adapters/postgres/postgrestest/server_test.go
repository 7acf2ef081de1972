package postgrestest_test

import (
	"context"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

// ask returns the one value that a query gives.
func ask[T any](t *testing.T, conn *pgx.Conn, query string) T {
	t.Helper()
	var value T
	if err := conn.QueryRow(t.Context(), query).Scan(&value); err != nil {
		t.Fatalf("%s: %v", query, err)
	}
	return value
}

func run(t *testing.T, conn *pgx.Conn, statement string) {
	t.Helper()
	if _, err := conn.Exec(t.Context(), statement); err != nil {
		t.Fatalf("%s: %v", statement, err)
	}
}

// expectGone expects a connection to be broken.
func expectGone(t *testing.T, conn *pgx.Conn) {
	t.Helper()
	if err := conn.Ping(t.Context()); err == nil || !conn.IsClosed() {
		t.Errorf("the connection still answers: %v", err)
	}
}

func TestServerKeepsItsDataAndItsURL(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-long runs it")
	}
	t.Parallel()
	server := postgrestest.New(t)
	url := server.URL()
	conn := connect(t, url)
	run(t, conn, "CREATE TABLE things (id int)")
	for i, end := range []func(){
		func() { server.Kill(); server.Start() },
		func() { server.Immediate(); server.Start() },
		server.Restart,
	} {
		run(t, conn, "INSERT INTO things VALUES (1)")
		end()
		expectGone(t, conn)
		if server.URL() != url {
			t.Errorf("the URL was %s and is %s", url, server.URL())
		}
		conn = connect(t, url)
		if got := ask[int](t, conn, "SELECT count(*) FROM things"); got != i+1 {
			t.Errorf("there are %d rows; want %d", got, i+1)
		}
	}
}

func TestServerHasTheSettings(t *testing.T) {
	t.Parallel()
	server := postgrestest.New(t, "synchronous_commit=off", "wal_writer_delay=10s")
	conn := connect(t, server.URL())
	if got := ask[string](t, conn, "SHOW synchronous_commit"); got != "off" {
		t.Errorf("synchronous_commit is %s; want off", got)
	}
	if got := ask[string](t, conn, "SHOW wal_writer_delay"); got != "10s" {
		t.Errorf("wal_writer_delay is %s; want 10s", got)
	}
	if got := ask[string](t, conn, "SHOW fsync"); got != "on" {
		t.Errorf("fsync is %s; want on", got)
	}
}

// A commit that the server was told not to wait for is in the memory of its
// processes alone: that it is lost shows that Kill ends them all.
func TestKillLosesWhatIsNotWritten(t *testing.T) {
	t.Parallel()
	server := postgrestest.New(t, "wal_writer_delay=10s")
	conn := connect(t, server.URL())
	run(t, conn, "CREATE TABLE things (id int)")
	run(t, conn, "INSERT INTO things VALUES (1)")
	run(t, conn, "SET synchronous_commit = off")
	run(t, conn, "INSERT INTO things VALUES (2)")
	server.Kill()
	server.Start()
	if got := ask[int](t, connect(t, server.URL()), "SELECT count(*) FROM things"); got != 1 {
		t.Errorf("there are %d rows; want 1: the second was never written", got)
	}
}

func TestPausedServerAnswersLater(t *testing.T) {
	t.Parallel()
	server := postgrestest.New(t)
	conn := connect(t, server.URL())
	server.Pause()
	answer := make(chan error, 1)
	go func() { answer <- conn.Ping(context.Background()) }()
	select {
	case err := <-answer:
		t.Errorf("a paused server has answered: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	server.Resume()
	select {
	case err := <-answer:
		if err != nil {
			t.Errorf("after resuming: %v", err)
		}
	case <-time.After(patience):
		t.Error("the server has not answered after resuming")
	}
}

func TestPausedServerIsKilledAndRemoved(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-long runs it")
	}
	t.Parallel()
	server := postgrestest.New(t)
	conn := connect(t, server.URL())
	server.Pause()
	server.Kill()
	expectGone(t, conn)
	server.Start()
	run(t, connect(t, server.URL()), "SELECT 1")
	server.Pause() // and so it is removed
}

func TestServerThatDoesNotStart(t *testing.T) {
	t.Parallel()
	failure := &recorder{TB: t}
	done := make(chan struct{})
	go func() {
		defer close(done)
		postgrestest.New(failure, "no_such_setting=1")
	}()
	<-done
	if !failure.says("no_such_setting") {
		t.Errorf("the failure is %q; want it to name the setting", failure.messages)
	}
}

// A proxy in front of a server loses the reply to a commit that is stored.
func TestProxyCutsAServer(t *testing.T) {
	t.Parallel()
	url := postgrestest.Schema(t)
	proxy := postgrestest.NewProxy(t, url)
	direct, cut := connect(t, url), connect(t, proxy.URL())
	run(t, direct, "CREATE TABLE things (id int)")
	proxy.CutAfter(postgrestest.ToClient, 0)
	if _, err := cut.Exec(t.Context(), "INSERT INTO things VALUES (1)"); err == nil {
		t.Error("the reply was cut off, and yet there is no error")
	}
	if got := ask[int](t, direct, "SELECT count(*) FROM things"); got != 1 {
		t.Errorf("there are %d rows; want 1", got)
	}
}
