package postgres_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"

	"github.com/problemtracking/problems/adapters/postgres"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// slack is what is added to a limit of time, for a machine that is busy with other
// tests.
const slack = 10 * time.Second

// grace is how much longer than its Timeout a store waits for an answer.
const grace = 2 * time.Second

// connect returns a connection that is not the store's.
func connect(t *testing.T, url string) *pgx.Conn {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	conn, err := pgx.Connect(ctx, url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) }) // the server may be gone
	return conn
}

func execute(t *testing.T, conn *pgx.Conn, statements ...string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			t.Fatalf("%s: %v", statement, err)
		}
	}
}

// unavailable fails the test unless err says so, with this sentence, and came
// within the limit.
func unavailable(t *testing.T, what string, err error, sentence string, began time.Time, limit time.Duration) {
	t.Helper()
	if took := time.Since(began); took > limit+slack {
		t.Errorf("%s: it took %s to fail, with a limit of %s", what, took, limit)
	}
	f, ok := errors.AsType[*fault.Error](err)
	if !ok || f.Kind != fault.Unavailable || !strings.Contains(f.Detail, sentence) {
		t.Errorf("%s: got %v; want %s with %q", what, err, fault.Unavailable, sentence)
	}
}

// TestServerFaults lets a server fail in all ways but one (see TestKill) while
// others write. Each time the store goes on by itself, and what it has said holds.
func TestServerFaults(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-long runs it")
	}
	t.Parallel()
	const timeout, acquireTimeout = time.Second, time.Second
	server := newServer(t, "max_connections=40")
	s := open(t, postgres.Options{URL: server.URL(), Timeout: timeout, AcquireTimeout: acquireTimeout})
	from := newSource()
	for _, f := range []struct {
		name    string
		happens func(t *testing.T, l *load)
	}{
		{"restart", func(*testing.T, *load) { server.Restart() }},
		{"immediate shutdown", func(*testing.T, *load) { server.Immediate(); server.Start() }},
		{"backends terminated", func(t *testing.T, l *load) {
			admin := connect(t, server.URL())
			for range 20 {
				execute(t, admin, "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'problems'")
				l.acknowledge(5)
			}
		}},
		{"pause", func(t *testing.T, l *load) {
			server.Pause()
			began := time.Now()
			_, err := s.Versions(t.Context()) // the writers are soon stuck with their connections
			unavailable(t, "a read from a server that is paused", err, "", began, timeout+grace)
			eventually(t, "the writes under way end", func() bool { return l.unknown() > 0 })
			server.Resume()
		}},
		{"connections used up", func(t *testing.T, l *load) {
			admin := connect(t, server.URL())
			late := open(t, postgres.Options{URL: server.URL(), Connections: writers, AcquireTimeout: acquireTimeout})
			var taken []*pgx.Conn
			defer func() {
				for _, conn := range taken {
					_ = conn.Close(context.Background())
				}
			}()
			for {
				conn, err := pgx.Connect(t.Context(), server.URL())
				if answer, ok := errors.AsType[*pgconn.PgError](err); ok && answer.Code == "53300" {
					break
				}
				if err != nil {
					t.Fatal(err)
				}
				taken = append(taken, conn)
			}
			if _, err := postgres.Open(t.Context(), postgres.Options{URL: server.URL()}); err == nil || !strings.Contains(err.Error(), "max_connections") {
				t.Errorf("Open: got %v; want a sentence about max_connections", err)
			}
			began := time.Now()
			err := nested(t, late, writers)
			unavailable(t, "a read that needs one more connection", err, "", began, acquireTimeout)
			l.acknowledge(between) // with the connections that there are
			for _, conn := range taken {
				execute(t, admin, fmt.Sprintf("SELECT pg_terminate_backend(%d)", conn.PgConn().PID()))
			}
			eventually(t, "there are connections again", func() bool { return nested(t, late, writers) == nil })
		}},
	} {
		t.Run(f.name, func(t *testing.T) {
			l := startLoad(t, s, from, writers)
			l.acknowledge(between)
			f.happens(t, l)
			l.acknowledge(between)
			books := l.end()
			books.check(t)
			// The server has to be started before any of this counts.
			if limit := acquireTimeout + timeout + grace; l.slowest > limit+slack {
				t.Errorf("a write took %s, with a limit of %s", l.slowest, limit)
			}
		})
	}
	t.Run("read-only", func(t *testing.T) {
		admin := connect(t, server.URL())
		p := create(t, s, from, 1)[0]
		change, _ := from.revise(p, problem.FieldChanged)
		execute(t, admin, "ALTER SYSTEM SET default_transaction_read_only = on", "SELECT pg_reload_conf()")
		commitUntil(t, s, from, "read-only at the moment")
		seen, err := look(t.Context(), s, p.ID, replyKey{})
		if err != nil || seen.problem(p.ID).Problem != p {
			t.Errorf("a read from a database that is read-only: %v, %v", seen.problem(p.ID), err)
		}
		began := time.Now()
		_, err = s.Commit(t.Context(), change)
		unavailable(t, "a write", err, "read-only at the moment", began, timeout)
		execute(t, admin, "ALTER SYSTEM RESET default_transaction_read_only", "SELECT pg_reload_conf()")
		commitUntil(t, s, from, "")
		if _, err := s.Commit(t.Context(), change); err != nil {
			t.Errorf("a write that failed before: %v", err)
		}
	})
}

