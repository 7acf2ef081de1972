package e2e

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// eventsCommand is a running "problems events".
type eventsCommand struct {
	t      *testing.T
	cmd    *exec.Cmd
	out    io.ReadCloser
	stderr *lockedBuffer
	ended  chan struct{} // closed at the end of standard output

	mu    sync.Mutex
	lines []string
	more  chan struct{} // has a value after each line
}

// followEvents starts "problems events --follow" with the flags.
func followEvents(t *testing.T, variables []string, flags ...string) *eventsCommand {
	t.Helper()
	c := &eventsCommand{t: t, cmd: exec.Command(binary, append([]string{"events", "--follow"}, flags...)...), stderr: new(lockedBuffer),
		ended: make(chan struct{}), more: make(chan struct{}, 1)}
	c.cmd.Env = environment(t, variables...)
	c.cmd.Stderr = c.stderr
	var err error
	if c.out, err = c.cmd.StdoutPipe(); err != nil {
		t.Fatal(err)
	}
	if err := c.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.cmd.Process.Kill(); <-c.ended })
	go func() {
		defer close(c.ended)
		for r := bufio.NewReader(c.out); ; {
			line, err := r.ReadString('\n')
			if err != nil {
				return
			}
			c.mu.Lock()
			c.lines = append(c.lines, line)
			c.mu.Unlock()
			select {
			case c.more <- struct{}{}:
			default:
			}
		}
	}()
	return c
}

// printed waits for a number of lines, and returns all of them.
func (c *eventsCommand) printed(n int) []string {
	c.t.Helper()
	timeout := time.After(2 * patience)
	for {
		c.mu.Lock()
		lines := slices.Clone(c.lines)
		c.mu.Unlock()
		if len(lines) >= n {
			return lines
		}
		select {
		case <-c.more:
		case <-timeout:
			c.t.Fatalf("only %d of %d events were printed\n%s", len(lines), n, c.stderr)
		}
	}
}

// end sends a signal and returns the exit code and all lines.
func (c *eventsCommand) end(signal os.Signal) (int, []string) {
	c.t.Helper()
	if err := c.cmd.Process.Signal(signal); err != nil {
		c.t.Fatal(err)
	}
	select {
	case <-c.ended:
	case <-time.After(patience):
		c.t.Fatal("the command does not end")
	}
	_ = c.cmd.Wait() // the exit code is in ProcessState
	return c.cmd.ProcessState.ExitCode(), c.lines
}

// feedOf returns the events of the API as the lines of "problems events".
func feedOf(t *testing.T, c *client) (lines []string) {
	t.Helper()
	var events []json.RawMessage
	c.get(t, "/events?limit=1000", &events)
	for _, e := range events {
		lines = append(lines, string(e)+"\n")
	}
	return lines
}

// TestEventsOutliveTheServer kills the server while clients write, and starts it again.
// "problems events" prints every event once, in the order of the feed.
func TestEventsOutliveTheServer(t *testing.T) {
	t.Parallel()
	eachDurable(t, func(t *testing.T, store string) {
		token, address := newToken(t), freeAddress(t)
		start := func() *server {
			return serve(t, store, "PROBLEMS_BOOTSTRAP_TOKEN="+token, "PROBLEMS_LISTEN="+address)
		}
		s := start()
		state := filepath.Join(t.TempDir(), "position")
		follower := followEvents(t, []string{"PROBLEMS_URL=" + s.url, "PROBLEMS_TOKEN=" + token}, "--state", state)
		const rounds, writers = 3, 4
		for round := range rounds {
			if code, body := s.as(token).do(http.MethodPost, "/problems", `{"title":"first"}`); code != http.StatusCreated {
				t.Fatal(code, string(body))
			}
			follower.printed(len(feedOf(t, s.as(token)))) // it is connected
			var group sync.WaitGroup
			written := make(chan struct{}, 1000)
			for w := range writers {
				group.Go(func() {
					for n := range 100 {
						if code, _ := s.as(token).do(http.MethodPost, "/problems", fmt.Sprintf(`{"title":"%d-%d-%d"}`, round, w, n)); code != http.StatusCreated {
							return
						}
						written <- struct{}{}
					}
				})
			}
			for range 20 {
				<-written
			}
			s.kill()
			group.Wait()
			s = start()
		}
		if code, body := s.as(token).do(http.MethodPost, "/problems", `{"title":"last"}`); code != http.StatusCreated {
			t.Fatal(code, string(body))
		}
		want := feedOf(t, s.as(token))
		follower.printed(len(want))
		code, got := follower.end(syscall.SIGTERM)
		if code != 0 || !slices.Equal(got, want) {
			t.Errorf("with exit code %d, %d lines were printed, and the feed has %d:\n%s", code, len(got), len(want), difference(strings.Join(want, ""), strings.Join(got, "")))
		}
		log := follower.stderr.String()
		if strings.Count(log, "trying again") < rounds || strings.Count(log, "connected again") < rounds {
			t.Errorf("standard error has\n%s", log)
		}
		if again := command(t, []string{"PROBLEMS_URL=" + s.url, "PROBLEMS_TOKEN=" + token}, "events", "--state", state); again != "" {
			t.Errorf("the file of the ended command leaves out\n%s", again)
		}
	})
}

