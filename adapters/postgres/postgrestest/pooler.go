package postgrestest

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest/ports"
)

// Pooler is a PgBouncer in transaction mode. Any goroutine may call its methods, one after
// the other.
type Pooler struct {
	t       T
	port    int
	dir     string
	mu      sync.Mutex
	cmd     *exec.Cmd
	log     logTail
	stopped chan struct{} // closed when the process has ended
}

// NewPooler starts a PgBouncer in front of the server of a URL, with these lines for its
// configuration. It needs pgbouncer in PATH, and ends with the test.
func NewPooler(t T, target string, settings ...string) *Pooler {
	t.Helper()
	p := &Pooler{t: t}
	if err := p.configure(target, settings); err != nil {
		t.Fatalf("a pooler for tests: %v", err)
	}
	t.Cleanup(func() {
		p.end(syscall.SIGTERM)
		_ = os.RemoveAll(p.dir)
	})
	p.Start()
	return p
}

// URL leads to the database of a direct URL through the pooler.
func (p *Pooler) URL(direct string) string {
	u, err := url.Parse(direct)
	if err != nil {
		p.t.Fatalf("a pooler for tests: %v", err)
	}
	return fmt.Sprintf("postgres://anybody@127.0.0.1:%d%s?sslmode=disable", p.port, u.Path)
}

// Start starts the pooler again, and returns when it listens.
func (p *Pooler) Start() {
	p.t.Helper()
	p.mu.Lock()
	defer p.mu.Unlock()
	if err := p.start(); err != nil {
		p.t.Fatalf("a pooler for tests: %v\n%s", err, p.log.String())
	}
}

// Kill ends the pooler at once, with all its connections.
func (p *Pooler) Kill() { p.end(syscall.SIGKILL) }

func (p *Pooler) end(signal syscall.Signal) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.cmd != nil {
		_ = p.cmd.Process.Signal(signal)
		<-p.stopped
		p.cmd = nil
	}
}

// configure writes the configuration for a user other than root.
func (p *Pooler) configure(target string, settings []string) (err error) {
	u, err := url.Parse(target)
	if err != nil {
		return err
	}
	password, _ := u.User.Password()
	if p.port, err = ports.Free(); err != nil {
		return err
	}
	if p.dir, err = os.MkdirTemp("", "problems-pgbouncer-"); err != nil { // tests close the parent of TempDir to others
		return err
	}
	config := fmt.Sprintf("[databases]\n* = host=%s port=%s user=%s password=%s\n[pgbouncer]\nlisten_addr = 127.0.0.1\nlisten_port = %d\nunix_socket_dir =\n"+
		"auth_type = any\npool_mode = transaction\nmax_client_conn = 1000\n%s\n",
		u.Hostname(), u.Port(), u.User.Username(), password, p.port, strings.Join(settings, "\n"))
	if err := os.WriteFile(p.file(), []byte(config), 0o600); err != nil {
		return err
	}
	account, err := unprivileged()
	if err != nil || account == nil {
		return err
	}
	return errors.Join(os.Chown(p.dir, int(account.Uid), int(account.Gid)), os.Chown(p.file(), int(account.Uid), int(account.Gid)))
}

func (p *Pooler) file() string { return filepath.Join(p.dir, "pgbouncer.ini") }

func (p *Pooler) start() error {
	program, err := exec.LookPath("pgbouncer")
	if err != nil {
		return errors.New("it needs PgBouncer in PATH: install the package pgbouncer; `make deps` does it on Debian as root")
	}
	account, err := unprivileged()
	if err != nil {
		return err
	}
	cmd := exec.Command(program, p.file())
	cmd.Dir = p.dir
	cmd.Stdout, cmd.Stderr = &p.log, &p.log
	cmd.SysProcAttr = &syscall.SysProcAttr{Credential: account}
	if err := cmd.Start(); err != nil {
		return err
	}
	stopped := make(chan struct{})
	go func() { _ = cmd.Wait(); close(stopped) }() // its log has the reason
	p.cmd, p.stopped = cmd, stopped
	ctx, cancel := context.WithTimeout(context.Background(), commandLimit)
	defer cancel()
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		conn, err := net.Dial("tcp", net.JoinHostPort("127.0.0.1", strconv.Itoa(p.port)))
		if err == nil {
			return conn.Close()
		}
		select {
		case <-stopped:
			return errors.New("it ended")
		case <-ctx.Done():
			return fmt.Errorf("it does not listen: %w", err)
		case <-tick.C:
		}
	}
}
