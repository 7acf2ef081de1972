package e2e

import (
	"bufio"
	"bytes"
	"net/http"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

// until asks a path without a token until it has the status.
func until(t testing.TB, url string, status int) {
	t.Helper()
	code := 0
	for limit := time.Now().Add(patience); time.Now().Before(limit); time.Sleep(20 * time.Millisecond) {
		response, err := http.Get(url)
		if err != nil {
			continue
		}
		_ = response.Body.Close()
		if code = response.StatusCode; code == status {
			return
		}
	}
	t.Fatalf("%s has the status %d, want %d", url, code, status)
}

// TestStartBeforeTheDatabase starts a server whose database is down: it waits, ends
// when it is told to, and is there when the database is. Later the database goes away
// again, and the log says so once.
func TestStartBeforeTheDatabase(t *testing.T) {
	t.Parallel()
	database := postgrestest.New(t)
	database.Immediate()

	first := serveProgram(t, program(t), nil, nil, database.URL(), "PROBLEMS_BOOTSTRAP_TOKEN="+newToken(t))
	until(t, first.url+"/healthz", http.StatusOK)
	until(t, first.url+"/readyz", http.StatusServiceUnavailable)
	if code, body := first.as(newToken(t)).do(http.MethodPost, "/problems", `{"title":"Early"}`); code != http.StatusServiceUnavailable || slug(body) != "unavailable" {
		t.Errorf("a write while the database is down: %d %s", code, body)
	}
	first.stop() // which demands the exit code 0

	address := freeAddress(t)
	lines := make(chan string, 16)
	stderr := new(lockedBuffer)
	cmd := exec.Command(program(t), "serve")
	cmd.Env = environment(t, "PROBLEMS_LISTEN=127.0.0.1:0", "PROBLEMS_STORE="+database.URL(), "PROBLEMS_METRICS_LISTEN="+address)
	cmd.Stderr = stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	s := &server{t: t, program: cmd.Args[0], cmd: cmd, stderr: stderr, ended: make(chan struct{}), transport: &http.Transport{}}
	go func() {
		for scanner := bufio.NewScanner(stdout); scanner.Scan(); {
			lines <- scanner.Text()
		}
		_ = cmd.Wait()
		close(s.ended)
	}()
	t.Cleanup(s.stop)
	next := func() string {
		select {
		case line := <-lines:
			return line
		case <-time.After(patience):
			t.Fatalf("serve says nothing\n%s", stderr.end())
			return ""
		}
	}
	url, found := strings.CutPrefix(next(), "listening on ")
	if !found {
		t.Fatalf("serve began with %q", url)
	}
	s.url = url
	until(t, url+"/readyz", http.StatusServiceUnavailable)
	if up := metric(t, address, "problems_store_up"); up != 0 {
		t.Errorf("while the database is down, problems_store_up is %v in sum", up)
	}
	database.Start()
	token := next()
	if !strings.HasPrefix(token, "pts_") {
		t.Fatalf("the second line is %q", token)
	}
	until(t, url+"/readyz", http.StatusOK)
	c := s.as(token)
	if code, body := c.do(http.MethodPost, "/problems", `{"title":"Late"}`); code != http.StatusCreated {
		t.Errorf("a write once the database is there: %d %s", code, body)
	}
	if up := metric(t, address, "problems_store_up"); up != 2 {
		t.Errorf("once the database is there, problems_store_up is %v in sum", up)
	}

	database.Immediate()
	until(t, url+"/readyz", http.StatusServiceUnavailable)
	for range 50 {
		if code, body := c.do(http.MethodPost, "/problems", `{"title":"Lost"}`); code != http.StatusServiceUnavailable {
			t.Errorf("a write while the database is down: %d %s", code, body)
		}
	}
	if n := metric(t, address, "problems_store_calls_total", `outcome="unavailable"`); n < 10 {
		t.Errorf("%v calls were counted as unavailable", n)
	}
	database.Start()
	until(t, url+"/readyz", http.StatusOK)
	if code, body := c.do(http.MethodPost, "/problems", `{"title":"Again"}`); code != http.StatusCreated {
		t.Errorf("a write once the database is back: %d %s", code, body)
	}
	s.stop()
	for text, want := range map[string]int{
		`"msg":"the store is away: the service waits for it"`: 1,
		`"msg":"the store is away"`:                           1,
		`"msg":"the store is back`:                            2, // writes may be confirmed a moment later
	} {
		if got := strings.Count(stderr.String(), text); got != want {
			t.Errorf("the log has %d lines with %s, want %d\n%s", got, text, want, stderr.end())
		}
	}
	if n := strings.Count(stderr.String(), `"status":503`); n > 5 {
		t.Errorf("the log has %d lines of requests that the outage has failed", n)
	}
	if password := strings.SplitN(strings.SplitN(database.URL(), "@", 2)[0], ":", 3)[2]; strings.Contains(stderr.String(), password) {
		t.Error("the password is in the log")
	}
}

// TestWaitingDoesNotMend starts servers that would wait in vain: they end, with a
// sentence.
func TestWaitingDoesNotMend(t *testing.T) {
	t.Parallel()
	database, lossy := postgrestest.New(t), postgrestest.New(t, "full_page_writes=off")
	user, host, _ := strings.Cut(database.URL(), "@")
	for name, c := range map[string]struct{ store, want string }{
		"password": {user + "wrong@" + host, "refuses the user or the password"},
		"database": {strings.Replace(database.URL(), "/postgres?", "/nowhere?", 1), "there is no such database"},
		"setting":  {lossy.URL(), "full_page_writes is off"},
	} {
		code, stdout, stderr := problems(t, []string{"PROBLEMS_LISTEN=127.0.0.1:0", "PROBLEMS_STORE=" + c.store}, "serve")
		if code != 1 || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%s: exit code %d, printed is %q\n%s", name, code, stdout, stderr)
		}
	}
	// Once the database is back, what is wrong ends the server.
	database.Immediate()
	var printed bytes.Buffer
	stderr := new(lockedBuffer)
	cmd := exec.Command(program(t), "serve")
	cmd.Env = environment(t, "PROBLEMS_LISTEN=127.0.0.1:0", "PROBLEMS_STORE="+user+"wrong@"+host)
	cmd.Stdout, cmd.Stderr = &printed, stderr
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for limit := time.Now().Add(patience); !strings.Contains(stderr.String(), "the service waits for it") && time.Now().Before(limit); {
		time.Sleep(10 * time.Millisecond)
	}
	database.Start()
	timer := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	_ = cmd.Wait() // the exit code is in ProcessState
	if code := cmd.ProcessState.ExitCode(); code != 1 || !strings.Contains(stderr.String(), "problems: postgres: ") || !strings.Contains(stderr.String(), "refuses the user or the password") {
		t.Errorf("exit code %d\n%s", code, stderr.end())
	}
	// The other commands do not wait.
	database.Immediate()
	began := time.Now()
	if code, _, stderr := problems(t, []string{"PROBLEMS_STORE=" + database.URL()}, "token", "list"); code != 1 || !strings.Contains(stderr, "the database cannot be reached") || time.Since(began) > patience/2 {
		t.Errorf("token list without a database: exit code %d\n%s", code, stderr)
	}
}
