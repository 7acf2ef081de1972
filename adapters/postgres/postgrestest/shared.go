package postgrestest

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

// Time limits for a machine that is busy with other tests.
const (
	startLimit   = 2 * time.Minute
	stopLimit    = 30 * time.Second
	commandLimit = 30 * time.Second
)

// sharedSettings are the settings of a server for many tests at a time. Settings of
// durability stay as they are: the adapter insists on them.
var sharedSettings = []string{"max_connections=400", "shared_buffers=64MB", "max_wal_size=1GB"}

// shared is this process's one server for all tests that leave it unchanged.
var shared struct {
	sync.Mutex
	inMain bool
	node   node
	admin  *pgxpool.Pool // of the node: connecting takes longer than the work on the connection
	err    error         // why there is none; asked for once
	pooled []string      // the statements that drop what pools have created
}

// T is the part of a test that this package needs. *testing.T is one, and so is a T of
// the conformance suite. The methods do the same as those of *testing.T.
type T interface {
	Helper()
	Cleanup(func())
	Logf(format string, args ...any)
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}

// Main runs the tests of a package and ends the shared server after them. It
// returns the exit code: os.Exit(postgrestest.Main(m)) is the whole TestMain.
func Main(m *testing.M) int {
	shared.Lock()
	shared.inMain = true
	shared.Unlock()
	code := m.Run()
	defer removeFresh()
	shared.Lock()
	defer shared.Unlock()
	if shared.node == nil {
		return code
	}
	ctx, cancel := context.WithTimeout(context.Background(), stopLimit)
	defer cancel()
	if _, theirs := shared.node.(given); theirs {
		code = max(code, dropPooled())
	}
	shared.admin.Close()
	if err := shared.node.remove(ctx); err != nil {
		fmt.Fprintln(os.Stderr, "postgres for tests:", err)
		return max(code, 1)
	}
	return code
}

// dropPooled drops what pools have created, and returns the exit code.
func dropPooled() int {
	code := 0
	for _, statement := range shared.pooled {
		if err := tryExecute("SET client_min_messages = warning", statement); err != nil {
			fmt.Fprintln(os.Stderr, "postgres for tests:", err)
			code = 1
		}
	}
	return code
}

// Schema returns the URL of a new, empty schema for this test alone, on the server common
// to all tests of the process. The schema is the search_path of the URL, and is dropped
// at the end of the test. Advisory locks, channels of NOTIFY and settings belong to the
// whole database, so tests share them. A test about them takes a [Database].
func Schema(t T) string {
	t.Helper()
	admin := sharedURL(t)
	name := "t_" + strings.ToLower(rand.Text())
	execute(t, "CREATE SCHEMA "+name)
	t.Cleanup(func() { dropSchema(t, name) })
	return withURL(t, admin, func(u *url.URL) {
		query := u.Query()
		query.Set("search_path", name)
		u.RawQuery = query.Encode()
	})
}

// Database returns the URL of a new, empty database for this test alone, on the server
// common to all tests of the process. It is dropped at the end of the test, with its
// remaining connections. It takes some 100 ms: most tests manage with a [Schema].
func Database(t T) string {
	t.Helper()
	admin := sharedURL(t)
	name := "t_" + strings.ToLower(rand.Text())
	execute(t, "CREATE DATABASE "+name+" TEMPLATE template0")
	t.Cleanup(func() { execute(t, "DROP DATABASE "+name+" WITH (FORCE)") })
	return withURL(t, admin, func(u *url.URL) { u.Path = "/" + name })
}

// sharedURL returns the URL of the shared server, and starts the server if need be.
func sharedURL(t T) string {
	t.Helper()
	shared.Lock()
	defer shared.Unlock()
	if !shared.inMain {
		t.Fatalf("the shared server is ended by postgrestest.Main: call it in the TestMain of this package")
	}
	if shared.node == nil && shared.err == nil {
		ctx, cancel := context.WithTimeout(context.Background(), startLimit)
		defer cancel()
		shared.node, shared.err = startShared(ctx)
		if shared.err == nil {
			shared.admin, shared.err = pgxpool.New(context.Background(), shared.node.url())
		}
	}
	if shared.err != nil {
		t.Fatalf("no Postgres for tests: %v", shared.err)
	}
	return shared.node.url()
}

// startShared starts the shared server, and names it on standard error.
func startShared(ctx context.Context) (node, error) {
	source, err := chooseShared(ctx)
	if err != nil {
		return nil, err
	}
	settings := sharedSettings
	if _, ok := source.(given); ok {
		settings = nil
	}
	description, err := source.describe(ctx)
	if err != nil {
		return nil, err
	}
	fmt.Fprintln(os.Stderr, "postgres for tests:", description)
	node, err := source.node(ctx, settings, true)
	if err != nil {
		return nil, err
	}
	if err := node.start(ctx); err != nil {
		return nil, errors.Join(err, node.remove(context.WithoutCancel(ctx)))
	}
	return node, nil
}

// withURL returns a URL with a change.
func withURL(t T, text string, change func(*url.URL)) string {
	t.Helper()
	u, err := url.Parse(text)
	if err != nil || u.Scheme == "" {
		t.Fatalf("%s has to be a URL such as postgres://user@host/database", dsnVariable)
	}
	change(u)
	return u.String()
}

// execute runs statements on one connection to the shared server, each outside of a
// transaction.
func execute(t T, statements ...string) {
	t.Helper()
	if err := tryExecute(statements...); err != nil {
		t.Errorf("postgres for tests: %v", err)
	}
}

func tryExecute(statements ...string) error {
	ctx, cancel := context.WithTimeout(context.Background(), commandLimit)
	defer cancel()
	conn, err := shared.admin.Acquire(ctx)
	if err != nil {
		return err
	}
	defer conn.Release()
	for _, statement := range statements {
		if _, err := conn.Exec(ctx, statement); err != nil {
			return fmt.Errorf("%s: %w", statement, err)
		}
	}
	return nil
}

// dropSchema drops a schema. An open transaction in it would make that wait for ever:
// dropSchema ends it, and says so in the log of the test.
func dropSchema(t T, name string) {
	t.Helper()
	const attempts = 5
	for range attempts {
		err := tryExecute("SET client_min_messages = warning", "SET lock_timeout = '1s'", "DROP SCHEMA IF EXISTS "+name+" CASCADE")
		var refused *pgconn.PgError
		switch {
		case err == nil:
			return
		case errors.As(err, &refused) && (refused.Code == "55P03" || refused.Code == "40P01"): // lock not available, deadlock
			t.Logf("a connection is still at work in the schema of this test; it is ended")
			execute(t, `SELECT pg_terminate_backend(pid) FROM (
				SELECT DISTINCT l.pid FROM pg_locks l JOIN pg_class c ON c.oid = l.relation
				WHERE c.relnamespace = '`+name+`'::regnamespace AND l.pid <> pg_backend_pid()) holders`)
		default:
			t.Errorf("postgres for tests: %v", err)
			return
		}
	}
	t.Errorf("postgres for tests: the schema %s is still in use after %d attempts to drop it", name, attempts)
}
