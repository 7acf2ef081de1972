package postgres_test

import (
	"bytes"
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/problemtracking/problems/adapters/postgres"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/conformance"
	"github.com/problemtracking/problems/domain/store"
)

// TestPooler runs the suite through PgBouncer, which gives each transaction
// another session of the server. What does not depend on that is left to
// TestConformance: being opened again, and several handles.
func TestPooler(t *testing.T) {
	t.Parallel()
	pooler := startPooler(t, postgrestest.Database(t))
	var free databases
	conformance.Run(t, conformance.Harness{
		Open: func(c conformance.T, env conformance.Env) store.Store {
			direct := free.take(t)
			c.Cleanup(func() { free.give(t, direct) })
			s, err := postgres.Open(c.Context(), postgres.Options{URL: pooler.url(direct), Direct: direct, Pooler: true, AutoMigrate: true})
			if err != nil {
				c.Fatalf("the store cannot be opened: %v", err)
			}
			return s
		},
		Caps: conformance.Capabilities{Durable: conformance.No, Shared: conformance.No, LastReads: conformance.Yes},
	})
}

// databases are those that no case uses at the moment. A pooler knows no
// search_path, so that a schema each, which takes less time, would not do.
type databases struct {
	mu   sync.Mutex
	free []string
}

func (d *databases) take(t *testing.T) string {
	d.mu.Lock()
	defer d.mu.Unlock()
	if last := len(d.free) - 1; last >= 0 {
		url := d.free[last]
		d.free = d.free[:last]
		return url
	}
	return postgrestest.Database(t)
}

// give takes back a database, and empties it.
func (d *databases) give(t *testing.T, url string) {
	conn, err := pgx.Connect(context.Background(), url)
	if err != nil {
		t.Errorf("a database cannot be emptied: %v", err)
		return
	}
	defer conn.Close(context.Background())
	if _, err := conn.Exec(context.Background(), "SET client_min_messages = warning; DROP SCHEMA public CASCADE; CREATE SCHEMA public"); err != nil {
		t.Errorf("a database cannot be emptied: %v", err)
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.free = append(d.free, url)
}

// TestPoolerIsNamed opens stores that were not told of the pooler. One that takes
// what it cannot keep is noticed by the second store, which finds the statements
// of the first.
func TestPoolerIsNamed(t *testing.T) {
	t.Parallel()
	direct := postgrestest.Database(t)
	open(t, postgres.Options{URL: direct})
	for _, c := range []struct {
		name     string
		settings string
		opened   int // how many stores are
	}{
		{"settings of the session refused", "", 0},
		{"settings of the session ignored", "ignore_startup_parameters = statement_timeout,tcp_keepalives_idle,tcp_keepalives_interval,tcp_keepalives_count,default_transaction_isolation,lock_timeout", 1},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			url := startPooler(t, direct, c.settings).url(direct)
			for range c.opened {
				open(t, postgres.Options{URL: url, Connections: 1})
			}
			s, err := postgres.Open(t.Context(), postgres.Options{URL: url, Connections: 1})
			if err == nil {
				_ = s.Close()
			}
			if err == nil || !strings.Contains(err.Error(), "leads to a pooler in transaction mode, say that it is a pooler") {
				t.Errorf("got %v; want to read that it is a pooler", err)
			}
		})
	}
}

// pooler is a PgBouncer in transaction mode.
type pooler struct{ port int }

// url leads to the database of a direct URL through the pooler.
func (p *pooler) url(direct string) string {
	u, err := url.Parse(direct)
	if err != nil {
		panic(err) // it was one when the pooler was started
	}
	return fmt.Sprintf("postgres://anybody@127.0.0.1:%d%s?sslmode=disable", p.port, u.Path)
}

// startPooler starts a PgBouncer in front of the server of a URL, as a user who is
// not root, since it refuses to be run by that.
func startPooler(t *testing.T, target string, settings ...string) *pooler {
	t.Helper()
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		t.Fatal("this test needs PgBouncer in PATH: install the package pgbouncer; `make deps` does it on Debian as root")
	}
	u, err := url.Parse(target)
	if err != nil {
		t.Fatal(err)
	}
	password, _ := u.User.Password()
	dir, err := os.MkdirTemp("", "problems-pgbouncer-") // the parent of TempDir is closed to others
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	p := &pooler{port: freePort(t)}
	config := fmt.Sprintf("[databases]\n* = host=%s port=%s user=%s password=%s\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = %d\nunix_socket_dir =\n"+
		"auth_type = any\npool_mode = transaction\nmax_client_conn = 1000\n%s\n",
		u.Hostname(), u.Port(), u.User.Username(), password, p.port, strings.Join(settings, "\n"))
	file := filepath.Join(dir, "pgbouncer.ini")
	if err := os.WriteFile(file, []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), program, file)
	cmd.Dir = dir
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	var log output
	cmd.Stdout, cmd.Stderr = &log, &log
	if os.Geteuid() == 0 {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: unprivileged(t, dir, file)}
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan struct{})
	go func() { _ = cmd.Wait(); close(ended) }() // how it ended is in its log
	t.Cleanup(func() { _ = cmd.Process.Signal(syscall.SIGTERM); <-ended })
	eventually(t, "PgBouncer listens", func() bool {
		select {
		case <-ended:
			t.Fatalf("PgBouncer ended: %s", log.String())
		default:
		}
		conn, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(p.port)))
		if err != nil {
			return false
		}
		return conn.Close() == nil
	})
	return p
}

// unprivileged returns a user who is not root, and gives him the files.
func unprivileged(t *testing.T, files ...string) *syscall.Credential {
	t.Helper()
	account, err := user.Lookup("nobody")
	if err != nil {
		t.Fatalf("PgBouncer is not to be run by root, and there is no other user for it: %v", err)
	}
	uid, uidErr := strconv.ParseUint(account.Uid, 10, 32)
	gid, gidErr := strconv.ParseUint(account.Gid, 10, 32)
	if uidErr != nil || gidErr != nil {
		t.Fatalf("the user nobody has no numbers: %v, %v", uidErr, gidErr)
	}
	for _, file := range files {
		if err := os.Chown(file, int(uid), int(gid)); err != nil {
			t.Fatal(err)
		}
	}
	return &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}
}

func freePort(t *testing.T) int {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().(*net.TCPAddr).Port
}

// output is what a process has written.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (o *output) Write(text []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.Write(text)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.text.String()
}
