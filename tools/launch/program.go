// Package launch starts the parts of a measurement: the program on a store, and a
// PostgreSQL server. It also reads the costs of processes.
package launch

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest/ports"
)

// Program is the measured binary.
type Program struct {
	Path string // such as bin/problems
	Home string // a writable directory
	Logs string // the log file of servers
}

// Environment is the environment of the program: nothing of the user's own settings.
// Settings not given here have their defaults.
func (p Program) Environment(store string, variables ...string) []string {
	return append([]string{"PATH=" + os.Getenv("PATH"), "HOME=" + p.Home, "PROBLEMS_STORE=" + store}, variables...)
}

// Load imports an archive into an empty store.
func (p Program) Load(ctx context.Context, archive, store string) error {
	cmd := exec.CommandContext(ctx, p.Path, "import", "--from", archive)
	cmd.Env = p.Environment(store)
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("problems import: %w\n%s", err, bytes.TrimSpace(out))
	}
	return nil
}

// Server is a running "problems serve".
type Server struct {
	URL     string
	Metrics string // host:port
	Began   time.Time

	cmd   *exec.Cmd
	ended chan struct{}
}

// Patience is how long a server may take to listen, and to end.
const Patience = time.Minute

// Serve starts the program on a store, on free ports, with everything else as it is by
// default, and returns when it listens. The variables count before all that.
func (p Program) Serve(ctx context.Context, store string, variables ...string) (*Server, error) {
	metrics, err := ports.Address()
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(p.Path, "serve")
	cmd.Env = p.Environment(store, append([]string{"PROBLEMS_LISTEN=127.0.0.1:0", "PROBLEMS_METRICS_LISTEN=" + metrics}, variables...)...)
	s, err := p.run(ctx, cmd)
	if err != nil {
		return nil, err
	}
	s.Metrics = metrics
	return s, nil
}

// run starts a server command, and returns when it has printed its address.
func (p Program) run(ctx context.Context, cmd *exec.Cmd) (*Server, error) {
	logs, err := os.OpenFile(p.Logs, os.O_WRONLY|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	defer func() { _ = logs.Close() }() // nothing was written
	s := &Server{cmd: cmd, ended: make(chan struct{})}
	cmd.Stderr = logs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} // ^C at the terminal is for this process; it ends the server
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	s.Began = time.Now()
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	first := make(chan string, 1)
	go func() {
		lines := bufio.NewReader(stdout)
		line, _ := lines.ReadString('\n') // a partial line shows the error
		first <- line
		_, _ = io.Copy(io.Discard, lines)
		_ = cmd.Wait() // the exit code is in ProcessState
		close(s.ended)
	}()
	ctx, cancel := context.WithTimeout(ctx, Patience)
	defer cancel()
	select {
	case line := <-first:
		url, found := strings.CutPrefix(strings.TrimSpace(line), "listening on ")
		if found {
			s.URL = url
			return s, nil
		}
		err = fmt.Errorf("problems serve did not start: it printed %q. Its log is read with -server-log FILE", line)
	case <-ctx.Done():
		err = fmt.Errorf("problems serve did not start: %w. Its log is read with -server-log FILE", ctx.Err())
	}
	return nil, errors.Join(err, s.Stop())
}

// PID returns the number of the started process.
func (s *Server) PID() int { return s.cmd.Process.Pid }

// Ended is closed when the process has ended.
func (s *Server) Ended() <-chan struct{} { return s.ended }

// Exit says how the process has ended, after Ended.
func (s *Server) Exit() string { return s.cmd.ProcessState.String() }

// Stop ends the server in order.
func (s *Server) Stop() error {
	_ = s.cmd.Process.Signal(syscall.SIGTERM) // it may have ended
	select {
	case <-s.ended:
		if code := s.cmd.ProcessState.ExitCode(); code != 0 {
			return fmt.Errorf("problems serve ended with %v", s.cmd.ProcessState)
		}
		return nil
	case <-time.After(Patience):
		s.Kill()
		return errors.New("problems serve did not end, and was killed")
	}
}

// Kill ends the process at once, and returns when it has ended.
func (s *Server) Kill() {
	_ = s.cmd.Process.Kill() // it may have ended
	<-s.ended
}