// nested opens Views within each other, each with a connection of its own.
func nested(t *testing.T, s store.Store, depth int) error {
	return s.View(t.Context(), func(r store.Reader) error {
		if _, err := r.Versions(t.Context()); err != nil || depth == 1 {
			return err
		}
		return nested(t, s, depth-1)
	})
}

// commitUntil commits until that fails with a sentence, or, when it is empty, until
// it no longer fails: settings of a server reach its sessions one after the other.
func commitUntil(t *testing.T, s store.Store, from *source, sentence string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		_, err := s.Commit(ctx, from.change(store.Watch{Problem: 1, User: from.id()}))
		switch {
		case ctx.Err() != nil:
			t.Fatalf("the setting has not come into force within %s: %v", patience, err)
		case sentence == "" && err == nil, sentence != "" && err != nil && strings.Contains(err.Error(), sentence):
			return
		}
	}
}

// TestPause looks at each call to a server that does not answer: those under way
// end within their limit, and new ones sooner.
func TestPause(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-long runs it")
	}
	t.Parallel()
	const connections, writers, timeout, acquireTimeout = 3, 2, 3 * time.Second, time.Second
	proxy := postgrestest.NewProxy(t, postgrestest.Schema(t))
	s := open(t, postgres.Options{URL: proxy.URL(), Connections: connections, Timeout: timeout, AcquireTimeout: acquireTimeout})
	from := newSource()
	problems := create(t, s, from, writers)
	// All connections have just been used, so that none is tried first. One is for
	// those who read.
	hold(t, s, connections)()
	eventually(t, "the connections are given back", func() bool { return s.Stats().InUse == 0 })
	release := hold(t, s, connections-writers)
	proxy.Stall(true)
	began := time.Now()
	var under sync.WaitGroup
	changes, errs := make([]store.Change, writers), make([]error, writers)
	for i, p := range problems {
		changes[i], _ = from.revise(p, problem.FieldChanged)
		under.Go(func() { _, errs[i] = s.Commit(t.Context(), changes[i]) })
	}
	eventually(t, "the writes begin", func() bool { return s.Stats().InUse == connections })
	again := time.Now()
	_, err := s.Versions(t.Context())
	unavailable(t, "a read without a connection", err, "", again, acquireTimeout)
	again = time.Now()
	_, err = s.Commit(t.Context(), from.change(store.Watch{Problem: 1, User: from.id()}))
	unavailable(t, "a write without a connection", err, "", again, acquireTimeout)
	release()
	under.Wait()
	if took := time.Since(began); took > timeout+grace+slack {
		t.Errorf("the writes under way took %s", took)
	}
	proxy.Stall(false)
	books := &ledger{}
	for i, change := range changes {
		if !fault.Is(errs[i], fault.UnknownOutcome) {
			t.Errorf("a write under way gave %v; want %s", errs[i], fault.UnknownOutcome)
		}
		_, there, err := outcome(t, s, change)
		if err != nil {
			t.Fatal(err)
		}
		seen, err := look(t.Context(), s, problems[0].ID, replyKey{})
		if err != nil {
			t.Fatal(err)
		}
		said := foundLost
		if there {
			said = foundStored
		}
		books.enter(said, int(seen.problem(problems[i].ID).Revision-1))
	}
	books.check(t)
}

// outcome asks until the store is back.
func outcome(t *testing.T, s store.Store, change store.Change) (r store.Receipt, there bool, err error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	for {
		r, there, err = s.Outcome(ctx, change.Batch, change.At)
		if err == nil || ctx.Err() != nil {
			return r, there, err
		}
	}
}

// hold opens n Views, which last until release is called.
func hold(t *testing.T, s store.Store, n int) (release func()) {
	t.Helper()
	var reading, holding sync.WaitGroup
	over := make(chan struct{})
	for range n {
		reading.Add(1)
		holding.Go(func() {
			if err := s.View(t.Context(), func(r store.Reader) error {
				_, err := r.Versions(t.Context())
				reading.Done()
				<-over
				return err
			}); err != nil {
				t.Errorf("a view: %v", err)
			}
		})
	}
	reading.Wait()
	return func() { close(over); holding.Wait() }
}

