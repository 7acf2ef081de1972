package clients

import (
	"crypto/rand"
	"encoding/json"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/httpapi"
	"github.com/problemtracking/problems/adapters/memory"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/usecases"
)

// serve starts a service with an empty store. It returns its address and the token of
// its administrator.
func serve(t *testing.T) (url, token string) {
	t.Helper()
	inMemory, err := memory.Open(t.Context(), memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	service := usecases.New(tracker.Options{Store: inMemory, Now: time.Now, Random: rand.Reader, Limits: tracker.DefaultLimits()}, nil)
	secret, err := service.NewSecret()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := service.Seed(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	handler, err := httpapi.New(httpapi.Options{
		Service:      service,
		Limits:       httpapi.DefaultLimits(),
		Version:      "test",
		Logger:       slog.New(slog.NewTextHandler(t.Output(), nil)),
		NewRequestID: rand.Text,
		Now:          time.Now,
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL, secret.Reveal()
}

// download writes the OpenAPI document of the server to a file.
func download(t *testing.T, url, file string) {
	t.Helper()
	response, err := http.Get(url + "/openapi.json")
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	document, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("openapi.json: status %d, %v", response.StatusCode, err)
	}
	if err := os.WriteFile(file, document, 0o600); err != nil {
		t.Fatal(err)
	}
}

// command is a command outside of the workspace, as in every other module.
func command(t *testing.T, dir, name string, args ...string) *exec.Cmd {
	c := exec.CommandContext(t.Context(), name, args...)
	c.Dir = dir
	c.Env = append(os.Environ(), "GOWORK=off")
	return c
}

// run runs a command, which has to succeed, and returns what it prints.
func run(t *testing.T, c *exec.Cmd) string {
	t.Helper()
	var errors strings.Builder
	c.Stderr = &errors
	printed, err := c.Output()
	if err != nil {
		t.Fatalf("%s: %v\n%s%s", strings.Join(c.Args, " "), err, printed, errors.String())
	}
	return string(printed)
}

func TestGo(t *testing.T) {
	t.Parallel()
	url, token := serve(t)
	dir := t.TempDir()
	document, generated := filepath.Join(dir, "openapi.json"), filepath.Join(dir, "client.go")
	download(t, url, document)
	run(t, command(t, "", "go", "tool", "oapi-codegen", "-generate", "types,client", "-package", "client", "-o", generated, document))

	// The client is compiled as a package of this module, which it is not in.
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	overlay, err := json.Marshal(map[string]any{"Replace": map[string]string{
		filepath.Join(here, "testdata", "client", "client.go"): generated,
	}})
	if err != nil {
		t.Fatal(err)
	}
	overlayFile, consumer := filepath.Join(dir, "overlay.json"), filepath.Join(dir, "consumer")
	if err := os.WriteFile(overlayFile, overlay, 0o600); err != nil {
		t.Fatal(err)
	}
	run(t, command(t, "", "go", "build", "-overlay", overlayFile, "-o", consumer, "./testdata/consumer"))

	use := command(t, "", consumer)
	use.Env = append(use.Env, "PROBLEMS_URL="+url, "PROBLEMS_TOKEN="+token)
	want := `me: admin@localhost true
created: 1 Generated High true
comment: By a generated client.
keyword: room/1 kitchen
loaded: Generated Open 3
log: ProblemCreated
log: CommentAdded
log: KeywordSet
updated: Generated and edited High 1
found: 1 1
missing: /errors/problem-not-found
`
	if got := run(t, use); got != want {
		t.Errorf("the client prints\n%snot\n%s", got, want)
	}
}

// Whatever registry packages come from, they are those of the lock file: it has a
// checksum of each, and names no registry.
func TestLockFile(t *testing.T) {
	t.Parallel()
	content, err := os.ReadFile(filepath.Join("testdata", "typescript", "package-lock.json"))
	if err != nil {
		t.Fatal(err)
	}
	var lock struct {
		Packages map[string]struct{ Version, Integrity, Resolved string }
	}
	if err := json.Unmarshal(content, &lock); err != nil {
		t.Fatal(err)
	}
	delete(lock.Packages, "") // the folder itself
	if len(lock.Packages) < 2 {
		t.Errorf("the lock file has %d packages", len(lock.Packages))
	}
	for path, p := range lock.Packages {
		if p.Version == "" || !strings.HasPrefix(p.Integrity, "sha512-") || p.Resolved != "" {
			t.Errorf("%s: the lock file has %+v, want a version, a SHA-512 and no registry", path, p)
		}
	}
}

func TestTypeScript(t *testing.T) {
	t.Parallel()
	if _, err := exec.LookPath("npm"); err != nil {
		t.Fatal(`this test needs npm, with Node.js 18.17 or newer: "make deps" installs it on Debian as root; elsewhere see https://nodejs.org`)
	}
	url, _ := serve(t)
	dir := t.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join("testdata", "typescript"))); err != nil {
		t.Fatal(err)
	}
	download(t, url, filepath.Join(dir, "openapi.json"))
	run(t, command(t, dir, "npm", "ci", "--prefer-offline", "--no-progress"))
	modules := filepath.Join(dir, "node_modules", ".bin")
	run(t, command(t, dir, filepath.Join(modules, "openapi-typescript"), "openapi.json", "--output", "problems.ts"))
	run(t, command(t, dir, filepath.Join(modules, "tsc"), "--project", "."))
}
