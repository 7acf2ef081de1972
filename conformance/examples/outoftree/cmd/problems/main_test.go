package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/problemtracking/problems/app/backend"
	"github.com/problemtracking/problems/conformance/httpsuite"
	"github.com/problemtracking/problems/conformance/report"
)

// patience is how long the program may take for something that it does at once.
const patience = time.Minute

// program is the path of the program, which is built once.
var program string

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "problems-bolt-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer func() { _ = os.RemoveAll(dir) }()
	program = filepath.Join(dir, "problems")
	if output, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, output)
		return 1
	}
	return m.Run()
}

// call runs the program to its end.
func call(t *testing.T, token string, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), patience)
	defer cancel()
	var out, err bytes.Buffer
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = []string{"HOME=" + t.TempDir(), "PROBLEMS_TOKEN=" + token}
	cmd.Stdout, cmd.Stderr = &out, &err
	_ = cmd.Run() // the exit code is in ProcessState
	if cmd.ProcessState == nil || cmd.ProcessState.ExitCode() < 0 {
		t.Fatalf("problems %q: %v\n%s", args, cmd.ProcessState, &err)
	}
	return out.String(), err.String(), cmd.ProcessState.ExitCode()
}

// must runs the program, which has to succeed, and returns its standard output.
func must(t *testing.T, token string, args ...string) string {
	t.Helper()
	stdout, stderr, code := call(t, token, args...)
	if code != 0 {
		t.Fatalf("problems %q ended with %d\n%s", args, code, stderr)
	}
	return stdout
}

// refuses demands that the program fails, and that its error has a text.
func refuses(t *testing.T, want string, args ...string) {
	t.Helper()
	if stdout, stderr, code := call(t, "", args...); code == 0 || !strings.Contains(stderr, want) {
		t.Errorf("problems %q ended with %d; want an error with %q\n%s%s", args, code, want, stdout, stderr)
	}
}

// service is a running "problems serve".
type service struct {
	url    string
	second string // its second line: a new token, or the command that makes one
	stop   func()
}

// serve starts the program on a store, until the test or stop ends it.
func serve(t *testing.T, store string) service {
	t.Helper()
	cmd := exec.Command(program, "serve", "--store", store, "--listen", "127.0.0.1:0", "--hints", "never")
	cmd.Env = []string{"HOME=" + t.TempDir()}
	var stderr bytes.Buffer // complete once the program has ended
	cmd.Stderr = &stderr
	stdout, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	overdue := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	lines := bufio.NewScanner(stdout)
	listening := lines.Scan() && strings.HasPrefix(lines.Text(), "listening on ")
	s := service{url: strings.TrimPrefix(lines.Text(), "listening on ")}
	if listening && lines.Scan() {
		s.second = lines.Text()
	}
	overdue.Stop()
	s.stop = sync.OnceFunc(func() {
		_ = cmd.Process.Signal(syscall.SIGTERM)
		killing := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
		defer killing.Stop()
		if err := cmd.Wait(); err != nil {
			t.Errorf("the service ended with %v\n%s", err, &stderr)
		}
	})
	t.Cleanup(s.stop)
	if s.second == "" {
		s.stop()
		t.Fatalf("the service printed %q\n%s", lines.Text(), &stderr)
	}
	return s
}

// post sends a request to the service, which has to answer with 201.
func (s service) post(t *testing.T, token, path, body string) {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, s.url+"/api/20151105"+path, strings.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	request.Header.Set("Authorization", token)
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	if text, err := io.ReadAll(response.Body); err != nil || response.StatusCode != http.StatusCreated {
		t.Fatalf("POST %s: %s %s %v", path, response.Status, text, err)
	}
}

func newFile(t *testing.T) string { return "bolt://" + filepath.Join(t.TempDir(), "problems.bolt") }

func TestKindIsComplete(t *testing.T) {
	t.Parallel()
	if _, err := backend.New(kinds()...); err != nil {
		t.Error(err)
	}
}

// TestHTTP holds the program, served from a bbolt file, against a case of each group of the HTTP
// contract. What differs from the program with the stores of this project is the store alone,
// which TestConformance holds against its contract.
func TestHTTP(t *testing.T) {
	t.Parallel()
	s := serve(t, newFile(t))
	httpsuite.Run(t, httpsuite.Target{BaseURL: s.url, AdminToken: s.second}, httpsuite.Options{
		Implementation: report.Implementation{Name: "problems-serve-bolt"},
		Only:           regexp.MustCompile("-001$"),
		Limit:          20 * time.Minute, // on a busy machine
	})
}

