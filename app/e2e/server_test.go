package e2e

import (
	"bufio"
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/webhook"
)

// patience is how long a process may take for what it does at once.
const patience = 2 * time.Minute

// server is a running "problems serve".
type server struct {
	t       testing.TB
	program string
	cmd     *exec.Cmd
	url     string        // where it listens
	second  string        // the line after that: the token, or the command that makes one; empty with a given token on an empty store
	stderr  *lockedBuffer // the logs
	ended   chan struct{}
	signal  sync.Once // a second SIGTERM could end it at once
	once    sync.Once

	transport *http.Transport
}

// lockedBuffer can be read while a process writes to it.
type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// end is the last lines of it.
func (l *lockedBuffer) end() string {
	lines := strings.SplitAfter(l.String(), "\n")
	return strings.Join(lines[max(0, len(lines)-10):], "")
}

// newFile returns the URL of a SQLite store that does not exist yet.
func newFile(t testing.TB) string {
	return "sqlite://" + filepath.Join(t.TempDir(), "problems.db")
}

// durables are the adapters that keep what is stored: each with what returns the
// URL of a store that is empty.
func durables() map[string]func(testing.TB) string {
	newSchema := func(t testing.TB) string { return postgrestest.Schema(t) }
	return map[string]func(testing.TB) string{"sqlite": newFile, "postgres": newSchema}
}

// eachDurable runs the test on an empty store of every durable adapter, in
// parallel.
func eachDurable(t *testing.T, test func(t *testing.T, store string)) {
	for name, open := range durables() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

// eachAdapter runs the test on an empty store of every adapter, in parallel.
func eachAdapter(t *testing.T, test func(t *testing.T, store string)) {
	t.Run("memory", func(t *testing.T) {
		t.Parallel()
		test(t, "memory:")
	})
	eachDurable(t, test)
}

// newToken returns a token for PROBLEMS_BOOTSTRAP_TOKEN.
func newToken(t testing.TB) string {
	t.Helper()
	var random [32]byte
	if _, err := rand.Read(random[:]); err != nil {
		t.Fatal(err)
	}
	return access.NewSecret(random).Reveal()
}

// environment is what the program sees: nothing of the tester's own settings.
func environment(t testing.TB, variables ...string) []string {
	return append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + t.TempDir(),
		"GORACE=halt_on_error=1 atexit_sleep_ms=50", // with an exit code that no test expects
	}, variables...)
}

// serve starts the program on the store, on a free port, and waits until it
// listens. When the test ends, so does the server, with exit code 0.
func serve(t testing.TB, store string, variables ...string) *server {
	t.Helper()
	return serveUnder(t, nil, store, variables...)
}

// serveUnder is serve with a command, such as strace, that runs the program.
func serveUnder(t testing.TB, command []string, store string, variables ...string) *server {
	t.Helper()
	return serveLogging(t, nil, command, store, variables...)
}

// serveLogging is serveUnder with a file for the log, unless that is nil.
func serveLogging(t testing.TB, log *os.File, command []string, store string, variables ...string) *server {
	t.Helper()
	s := serveProgram(t, program(t), log, command, store, variables...)
	if given(variables) && strings.HasPrefix(store, "postgres") {
		until(t, s.url+"/readyz", http.StatusOK) // it listens before a slow database has answered
	}
	return s
}

// serveProgram starts the program of any version, and does not wait for its store.
func serveProgram(t testing.TB, program string, log *os.File, command []string, store string, variables ...string) *server {
	t.Helper()
	args := append(command, program, "serve")
	s := &server{t: t, program: program, cmd: exec.Command(args[0], args[1:]...), stderr: new(lockedBuffer), ended: make(chan struct{}),
		transport: &http.Transport{MaxIdleConnsPerHost: 64}}
	s.cmd.Env = environment(t, append([]string{"PROBLEMS_LISTEN=127.0.0.1:0", "PROBLEMS_STORE=" + store}, append(ofPostgres(t, store), variables...)...)...)
	s.cmd.Stderr = s.stderr
	if log != nil {
		s.cmd.Stderr = log
	}
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := s.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	lines := make(chan string, 16)
	go func() {
		for scanner := bufio.NewScanner(stdout); scanner.Scan(); {
			lines <- scanner.Text()
		}
		_ = s.cmd.Wait() // the exit code is in ProcessState
		close(lines)
		close(s.ended)
	}()
	t.Cleanup(func() {
		s.transport.CloseIdleConnections()
		s.stop()
	})
	next := func() string {
		select {
		case line := <-lines:
			return line
		case <-time.After(patience):
			t.Fatalf("serve says nothing\n%s", s.stderr.end())
			return ""
		}
	}
	first := next()
	url, found := strings.CutPrefix(first, "listening on ")
	if !found {
		t.Fatalf("serve began with %q instead of the line %q\n%s", first, "listening on http://…", s.stderr.end())
	}
	s.url = url
	if !given(variables) {
		s.second = next()
	}
	return s
}

