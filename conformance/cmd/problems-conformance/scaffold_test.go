package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/conformance/report"
)

// call runs the program and returns what it printed.
func call(t *testing.T, args ...string) (stdout, stderr string, code int) {
	t.Helper()
	var out, err bytes.Buffer
	code = start(t.Context(), program{
		args: args, stdout: &out, stderr: &err, env: func(string) string { return "" },
	})
	return out.String(), err.String(), code
}

func TestScaffold(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "mystore")
	stdout, stderr, code := call(t, "scaffold", "--module", "example.org/mystore", "--dir", dir)
	if code != exitConformant || stderr != "" || !strings.Contains(stdout, "example.org/mystore is in "+dir) {
		t.Errorf("it ended with %d and said:\n%s%s", code, stdout, stderr)
	}
	for _, name := range []string{"go.mod", "store.go", "conformance_test.go", "TODO.md", "README.md"} {
		if info, err := os.Stat(filepath.Join(dir, name)); err != nil || info.Size() == 0 {
			t.Errorf("%s was not written: %v", name, err)
		}
	}
	stdout, stderr, code = call(t, "scaffold", "--module", "example.org/mystore", "--dir", dir)
	if code != exitUnknown || stdout != "" || !strings.Contains(stderr, "is not empty") {
		t.Errorf("the second time it ended with %d and said:\n%s%s", code, stdout, stderr)
	}
	stdout, stderr, code = call(t, "scaffold", "--program", "--dir", dir)
	if code != exitConformant || stderr != "" || !strings.Contains(stdout, "The program is in cmd/problems-mystore.") {
		t.Errorf("with --program it ended with %d and said:\n%s%s", code, stdout, stderr)
	}
	if info, err := os.Stat(filepath.Join(dir, "cmd", "problems-mystore", "main.go")); err != nil || info.Size() == 0 {
		t.Errorf("the program was not written: %v", err)
	}
}

func TestScaffoldMisused(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		args []string
		want string
	}{
		{[]string{"scaffold"}, "there is no module path"},
		{[]string{"scaffold", "example.org/mystore"}, `"example.org/mystore" is no flag`},
		{[]string{"scaffold", "--module", "mystore"}, "is no module path"},
		{[]string{"scaffold", "--program", "--module", "example.org/mystore"}, "leave out --module and --name"},
		{[]string{"scaffold", "--program", "--dir", t.TempDir()}, "there is no module of an adapter"},
		{[]string{"todo"}, "--report is missing"},
		{[]string{"todo", "--report", filepath.Join(t.TempDir(), "none")}, filepath.Join("none", report.JSONFile)},
	} {
		stdout, stderr, code := call(t, c.args...)
		if code != exitUnknown || stdout != "" || !strings.Contains(stderr, c.want) {
			t.Errorf("%q ended with %d and said %q; want %d and %q", c.args, code, stdout+stderr, exitUnknown, c.want)
		}
	}
}

func TestTodo(t *testing.T) {
	t.Parallel()
	r := &report.Report{
		Suite:          report.Suite{Name: "store"},
		Implementation: report.Implementation{Name: "mystore"},
		Started:        time.UnixMilli(0),
		Capabilities:   map[string]string{"durable": "no", "shared": "no"},
		Cases: []report.Case{
			{ID: "READ-002", Level: report.Core, Status: report.Passed},
			{ID: "CLOSE-003", Level: report.Core, Status: report.Failed},
		},
	}
	r.Conclude()
	dir := t.TempDir()
	if err := report.Write(dir, r); err != nil {
		t.Fatal(err)
	}
	stdout, stderr, code := call(t, "todo", "--report", dir)
	if code != exitConformant || stderr != "" {
		t.Fatalf("it ended with %d and said %q", code, stderr)
	}
	for _, want := range []string{"# What mystore has to do", "- [x] `READ-002` ", "- [ ] `CLOSE-003` "} {
		if !strings.Contains(stdout, want) {
			t.Errorf("the list has no %q:\n%s", want, stdout)
		}
	}
	if strings.Contains(stdout, "`ID-002`") {
		t.Error("the list has cases of durable stores")
	}
}
