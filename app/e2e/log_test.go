package e2e

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"
)

// fullPipe returns a pipe that takes nothing any more.
func fullPipe(t *testing.T) (reader, writer *os.File) {
	t.Helper()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = reader.Close()
		_ = writer.Close()
	})
	for _, line := range []string{strings.Repeat("-", 511) + "\n", "\n"} {
		for err = nil; err == nil; {
			if err = writer.SetWriteDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
				t.Fatal(err)
			}
			_, err = io.WriteString(writer, line)
		}
		if !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatal(err)
		}
	}
	return reader, writer
}

// entry is what the tests read of a line of the log.
type entry struct {
	Message  string         `json:"msg"`
	Status   int            `json:"status"`
	Lines    int            `json:"lines"`    // that were dropped
	Requests int            `json:"requests"` // that have no line of their own
	Statuses map[string]int `json:"statuses"`
}

// logOf reads the lines of a log until it ends or a line is the last, and demands
// that each of them is whole.
func logOf(t *testing.T, log io.Reader, last func(entry) bool) []entry {
	t.Helper()
	var all []entry
	scanner := bufio.NewScanner(log)
	for scanner.Scan() {
		if line := scanner.Text(); strings.HasPrefix(line, "{") {
			var e entry
			if err := json.Unmarshal([]byte(line), &e); err != nil {
				t.Fatalf("the log has the line %q: %v", line, err)
			}
			if all = append(all, e); last(e) {
				return all
			}
		}
	}
	if err := scanner.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}

// often has eight clients do something n times.
func often(n int, do func(i int)) {
	var group sync.WaitGroup
	for first := range 8 {
		group.Go(func() {
			for i := first; i < n; i += 8 {
				do(i)
			}
		})
	}
	group.Wait()
}

// TestNobodyReadsTheLog has standard error be a full pipe. Requests are answered, and
// what the log lacks is counted and said once somebody reads it.
func TestNobodyReadsTheLog(t *testing.T) {
	t.Parallel()
	reader, writer := fullPipe(t)
	token, address := newToken(t), freeAddress(t)
	s := serveLogging(t, writer, nil, newFile(t), "PROBLEMS_BOOTSTRAP_TOKEN="+token, "PROBLEMS_METRICS_LISTEN="+address)
	c := s.as(token)
	requestID := strings.Repeat("x", 128)
	var sent, broken atomic.Int64
	ask := func(i int) {
		if broken.Load() > 0 {
			return // one has waited long enough
		}
		method, path, body, want := http.MethodGet, "/me", "", http.StatusOK
		if i%10 == 0 {
			method, path, body, want = http.MethodPost, "/problems", fmt.Sprintf(`{"title":"Number %d"}`, i), http.StatusCreated
		}
		sent.Add(1)
		if code, answer := c.do(method, path, body, "Content-Type", "application/json", "X-Request-Id", requestID); code != want {
			broken.Add(1)
			t.Errorf("while nobody reads the log, %s %s: %d %s", method, path, code, answer)
		}
	}
	often(300, ask)
	for broken.Load() == 0 && metric(t, address, "problems_log_lines_dropped_total") == 0 {
		if sent.Load() > 100_000 {
			t.Fatal("no line was dropped: the log is held in memory without a limit")
		}
		often(1000, ask)
	}
	if t.Failed() {
		return
	}

	said := entry{}
	read := logOf(t, reader, func(e entry) bool { said = e; return e.Lines > 0 })
	if dropped := metric(t, address, "problems_log_lines_dropped_total"); float64(said.Lines) != dropped {
		t.Errorf("the log says that %d lines were lost, and the metric is %v", said.Lines, dropped)
	}
	requests := said.Lines
	for _, e := range read {
		if e.Message == "request" {
			requests++
		}
	}
	if int64(requests) != sent.Load() {
		t.Errorf("of %d requests the log accounts for %d", sent.Load(), requests)
	}
	ask(1)
	s.terminate()
	if err := writer.Close(); err != nil { // this process's end of it
		t.Fatal(err)
	}
	var after []string
	for _, e := range logOf(t, reader, func(entry) bool { return false }) {
		after = append(after, e.Message)
	}
	if got := strings.Join(after, ", "); got != "request, stopping, stopped" {
		t.Errorf("once the log is read, it goes on with %s", got)
	}
}

