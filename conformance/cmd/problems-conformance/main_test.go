package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/problemtracking/problems/conformance/httpsuite"
	"github.com/problemtracking/problems/conformance/report"
	"github.com/problemtracking/problems/domain/rules"
)

const anyToken = "pts_0123456789012345678901234567890123456789012345678"

// ran runs the program and returns its exit code and what it printed.
func ran(ctx context.Context, terminal bool, env map[string]string, args ...string) (code int, stdout, stderr string) {
	var out, err bytes.Buffer
	code = start(ctx, program{args: args, stdout: &out, stderr: &err, terminal: terminal, env: func(name string) string { return env[name] }})
	return code, out.String(), err.String()
}

func server(t *testing.T, h http.HandlerFunc) string {
	s := httptest.NewServer(h)
	t.Cleanup(s.Close)
	return s.URL
}

// hollow answers what is asked before the first case, and all else with 404.
func hollow(w http.ResponseWriter, r *http.Request) {
	answer := map[string]string{"GET /me": `{"scope":"admin"}`, "POST /users": `{"identifier":"u1"}`,
		"POST /tokens": `{"token":"` + anyToken + `"}`, "POST /problems": `{"identifier":1}`}[r.Method+" "+strings.TrimPrefix(r.URL.Path, "/api/20151105")]
	if answer == "" {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(map[string]int{"GET": 200, "POST": 201}[r.Method])
	fmt.Fprint(w, answer)
}

func TestUsage(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		args           []string
		code           int
		stdout, stderr string // to be in it
	}{
		"nothing":        {nil, 2, "", "Commands:"},
		"help":           {[]string{"--help"}, 0, "Exit codes:", ""},
		"unknown":        {[]string{"htpp"}, 2, "", `no command "htpp"`},
		"help of http":   {[]string{"http", "--help"}, 0, "PROBLEMS_TOKEN", ""},
		"no URL":         {[]string{"http"}, 2, "", "--url is missing"},
		"no token":       {[]string{"http", "--url", "http://localhost"}, 2, "", "there is no token"},
		"unknown flag":   {[]string{"http", "--uri", "x"}, 2, "", "see problems-conformance http --help"},
		"argument":       {[]string{"http", "x"}, 2, "", `"x" is no flag`},
		"bad expression": {[]string{"http", "--url", "http://localhost", "--token", "x", "--only", "("}, 2, "", "--only"},
		"bad number":     {[]string{"http", "--url", "http://localhost", "--token", "x", "--parallel", "0"}, 2, "", "--parallel is 0"},
		"bad URL":        {[]string{"http", "--url", "localhost:8080", "--token", "x"}, 2, "http:// or https:// is missing", ""},
		"no case":        {[]string{"http", "--url", "http://localhost", "--token", "x", "--only", "NOTHING"}, 2, "", `no case matches --only "NOTHING"`},
		"no core case":   {[]string{"http", "--url", "http://localhost", "--token", "x", "--only", "HTTP-W1-001", "--core"}, 2, "", "among the core cases"},
		"version":        {[]string{"version"}, 0, "problems-conformance " + httpsuite.Version(), ""},
		"unknown suite":  {[]string{"cases", "--suite", "x"}, 2, "", `there is no suite "x"`},
		"cases":          {[]string{"cases"}, 0, "COM-001", ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			code, stdout, stderr := ran(t.Context(), false, nil, test.args...)
			if code != test.code || !strings.Contains(stdout, test.stdout) || !strings.Contains(stderr, test.stderr) {
				t.Errorf("the exit code is %d, want %d\nstandard output: %s\nstandard error: %s", code, test.code, stdout, stderr)
			}
		})
	}
}

func TestListHasAllCases(t *testing.T) {
	t.Parallel()
	_, list, _ := ran(t.Context(), false, nil, "cases")
	for _, c := range append(storeCases(), httpCases()...) {
		if c.level == "" || c.profile == "" || c.source == "" || !strings.Contains(list, c.rule) || !strings.Contains(list, c.id+" ") {
			t.Errorf("%s is not listed, or not as a whole", c.id)
		}
		if len(rules.Links(c.source)) == 0 {
			t.Errorf("%s has a source without a page: %q", c.id, c.source)
		}
	}
}

