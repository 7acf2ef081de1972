package main

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// program is the binary that is measured.
type program struct {
	path string // bin/problems
	home string // a directory for whatever it may write
	logs string // where servers log to
}

// environment is what the program sees: nothing of the user's own settings, so that
// everything that is not said here is as it is by default.
func (p program) environment(store string, variables ...string) []string {
	return append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.home, "PROBLEMS_STORE=" + store}, variables...)
}

// load imports an archive into an empty store.
func (p program) load(ctx context.Context, archive, store string) error {
	cmd := exec.CommandContext(ctx, p.path, "import", "--from", archive)
	cmd.Env = p.environment(store)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("problems import: %w\n%s", err, bytes.TrimSpace(out))
	}
	return nil
}

// server is a running "problems serve".
type server struct {
	cmd     *exec.Cmd
	url     string
	metrics string // host:port
	began   time.Time
	ended   chan struct{}
}

// startPatience is how long a server may take to listen, and to end.
const startPatience = time.Minute

// serve starts the program on a store, on free ports, with everything else as it is
// by default, and returns when it listens.
func (p program) serve(ctx context.Context, store string, variables ...string) (*server, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	logs, err := os.OpenFile(p.logs, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() { _ = logs.Close() }() // nothing was written
	s := &server{cmd: exec.Command(p.path, "serve"), metrics: address, ended: make(chan struct{})}
	s.cmd.Env = p.environment(store, append(variables, "PROBLEMS_LISTEN=127.0.0.1:0", "PROBLEMS_METRICS_LISTEN="+address)...)
	s.cmd.Stderr = logs
	s.cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // ^C at the terminal is for the benchmark, which ends it
	stdout, err := s.cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.began = time.Now()
	if err := s.cmd.Start(); err != nil {
		return nil, err
	}
	first := make(chan string, 1)
	go func() {
		lines := bufio.NewReader(stdout)
		line, _ := lines.ReadString('\n') // what there is says what went wrong
		first <- line
		_, _ = io.Copy(io.Discard, lines)
		_ = s.cmd.Wait() // the exit code is in ProcessState
		close(s.ended)
	}()
	ctx, cancel := context.WithTimeout(ctx, startPatience)
	defer cancel()
	select {
	case line := <-first:
		url, found := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
		if found {
			s.url = url
			return s, nil
		}
		err = fmt.Errorf("problems serve did not start: it printed %q. Its log is read with -server-log FILE", line)
	case <-ctx.Done():
		err = fmt.Errorf("problems serve did not start: %w. Its log is read with -server-log FILE", ctx.Err())
	}
	return nil, errors.Join(err, s.stop())
}

// stop ends the server in order.
func (s *server) stop() error {
	_ = s.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	select {
	case <-s.ended:
		if code := s.cmd.ProcessState.ExitCode(); code != 0 {
			return fmt.Errorf("problems serve ended with %v", s.cmd.ProcessState)
		}
		return nil
	case <-time.After(startPatience):
		_ = s.cmd.Process.Kill()
		<-s.ended
		return errors.New("problems serve did not end, and was killed")
	}
}

// freeAddress returns an address on which nobody listens.
func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return listener.Addr().String(), listener.Close()
}

// begin is how a server begins on a store that exists.
type begin struct {
	FirstAnswer float64 `json:"firstAnswer"` // seconds from its start to the first answer
	Idle        int64   `json:"idle"`        // bytes of resident memory after that; 0: not known
}

// begin starts a server, asks it for a path as soon as it listens, and ends it.
func (p program) begin(ctx context.Context, store, path, token string, variables ...string) (b begin, err error) {
	s, err := p.serve(ctx, store, variables...)
	if err != nil {
		return begin{}, err
	}
	defer func() { err = errors.Join(err, s.stop()) }()
	c, err := dial(s.url, time.Now().Add(startPatience))
	if err != nil {
		return begin{}, err
	}
	defer func() { _ = c.Close() }()
	status, err := c.send("GET", []byte(api+path), token, "", nil)
	b.FirstAnswer = time.Since(s.began).Seconds()
	if err != nil {
		return begin{}, err
	}
	if status != 200 {
		return begin{}, fmt.Errorf("GET %s: %d %s", path, status, c.body)
	}
	m, err := memoryOf([]int{s.cmd.Process.Pid})
	if err != nil && !errors.Is(err, errNoProc) {
		return begin{}, err
	}
	b.Idle = m.Now
	return b, nil
}