// Everything moves from a bbolt file to SQLite and back, through a file and without.
func TestMove(t *testing.T) {
	t.Parallel()
	from, dir := newFile(t), t.TempDir()
	s := serve(t, from)
	for range 3 {
		s.post(t, s.second, "/problems", `{"title":"Umlauts äöü, and 中文","keywords":[]}`)
	}
	s.post(t, s.second, "/problems/1/comments", `{"text":"first"}`)
	s.stop()
	archive, lite := filepath.Join(dir, "all.jsonl"), "sqlite://"+filepath.Join(dir, "lite.db")
	must(t, "", "export", "--store", from, "--to", archive)
	want, err := os.ReadFile(archive)
	if err != nil || bytes.Count(want, []byte(`中文`)) < 3 {
		t.Fatalf("the export is %v\n%s", err, want)
	}
	imported, copied, back := newFile(t), newFile(t), newFile(t)
	must(t, "", "import", "--from", archive, "--store", imported)
	must(t, "", "copy", "--from", from, "--to", lite)
	must(t, "", "copy", "--from", lite, "--to", copied)
	for name, store := range map[string]string{"imported": imported, "copied to SQLite": lite, "copied back": copied} {
		if got := must(t, "", "export", "--store", store); got != string(want) {
			t.Errorf("%s, it is\n%s\nnot\n%s", name, got, want)
		}
	}
	fromLite := filepath.Join(dir, "lite.jsonl")
	must(t, "", "export", "--store", lite, "--to", fromLite)
	must(t, "", "import", "--from", fromLite, "--store", back)
	if got := must(t, "", "export", "--store", back); got != string(want) {
		t.Errorf("imported from SQLite, it is\n%s\nnot\n%s", got, want)
	}
}

// While the service uses the file, commands name the way that is left, and the service
// prints a command that works.
func TestExclusive(t *testing.T) {
	t.Parallel()
	store := newFile(t)
	first := serve(t, store)
	token := first.second
	first.stop()
	later := serve(t, store)
	words := strings.Fields(later.second)
	if len(words) < 3 || words[1] != "token" || !strings.HasSuffix(later.second, " --url "+later.url) {
		t.Fatalf("on a later start the service prints %q", later.second)
	}
	if made := must(t, token, words[1:]...); !strings.HasPrefix(made, "pts_") {
		t.Errorf("%s prints %q", later.second, made)
	}
	refuses(t, "is open elsewhere", "user", "list", "--store", store)
	refuses(t, "or give its address with --url", "user", "list", "--store", store)
	refuses(t, "one process at a time can open it, so stop the service that uses it", "export", "--store", store)
	later.stop()
	var users []struct{ Email string }
	if err := json.Unmarshal([]byte(must(t, "", "user", "list", "--json", "--store", store)), &users); err != nil || len(users) == 0 {
		t.Errorf("once the service has ended, the users are %v, %v", users, err)
	}
}

func TestMisuse(t *testing.T) {
	t.Parallel()
	store := newFile(t)
	refuses(t, `a bbolt file has no parameter "size": the known ones are maxsize`, "serve", "--store", store+"?size=1")
	refuses(t, `maxsize is "much": give a number of bytes`, "serve", "--store", store+"?maxsize=much")
	refuses(t, "there is no store at", "export", "--store", store)
	refuses(t, "a bbolt file has no schema to migrate", "migrate", "--store", store)
	refuses(t, "a bbolt file has no backup of its own", "backup", "--to", "x", "--store", store)
	refuses(t, "--store-pooler is for PostgreSQL", "serve", "--store-pooler", "--store", store)
	help := strings.Join(strings.Fields(must(t, "", "serve", "--help")), " ")
	if !strings.Contains(help, "bolt:relative.db or bolt:///absolute/path.db (maxsize=BYTES bounds it)") {
		t.Errorf("the help is\n%s", help)
	}
	if settings := must(t, "", "config", "--store", store+"?maxsize=1000000"); !strings.Contains(settings, "PROBLEMS_STORE='"+store+"?maxsize=1000000'\n") {
		t.Errorf("the settings are\n%s", settings)
	}
}
