package cli_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/problemtracking/problems/app/backend"
	"github.com/problemtracking/problems/app/internal/builtin"
	"github.com/problemtracking/problems/app/internal/cli"
)

// variables are the environment of one call of the program.
type variables map[string]string

// environ returns them as os.Environ does.
func (v variables) environ() []string {
	var all []string
	for name, value := range v {
		all = append(all, name+"="+value)
	}
	return all
}

// result is what one call of the program has come to.
type result struct {
	code           int
	stdout, stderr string
}

// call runs the program to its end. Its home is a directory of the test.
func call(t *testing.T, env variables, args ...string) result {
	t.Helper()
	var stdout, stderr output
	code := cli.Run(t.Context(), process(env, args, &stdout, &stderr))
	return result{code, stdout.String(), stderr.String()}
}

func process(env variables, args []string, stdout, stderr io.Writer) cli.Process {
	return cli.Process{
		Name:         "problems",
		Args:         args,
		Getenv:       func(name string) string { return env[name] },
		Environ:      env.environ,
		Stdout:       stdout,
		Stderr:       stderr,
		Version:      "v1.2.3",
		Kinds:        builtin.Kinds(),
		Now:          time.Now,
		Random:       rand.Reader,
		NewRequestID: func() string { return rand.Text() },
	}
}

// must runs the program and returns its standard output without the line end. It
// fails the test when the program fails.
func must(t *testing.T, env variables, args ...string) string {
	t.Helper()
	r := call(t, env, args...)
	if r.code != 0 {
		t.Fatalf("problems %s: exit code %d\n%s", strings.Join(args, " "), r.code, r.stderr)
	}
	return strings.TrimSuffix(r.stdout, "\n")
}

// running is a service that was started.
type running struct {
	url    string
	lines  []string // of standard output, after "listening on"
	stdout *output
	stderr *output
	stop   context.CancelFunc
	code   <-chan int
}

// start runs "problems serve" on a free port until the test ends or stop is
// called.
func start(t *testing.T, env variables, args ...string) *running {
	t.Helper()
	return startWith(t, builtin.Kinds(), env, args...)
}

// startWith is start with some kinds of stores.
func startWith(t *testing.T, kinds []backend.Kind, env variables, args ...string) *running {
	t.Helper()
	ctx, stop := context.WithCancel(context.Background())
	stdout, stderr := &output{written: make(chan struct{})}, &output{}
	code := make(chan int, 1)
	go func() {
		defer close(code)
		p := process(env, append([]string{"serve", "--listen=127.0.0.1:0"}, args...), stdout, stderr)
		p.Kinds = kinds
		code <- cli.Run(ctx, p)
	}()
	s := &running{stdout: stdout, stderr: stderr, stop: stop, code: code}
	t.Cleanup(func() { s.end(t) })
	select {
	case <-stdout.written: // all of it at once
	case c := <-code:
		t.Fatalf("the service did not start: exit code %d\n%s", c, stderr)
	}
	first, rest, _ := strings.Cut(strings.TrimSuffix(stdout.String(), "\n"), "\n")
	url, found := strings.CutPrefix(first, "listening on ")
	if !found {
		t.Fatalf("the service printed %q first", first)
	}
	s.url = url
	s.lines = linesOf(rest)
	return s
}

func linesOf(text string) []string {
	return strings.FieldsFunc(text, func(c rune) bool { return c == '\n' })
}

// end stops the service and returns its exit code.
func (s *running) end(t *testing.T) {
	t.Helper()
	s.stop()
	if c, open := <-s.code; open && c != 0 {
		t.Errorf("the service ended with exit code %d\n%s", c, s.stderr)
	}
}

// token returns the token that was printed.
func (s *running) token(t *testing.T) string {
	t.Helper()
	for range 300 { // a database that answers late has the service print it later
		if len(s.lines) > 0 {
			break
		}
		time.Sleep(100 * time.Millisecond)
		s.lines = linesOf(s.stdout.String())[1:]
	}
	if len(s.lines) != 1 || !strings.HasPrefix(s.lines[0], "pts_") {
		t.Fatalf("instead of a token the service printed %q", s.lines)
	}
	return s.lines[0]
}

// get answers a GET request of the API with its status.
func (s *running) get(t *testing.T, token, path string) int {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.url+path, nil)
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", token)
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	return response.StatusCode
}

// sqliteURL returns the URL of a SQLite file that does not exist.
func sqliteURL(t *testing.T) string {
	t.Helper()
	return "sqlite://" + filepath.Join(t.TempDir(), "problems.db")
}

func decode[T any](t *testing.T, text string) (value T) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &value); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return value
}

// output is a buffer for several goroutines.
type output struct {
	mu      sync.Mutex
	buffer  bytes.Buffer
	written chan struct{} // if not nil, closed by the first Write
}

func (o *output) Write(b []byte) (int, error) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.written != nil && o.buffer.Len() == 0 {
		defer close(o.written)
	}
	return o.buffer.Write(b)
}

func (o *output) String() string {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.buffer.String()
}
