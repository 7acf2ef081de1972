package postgres_test

import (
	"testing"

	"github.com/problemtracking/problems/adapters/postgres"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

// ownServers is how many servers there are at a time that belong to one test: each
// takes memory and a disk that syncs.
var ownServers = make(chan struct{}, 3)

// newServer starts a server for this test alone.
func newServer(t *testing.T, settings ...string) *postgrestest.Server {
	t.Helper()
	ownServers <- struct{}{}
	t.Cleanup(func() { <-ownServers })
	return postgrestest.NewLocal(t, settings...) // sooner than a container
}

const (
	writers = 8
	rounds  = 5
	// between is how many writes are acknowledged before something happens to
	// the server, and after it.
	between = 100
)

// TestKill kills every process of the server at once, again and again, while
// others write. What was acknowledged stays.
func TestKill(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-long runs it")
	}
	t.Parallel()
	server := newServer(t)
	s := open(t, postgres.Options{URL: server.URL()})
	l := startLoad(t, s, newSource(), writers)
	for range rounds {
		l.acknowledge(between)
		server.Kill()
		server.Start()
	}
	l.acknowledge(between)
	l.end().check(t)
}

// TestKillSeesLosses shows that TestKill would find a server that forgets what it
// has acknowledged: one with synchronous_commit=off. Such a server still hands each
// full page of its log to the system, so that it loses the last few writes at most,
// and not every time.
func TestKillSeesLosses(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-long runs it")
	}
	t.Parallel()
	server := newServer(t, "synchronous_commit=off", "wal_writer_delay=10s")
	s := open(t, postgres.Options{URL: server.URL(), AcceptLoss: true})
	execute(t, connect(t, server.URL()), "CHECKPOINT") // otherwise, the server may lose the schema
	from := newSource()
	const most = 10
	for round := 1; ; round++ {
		l := startLoad(t, s, from, writers)
		l.acknowledge(between)
		server.Kill()
		server.Start()
		books := l.end()
		t.Logf("round %d: %s", round, books)
		if books.lost > 0 {
			return
		}
		if round == most {
			t.Fatalf("nothing was lost in %d rounds of a server that loses: the test sees no losses", round)
		}
	}
}