// TestEventsGoOn kills "problems events" again and again: with its file, the next one
// prints the rest. Only the last printed lines come twice.
func TestEventsGoOn(t *testing.T) {
	t.Parallel()
	token := newToken(t)
	s := serve(t, newFile(t), "PROBLEMS_BOOTSTRAP_TOKEN="+token)
	variables := []string{"PROBLEMS_URL=" + s.url, "PROBLEMS_TOKEN=" + token}
	state := filepath.Join(t.TempDir(), "position")
	before := len(feedOf(t, s.as(token)))
	var all []string
	for round := range 5 {
		follower := followEvents(t, variables, "--state", state)
		for n := range 5 {
			if code, body := s.as(token).do(http.MethodPost, "/problems", fmt.Sprintf(`{"title":"%d-%d"}`, round, n)); code != http.StatusCreated {
				t.Fatal(code, string(body))
			}
		}
		follower.printed(3)
		_, lines := follower.end(os.Kill)
		all = append(all, lines...)
	}
	all = append(all, strings.SplitAfter(command(t, variables, "events", "--state", state), "\n")...)
	var once []string
	for _, line := range all {
		if line = strings.TrimSuffix(line, "\n"); line != "" && !slices.Contains(once, line+"\n") {
			once = append(once, line+"\n")
		}
	}
	want := feedOf(t, s.as(token))
	if len(want) < before+25 || !slices.Equal(once, want) {
		t.Errorf("the commands have printed\n%s", difference(strings.Join(want, ""), strings.Join(once, "")))
	}
}

// TestEventsEnd ends "problems events --follow" in every usual way.
func TestEventsEnd(t *testing.T) {
	t.Parallel()
	token := newToken(t)
	s := serve(t, newFile(t), "PROBLEMS_BOOTSTRAP_TOKEN="+token)
	variables := []string{"PROBLEMS_URL=" + s.url, "PROBLEMS_TOKEN=" + token}
	create := func() {
		t.Helper()
		if code, body := s.as(token).do(http.MethodPost, "/problems", `{"title":"One more"}`); code != http.StatusCreated {
			t.Fatal(code, string(body))
		}
	}
	create()
	for _, signal := range []os.Signal{os.Interrupt, syscall.SIGTERM} {
		follower := followEvents(t, variables)
		follower.printed(1)
		if code, _ := follower.end(signal); code != 0 || follower.stderr.String() != "" {
			t.Errorf("%v ends it with %d and\n%s", signal, code, follower.stderr)
		}
	}
	t.Run("broken pipe", func(t *testing.T) {
		follower := exec.Command(binary, "events", "--follow")
		follower.Env = environment(t, variables...)
		var stderr bytes.Buffer
		follower.Stderr = &stderr
		out, err := follower.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := follower.Start(); err != nil {
			t.Fatal(err)
		}
		if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
			t.Fatal(err)
		}
		if err := out.Close(); err != nil {
			t.Fatal(err)
		}
		create()
		if err := follower.Wait(); err != nil || stderr.Len() > 0 {
			t.Errorf("without a reader it ends with %v and\n%s", err, &stderr)
		}
	})
	t.Run("revoked token", func(t *testing.T) {
		reader := command(t, variables, "token", "create", "--user=admin@localhost", "--scope=read", "--json")
		var made struct{ Identifier, Token string }
		if err := json.Unmarshal([]byte(reader), &made); err != nil {
			t.Fatal(err)
		}
		follower := followEvents(t, []string{"PROBLEMS_URL=" + s.url, "PROBLEMS_TOKEN=" + made.Token})
		follower.printed(1)
		command(t, variables, "token", "revoke", made.Identifier)
		select {
		case <-follower.ended:
		case <-time.After(patience):
			t.Fatal("it goes on with a revoked token")
		}
		_ = follower.cmd.Wait()
		if code := follower.cmd.ProcessState.ExitCode(); code != 5 || !strings.Contains(follower.stderr.String(), "token") {
			t.Errorf("with a revoked token it ends with %d and\n%s", code, follower.stderr)
		}
	})
}