// ofPostgres is the settings for a store on PostgreSQL: patience with a busy machine, and
// the key of webhooks, which has no file of its own there. All servers of the tests have
// the same.
func ofPostgres(t testing.TB, store string) []string {
	t.Helper()
	if !strings.HasPrefix(store, "postgres") {
		return nil
	}
	file, err := webhookKeyFile()
	if err != nil {
		t.Fatal(err)
	}
	return []string{"PROBLEMS_STORE_TIMEOUT=50s", "PROBLEMS_WEBHOOK_KEY_FILE=" + file}
}

var webhookKeyFile = sync.OnceValues(func() (string, error) {
	file := filepath.Join(filepath.Dir(binary), "webhook-key")
	return file, os.WriteFile(file, []byte(webhook.NewKey([32]byte{1}).Reveal()), 0o600)
})

// given reports whether the variables hold a bootstrap token, so that serve need
// not print a second line.
func given(variables []string) bool {
	for _, v := range variables {
		if strings.HasPrefix(v, "PROBLEMS_BOOTSTRAP_TOKEN=") {
			return true
		}
	}
	return false
}

// terminate tells the server to end.
func (s *server) terminate() {
	s.signal.Do(func() { _ = s.process().Signal(syscall.SIGTERM) })
}

// stop ends the server, if it has not ended, and demands exit code 0 (D35).
func (s *server) stop() {
	s.t.Helper()
	s.once.Do(func() {
		s.terminate()
		s.wait()
		if code := s.cmd.ProcessState.ExitCode(); code != 0 {
			s.t.Errorf("SIGTERM ended serve with %v, want exit code 0\n%s", s.cmd.ProcessState, s.stderr.end())
		}
	})
}

// kill sends SIGKILL and waits until nothing is left of the server.
func (s *server) kill() {
	s.t.Helper()
	s.once.Do(func() {
		_ = s.cmd.Process.Kill()
		s.wait()
	})
}

func (s *server) wait() {
	s.t.Helper()
	select {
	case <-s.ended:
	case <-time.After(patience):
		_ = s.cmd.Process.Kill()
		s.t.Errorf("serve does not end\n%s", s.stderr.end())
	}
}

// process is the program itself, also when another command runs it.
func (s *server) process() *os.Process {
	if s.cmd.Args[0] == s.program {
		return s.cmd.Process
	}
	return child(s.t, s.cmd.Process.Pid)
}

// problems runs the command line on the store and returns its exit code and what
// it printed.
func problems(t testing.TB, variables []string, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var out, err bytes.Buffer
	cmd := exec.CommandContext(ctx, binary, args...)
	cmd.Env = environment(t, variables...)
	cmd.Stdout, cmd.Stderr = &out, &err
	if failure := cmd.Run(); failure != nil && !errors.As(failure, new(*exec.ExitError)) {
		t.Fatalf("problems %q: %v", args, failure)
	}
	return cmd.ProcessState.ExitCode(), out.String(), err.String()
}

// command runs the command line and demands that it succeeds; it returns standard
// output without the line's end.
func command(t testing.TB, variables []string, args ...string) string {
	t.Helper()
	code, stdout, stderr := problems(t, variables, args...)
	if code != 0 {
		t.Fatalf("problems %q ended with %d\n%s%s", args, code, stdout, stderr)
	}
	return strings.TrimSuffix(stdout, "\n")
}

// need demands a program that the test runs.
func need(t testing.TB, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Fatalf("%s is missing: \"make deps\" installs it", program)
	}
}