// TestPoolIsUsedUp has as many Views open as there are connections.
func TestPoolIsUsedUp(t *testing.T) {
	t.Parallel()
	const connections, acquireTimeout = 2, time.Second // enough to connect to a busy server
	s := open(t, postgres.Options{URL: postgrestest.Schema(t), Connections: connections, AcquireTimeout: acquireTimeout})
	from := newSource()
	p := create(t, s, from, 1)[0]
	change, _ := from.revise(p, problem.FieldChanged)
	release := hold(t, s, connections)
	began := time.Now()
	_, err := s.Versions(t.Context())
	unavailable(t, "a read", err, "", began, acquireTimeout)
	began = time.Now()
	_, err = s.Commit(t.Context(), change)
	unavailable(t, "a write", err, "", began, acquireTimeout)
	release()
	if _, err := s.Commit(t.Context(), change); err != nil {
		t.Errorf("a write when there are connections again: %v", err)
	}
}

// TestRowIsLocked has a transaction of somebody else lock what is to be written.
func TestRowIsLocked(t *testing.T) {
	t.Parallel()
	const timeout = 3 * time.Second // a lock has a tenth less: enough to tell the two apart on a busy machine
	url := postgrestest.Schema(t)
	s := open(t, postgres.Options{URL: url, Timeout: timeout})
	patient := open(t, postgres.Options{URL: url})
	from := newSource()
	p := create(t, patient, from, 1)[0]
	change, _ := from.revise(p, problem.CommentAdded)
	other := connect(t, url)
	execute(t, other, "BEGIN", "SELECT FROM problems FOR UPDATE")
	began := time.Now()
	_, err := s.Commit(t.Context(), change)
	unavailable(t, "a write", err, "keeps the store busy", began, timeout)
	execute(t, other, "ROLLBACK")
	seen, err := look(t.Context(), patient, p.ID, replyKey{})
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range seen.times(change, seen) {
		if n != 0 {
			t.Errorf("the write that failed is there: %v", seen.problem(p.ID))
		}
	}
	if _, err := patient.Commit(t.Context(), change); err != nil {
		t.Errorf("the same write when the lock is gone: %v", err)
	}
}

// TestExpectedProblem has somebody else expect, and then change, a problem that a Change only
// expects. The Change does not wait for the one, and for the other it does.
func TestExpectedProblem(t *testing.T) {
	t.Parallel()
	url := postgrestest.Schema(t)
	s := open(t, postgres.Options{URL: url})
	from := newSource()
	problems := create(t, s, from, 2)
	change, next := from.revise(problems[0], problem.FieldChanged)
	change.Expect = append(change.Expect, from.at(problems[1]))
	other := connect(t, url)
	execute(t, other, "BEGIN", "SELECT FROM problems WHERE title IS NOT NULL ORDER BY id DESC LIMIT 1 FOR SHARE")
	if _, err := s.Commit(t.Context(), change); err != nil {
		t.Fatalf("while somebody else expects the problem: %v", err)
	}
	execute(t, other, "ROLLBACK", "BEGIN", "UPDATE problems SET revision = revision + 1 WHERE id = (SELECT max(id) FROM problems)")
	change, _ = from.revise(next, problem.FieldChanged)
	change.Expect = append(change.Expect, from.at(problems[1]))
	done := make(chan error, 1)
	go func() {
		_, err := s.Commit(t.Context(), change)
		done <- err
	}()
	select {
	case err := <-done:
		t.Fatalf("while somebody else changes the problem: %v", err)
	case <-time.After(100 * time.Millisecond):
	}
	execute(t, other, "COMMIT")
	if err := <-done; !fault.Is(err, fault.Conflict) {
		t.Errorf("after somebody else has changed the problem: %v; want %s", err, fault.Conflict)
	}
}

// TestDatabaseIsGone opens a store of a server that refuses connections, and of
// one that says nothing.
func TestDatabaseIsGone(t *testing.T) {
	t.Parallel()
	for name, away := range map[string]func(*postgrestest.Proxy){
		"refuses": func(p *postgrestest.Proxy) { p.Refuse(true) },
		"silent":  func(p *postgrestest.Proxy) { p.Stall(true) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			proxy := postgrestest.NewProxy(t, "postgres://ann:hunter2@127.0.0.1:1/problems?connect_timeout=1")
			away(proxy)
			began := time.Now()
			s, err := postgres.Open(t.Context(), postgres.Options{URL: proxy.URL(), AutoMigrate: true})
			if err == nil {
				_ = s.Close()
				t.Fatal("it was opened")
			}
			if took := time.Since(began); took > time.Second+slack {
				t.Errorf("it took %s", took)
			}
			if text := err.Error(); strings.Contains(text, "hunter2") || !strings.Contains(text, "postgres://ann:xxxxx@127.0.0.1") || !strings.Contains(text, "cannot be reached") {
				t.Errorf("the error is %q; want the URL with a mask, and that it cannot be reached", text)
			}
		})
	}
}
