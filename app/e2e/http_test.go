package e2e

import (
	"bytes"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/conformance/httpsuite"
	"github.com/problemtracking/problems/conformance/report"
)

// caseLimit is how long a case may take beside other tests: some open a thousand streams.
const caseLimit = 20 * time.Minute

// TestHTTP holds the assembled server against the HTTP contract, on every adapter. Each
// server has an address of another kind: at the root, below a base path (D34), or behind a
// proxy that strips this path. The race detector watches the server in memory. The other
// servers have problems, users and tokens already, and another client writes to them
// meanwhile. The cases are the same: "make test" runs those on SQLite, "make test-long" the others.
func TestHTTP(t *testing.T) {
	t.Parallel()
	eachAdapter(t, func(t *testing.T, store string) {
		token := newToken(t)
		variables := []string{"PROBLEMS_BOOTSTRAP_TOKEN=" + token}
		if store != "memory:" {
			variables = append(variables, "PROBLEMS_BASE_PATH=/tracker")
		}
		s := serve(t, store, variables...)
		if strings.HasPrefix(store, "postgres") {
			s.url = stripping(t, s.url)
		}
		if store != "memory:" {
			s.as(token).crowd(t, 50) // what counts is how much there is, not where
			quiet := s.as(token).noise(t)
			defer expectNoise(t, quiet)
		}
		var only *regexp.Regexp
		if program(t) == racing {
			only = exactly(withoutLargeBodies()...)
		}
		name := "problems-serve-" + path.Base(t.Name()) // in a report, if one is asked for
		httpsuite.Run(t, httpsuite.Target{BaseURL: s.url, AdminToken: token}, httpsuite.Options{
			Implementation: report.Implementation{Name: name}, Limit: caseLimit, Only: only,
		})
	})
}

// withoutLargeBodies returns the cases without those two whose bodies of many MiB take a
// third of a run with the race detector. Their requests come one after the other.
func withoutLargeBodies() (ids []string) {
	for _, c := range httpsuite.Cases() {
		if c.ID != "HTTP-LIMIT-003" && c.ID != "HTTP-LIMIT-005" {
			ids = append(ids, c.ID)
		}
	}
	return ids
}

// expectNoise ends the writes of the other client, and demands that there were some.
func expectNoise(t *testing.T, quiet func() int64) {
	t.Helper()
	if writes := quiet(); writes < 100 {
		t.Errorf("the other client has made %d writes meanwhile, want 100 at least", writes)
	}
}

// stripping returns the URL of a proxy before a server below a base path. The proxy strips
// this path. Links and locations lead through the proxy again.
func stripping(t *testing.T, server string) string {
	t.Helper()
	behind, err := url.Parse(server)
	if err != nil {
		t.Fatal(err)
	}
	base := behind.Path
	behind.Path = ""
	strip := http.StripPrefix(base, &httputil.ReverseProxy{
		Rewrite: func(r *httputil.ProxyRequest) {
			r.SetURL(behind)
			r.Out.URL.RawQuery = r.In.URL.RawQuery // which the proxy would mend
		},
		ErrorLog: log.New(t.Output(), "proxy: ", 0),
	})
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		// As nginx does, the proxy reads the body first. Otherwise net/http closes it when
		// the answer begins, while ReverseProxy may still look for its end, and then
		// breaks the answer off.
		body, err := io.ReadAll(r.Body)
		if err != nil {
			panic(http.ErrAbortHandler) // the client has gone
		}
		r.Body = io.NopCloser(bytes.NewReader(body))
		strip.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	return proxy.URL + base
}

// TestHTTPCommand runs the program problems-conformance against the program problems. The
// server has hundreds of problems, users and tokens that are not the program's own. The first run
// is of some cases, and leaves what it makes to the second one. That goes through a front as it stands
// before the server of TestHTTPSaboteurs, with the same seed: without a saboteur, all cases
// pass.
func TestHTTPCommand(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	program := filepath.Join(dir, "problems-conformance")
	build := exec.Command("go", "build", "-o", program, "github.com/problemtracking/problems/conformance/cmd/problems-conformance")
	if output, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, output)
	}
	token := newToken(t)
	s := serve(t, "memory:", "PROBLEMS_BOOTSTRAP_TOKEN="+token, fewStreams)
	run := func(code int, args ...string) string {
		t.Helper()
		cmd := exec.CommandContext(t.Context(), program, args...)
		cmd.Env = environment(t, "PROBLEMS_TOKEN="+token)
		output, _ := cmd.CombinedOutput() // the exit code is in ProcessState
		if cmd.ProcessState.ExitCode() != code || strings.Contains(string(output), token) {
			t.Fatalf("%v ended with %d, want %d, or shows the token\n%s", args, cmd.ProcessState.ExitCode(), code, output)
		}
		return string(output)
	}
	s.as(token).crowd(t, 200)
	folder := filepath.Join(dir, "report")
	selection := slices.DeleteFunc(withoutLargeBodies(), func(id string) bool { return !strings.HasSuffix(id, "-002") })
	for _, c := range []struct {
		code int
		args []string
		want string
	}{
		{2, []string{"--url", s.url, "--only", exactly(selection...).String()}, fmt.Sprintf("of which %d passed", len(selection))},
		{0, []string{"--url", front(t, s.real()), "--seed", fmt.Sprint(saboteurSeed)}, fmt.Sprintf("all %d cases that apply passed", len(httpsuite.Cases()))},
	} {
		output := run(c.code, append([]string{"http", "--report", folder, "--name", "problems", "--version", "e2e"}, c.args...)...)
		if !strings.Contains(output, c.want) {
			t.Errorf("the command says\n%s\nwant %q", output, c.want)
		}
	}
	for _, name := range []string{report.JSONFile, report.PageFile} {
		text, err := os.ReadFile(filepath.Join(folder, name))
		if err != nil || len(text) == 0 || strings.Contains(string(text), token) {
			t.Errorf("%s: %v, %d bytes, or the token is in it", name, err, len(text))
		}
	}
	run(2, "http", "--url", s.url+"/nowhere")
	if list := run(0, "cases", "--suite", "http"); strings.Count(list, "\nHTTP-") < len(httpsuite.Cases())-1 {
		t.Errorf("the list of cases is\n%s", list)
	}
}
