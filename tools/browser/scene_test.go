package browser

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/tools/launch"
)

var (
	folder  string // for the files of all tests
	program string // the binary under test
	shared  *Browser
)

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	dir, err := os.MkdirTemp("", "problems-browser-")
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(dir)
	if err := os.Chmod(dir, 0o711); err != nil { // PostgreSQL runs as another user
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	folder = dir
	program = filepath.Join(dir, "problems")
	build := exec.Command("go", "build", "-o", program, "./cmd/problems")
	build.Dir = filepath.Join("..", "..", "app")
	if output, err := build.CombinedOutput(); err != nil {
		fmt.Fprintf(os.Stderr, "go build: %v\n%s", err, output)
		return 1
	}
	if shared, err = Start(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer shared.Close()
	defer func() {
		if whole != nil {
			whole.Close()
		}
	}()
	return m.Run()
}

// whole is Chromium as people have it; nil until a test has started it.
var (
	whole      *Browser
	startWhole = sync.OnceValue(func() (err error) {
		whole, err = StartWhole(context.Background())
		return err
	})
)

// openWhole is open, with people at the whole browser.
func openWhole(t testing.TB, store string, variables ...string) *scene {
	t.Helper()
	s := open(t, store, variables...)
	if err := startWhole(); err != nil {
		t.Fatal(err)
	}
	s.browser = whole
	return s
}

// checks returns the source of axe-core, of the version in the lock file.
var checks = sync.OnceValues(func() (string, error) {
	if _, err := exec.LookPath("npm"); err != nil {
		return "", fmt.Errorf(`this test needs npm: "make deps" installs it on Debian as root; elsewhere see https://nodejs.org`)
	}
	dir, err := os.MkdirTemp("", "problems-axe-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "axe"))); err != nil {
		return "", err
	}
	install := exec.Command("npm", "ci", "--prefer-offline", "--no-progress")
	install.Dir = dir
	if output, err := install.CombinedOutput(); err != nil {
		return "", fmt.Errorf("npm ci: %w\n%s", err, output)
	}
	source, err := os.ReadFile(filepath.Join(dir, "node_modules", "axe-core", "axe.min.js"))
	return string(source), err
})

// scene is a service with one team in it.
type scene struct {
	testing.TB
	browser *Browser
	url     string
	token   string
}

func newSecret() access.Secret {
	var random [32]byte
	_, _ = rand.Read(random[:]) // never fails
	return access.NewSecret(random)
}

// open starts the program on a store.
func open(t testing.TB, store string, variables ...string) *scene {
	t.Helper()
	p := launch.Program{Path: program, Home: t.TempDir(), Logs: filepath.Join(t.TempDir(), "log")}
	secret := newSecret().Reveal()
	server, err := p.Serve(t.Context(), store, append(variables, "PROBLEMS_BOOTSTRAP_TOKEN="+secret)...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := server.Stop(); err != nil {
			t.Error(err)
		}
	})
	return &scene{t, shared, server.URL, secret}
}

// api calls the API and decodes the answer.
func (s *scene) api(method, path string, body any) map[string]any {
	s.Helper()
	status, text := s.call(method, path, body)
	if status >= 300 {
		s.Fatalf("%s %s: %d %s", method, path, status, text)
	}
	var object map[string]any
	_ = json.Unmarshal(text, &object) // some answers are lists, or empty
	return object
}

// call calls the API and returns the answer, whatever its status.
func (s *scene) call(method, path string, body any) (status int, text []byte) {
	s.Helper()
	var sent bytes.Buffer
	if body != nil {
		if err := json.NewEncoder(&sent).Encode(body); err != nil {
			s.Fatal(err)
		}
	}
	r, err := http.NewRequest(method, s.url+"/api/20151105"+path, &sent)
	if err != nil {
		s.Fatal(err)
	}
	r.Header.Set("Authorization", s.token)
	r.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		s.Fatal(err)
	}
	defer response.Body.Close()
	if text, err = io.ReadAll(response.Body); err != nil {
		s.Fatal(err)
	}
	return response.StatusCode, text
}

// member creates a user and returns a token of the user.
func (s *scene) member(name string) string {
	s.Helper()
	s.api("POST", "/users", map[string]any{"name": name, "email": strings.ToLower(name) + "@example.org"})
	return s.api("POST", "/tokens", map[string]any{"user": map[string]any{"name": name}, "scope": "write"})["token"].(string)
}

// person is somebody at a browser. Every step fails the test when it does.
type person struct {
	*scene
	*Tab
}

func (s *scene) person() *person {
	s.Helper()
	tab, err := s.browser.Tab(s.url)
	if err != nil {
		s.Fatal(err)
	}
	s.Cleanup(tab.Close)
	return &person{s, tab}
}

// signedIn returns somebody who has signed in with a token.
func (s *scene) signedIn(token string) *person {
	s.Helper()
	p := s.person()
	p.must(p.Open("/"), p.Shows("Token"), p.Type("input[name=token]", token), p.Click("main button"), p.Shows("All open"))
	return p
}

func (p *person) must(steps ...error) {
	p.Helper()
	for i, err := range steps {
		if err != nil {
			p.Fatalf("step %d: %v", i+1, err)
		}
	}
}

// clean checks that nothing went wrong in any page so far.
func (p *person) clean() {
	p.Helper()
	if failures := p.Failures(); len(failures) > 0 {
		p.Fatalf("the pages have failures:\n%s", strings.Join(failures, "\n"))
	}
}