func TestNothingThere(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "report")
	code, stdout, stderr := ran(t.Context(), false, map[string]string{"PROBLEMS_TOKEN": anyToken}, "http", "--url", server(t, http.NotFound), "--report", dir)
	if code != 2 || !strings.Contains(stdout, "HTTP-PROBE") || strings.Contains(stdout+stderr, anyToken) {
		t.Errorf("the exit code is %d, want 2\n%s%s", code, stdout, stderr)
	}
	if r := reported(t, dir); r.Result != report.Incomplete {
		t.Errorf("the report says %s", r.Result)
	}
}

func TestHollowServer(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	code, stdout, stderr := ran(t.Context(), true, nil, "http", "--url", server(t, hollow), "--token", anyToken, "--report", dir, "--name", "hollow", "--version", "0")
	if code != 1 || strings.Contains(stdout+stderr, anyToken) || !strings.Contains(stdout, "FAILED HTTP-R1-002") || !strings.Contains(stdout, "hollow") {
		t.Errorf("the exit code is %d, want 1\n%.3000s", code, stdout)
	}
	if !strings.Contains(stderr, " of ") {
		t.Errorf("a terminal is told %q of the progress", stderr)
	}
	if r := reported(t, dir); r.Result != report.NotConformant || r.Implementation.Name != "hollow" || r.Implementation.Version != "0" {
		t.Errorf("the report is of %+v and says %s", r.Implementation, r.Result)
	}
}

func TestNoCaseIsNoRun(t *testing.T) {
	t.Parallel()
	url := server(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("the server is asked for %s", r.URL) })
	code, stdout, stderr := ran(t.Context(), false, nil, "http", "--url", url, "--token", anyToken, "--only", "NOTHING")
	if code != 2 || !strings.Contains(stderr, "no case matches") {
		t.Errorf("the exit code is %d, want 2\n%s%s", code, stdout, stderr)
	}
}

func TestSignalEndsTheRun(t *testing.T) {
	t.Parallel()
	ctx, signal := context.WithCancel(t.Context())
	defer signal()
	url := server(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "/keywords/") {
			signal()
		}
		hollow(w, r)
	})
	dir := t.TempDir()
	code, stdout, stderr := ran(ctx, false, nil, "http", "--url", url, "--token", anyToken, "--report", dir, "--only", "^HTTP-(W4-00|FLAG-00)", "--core", "--parallel", "1", "-v")
	if code == 0 || !strings.Contains(stderr, "/") {
		t.Errorf("the exit code is %d\n%s%s", code, stdout, stderr)
	}
	ended := 0
	for _, c := range reported(t, dir).Cases {
		if strings.Contains(c.Reason, "the run was ended") {
			ended++
		}
	}
	if ended == 0 {
		t.Errorf("no case says that the run was ended\n%s", stdout)
	}
}

func TestReportThatCannotBeWritten(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	url := server(t, func(_ http.ResponseWriter, r *http.Request) { t.Errorf("the server is asked for %s", r.URL) })
	code, _, stderr := ran(t.Context(), false, nil, "http", "--url", url, "--token", anyToken, "--report", file)
	if code != 2 || !strings.Contains(stderr, "the report could not be written") {
		t.Errorf("the exit code is %d\n%s", code, stderr)
	}
}

// An earlier report is gone when the run begins.
func TestEarlierReportIsRemoved(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), report.JSONFile)
	if err := os.WriteFile(path, []byte("earlier"), 0o600); err != nil {
		t.Fatal(err)
	}
	url := server(t, func(w http.ResponseWriter, r *http.Request) {
		if _, err := os.Stat(path); !os.IsNotExist(err) {
			t.Errorf("the earlier report is there while the run goes on: %v", err)
		}
		http.NotFound(w, r)
	})
	if code, _, stderr := ran(t.Context(), false, nil, "http", "--url", url, "--token", anyToken, "--report", filepath.Dir(path)); code != 2 {
		t.Errorf("the exit code is %d, want 2\n%s", code, stderr)
	}
	if r := reported(t, filepath.Dir(path)); r.Result != report.Incomplete {
		t.Errorf("the report says %s", r.Result)
	}
}

// reported reads report.json.
func reported(t *testing.T, dir string) (r report.Report) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, report.JSONFile))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(text), anyToken) {
		t.Error("the report shows the token")
	}
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	return r
}