// TestEndWithoutALog tells a server to end while nobody reads its log, or while the
// log goes where nothing can be written. It does, and keeps what it was told.
func TestEndWithoutALog(t *testing.T) {
	t.Parallel()
	for name, log := range map[string]func(*testing.T) *os.File{
		"full pipe": func(t *testing.T) *os.File { _, writer := fullPipe(t); return writer },
		"full pipe that does not wait": func(t *testing.T) *os.File {
			_, writer := fullPipe(t)
			if err := syscall.SetNonblock(int(writer.Fd()), true); err != nil {
				t.Fatal(err)
			}
			return writer
		},
		"reader gone": func(t *testing.T) *os.File {
			reader, writer := fullPipe(t)
			if err := reader.Close(); err != nil {
				t.Fatal(err)
			}
			return writer
		},
		"full disk": func(t *testing.T) *os.File {
			full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { _ = full.Close() })
			return full
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			token, address, store := newToken(t), freeAddress(t), newFile(t)
			s := serveLogging(t, log(t), nil, store, "PROBLEMS_BOOTSTRAP_TOKEN="+token, "PROBLEMS_METRICS_LISTEN="+address)
			c := s.as(token)
			for range 20 {
				if code, body := c.do(http.MethodPost, "/problems", `{"title":"Kept"}`, "Content-Type", "application/json"); code != http.StatusCreated {
					t.Fatalf("a write: %d %s", code, body)
				}
			}
			if strings.HasPrefix(name, "full pipe") == (metric(t, address, "problems_log_lines_dropped_total") > 0) {
				t.Errorf("a log with a %s: %v lines were dropped", name, metric(t, address, "problems_log_lines_dropped_total"))
			}
			s.stop() // which demands exit code 0
			var last struct{ Title string }
			serve(t, store).as(token).get(t, "/problems/20", &last)
			if last.Title != "Kept" {
				t.Errorf("the last write is %q", last.Title)
			}
		})
	}
}

// TestNobodyReadsTheStart has standard output take nothing. The server answers, and the
// log says what was not printed, but not the token.
func TestNobodyReadsTheStart(t *testing.T) {
	t.Parallel()
	for name, gone := range map[string]bool{"full pipe": false, "reader gone": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			reader, writer := fullPipe(t)
			if gone {
				if err := reader.Close(); err != nil {
					t.Fatal(err)
				}
			}
			listen := freeAddress(t)
			cmd := exec.Command(program(t), "serve")
			cmd.Env = environment(t, "PROBLEMS_LISTEN="+listen, "PROBLEMS_STORE="+newFile(t))
			stderr := new(lockedBuffer)
			cmd.Stdout, cmd.Stderr = writer, stderr
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			ended := make(chan struct{})
			go func() {
				_ = cmd.Wait() // the exit code is in ProcessState
				close(ended)
			}()
			t.Cleanup(func() { _ = cmd.Process.Kill(); <-ended })
			const said = "standard output does not take the lines of the start"
			limit := time.Now().Add(patience)
			for status := 0; status != http.StatusOK || !strings.Contains(stderr.String(), said); {
				select {
				case <-ended:
					t.Fatalf("serve ended with %v\n%s", cmd.ProcessState, stderr.end())
				case <-time.After(20 * time.Millisecond):
				}
				if time.Now().After(limit) {
					t.Fatalf("serve answers %d\n%s", status, stderr.end())
				}
				if response, err := http.Get("http://" + listen + "/readyz"); err == nil {
					status = response.StatusCode
					_ = response.Body.Close()
				}
			}
			if log := stderr.String(); !strings.Contains(log, listen) || !strings.Contains(log, "token create --user admin@localhost") || strings.Contains(log, "pts_") {
				t.Errorf("the log does not say how to go on:\n%s", log)
			}
			if err := cmd.Process.Signal(syscall.SIGTERM); err != nil {
				t.Fatal(err)
			}
			select {
			case <-ended:
			case <-time.After(patience):
				t.Fatalf("serve does not end\n%s", stderr.end())
			}
			if code := cmd.ProcessState.ExitCode(); code != 0 {
				t.Errorf("serve ended with %v\n%s", cmd.ProcessState, stderr.end())
			}
		})
	}
}

// TestFloodOfTheLog sends many requests without a valid token. Most of them share a few
// lines of the log, which accounts for all. Those of a client with a token have a line
// each.
func TestFloodOfTheLog(t *testing.T) {
	t.Parallel()
	const strangers, mine = 3000, 500
	token := newToken(t)
	s := serve(t, newFile(t), "PROBLEMS_BOOTSTRAP_TOKEN="+token)
	c, stranger := s.as(token), s.as("pts_unknown")
	often(strangers+mine, func(i int) {
		if i%7 == 0 {
			if code, _ := c.do(http.MethodGet, "/me", ""); code != http.StatusOK {
				t.Errorf("GET /me: %d", code)
			}
			return
		}
		path, want := "/me", http.StatusUnauthorized
		if i%2 == 0 {
			path, want = "/nothing/"+strings.Repeat("x", 4000), http.StatusNotFound
		}
		if code, _ := stranger.do(http.MethodGet, path, ""); code != want {
			t.Errorf("GET %.20s: %d", path, code)
		}
	})
	s.stop()
	if size := len(s.stderr.String()); size > 400*1024 {
		t.Errorf("the log has %d bytes", size)
	}
	logged, own, status := 0, 0, map[string]int{}
	for _, e := range logOf(t, strings.NewReader(s.stderr.String()), func(entry) bool { return false }) {
		switch {
		case e.Message == "request" && e.Status == http.StatusOK:
			own++
		case e.Message == "request":
			logged++
			status[fmt.Sprint(e.Status)]++
		case e.Requests > 0:
			for code, n := range e.Statuses {
				status[code] += n
			}
		}
	}
	if own != mine {
		t.Errorf("of %d requests with a token, %d are in the log", mine, own)
	}
	if logged == 0 || logged > strangers/2 {
		t.Errorf("of %d requests without one, %d are in the log", strangers, logged)
	}
	if status["401"] != strangers/2 || status["404"] != strangers/2 {
		t.Errorf("the log accounts for %v, want %d each", status, strangers/2)
	}
}
