package scaffold_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/problemtracking/problems/conformance/internal/scaffold"
	"github.com/problemtracking/problems/conformance/report"
)

// repository is where this clone is, seen from here.
const repository = "../../.."

func TestScaffoldCompilesAndFailsInSentences(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-long runs it")
	}
	t.Parallel()
	dir, err := scaffold.Write(scaffold.Options{
		Module: "example.org/stores/go-my.store/v2", Dir: filepath.Join(t.TempDir(), "new", "store"), Local: repository,
	})
	if err != nil {
		t.Fatal(err)
	}
	mustGo(t, dir, "mod", "tidy")
	mustGo(t, dir, "vet", "./...")
	out, err := run(dir, "go", "test", ".", "-conformance.report", "report")
	if err == nil {
		t.Fatalf("an adapter that does nothing passes:\n%s", out)
	}
	r := readReport(t, filepath.Join(dir, "report", "mystore", report.JSONFile), out)
	for _, c := range r.Cases {
		switch {
		case c.Status == report.Broken:
			t.Errorf("the harness let %s down: %s", c.ID, c.Failure)
		case strings.Contains(c.Failure, "panic"), strings.Contains(c.Failure, "did not end"):
			t.Errorf("%s does not fail with a sentence: %s", c.ID, c.Failure)
		case c.Status == report.Failed && !strings.Contains(c.Failure, "not written yet"):
			t.Errorf("%s does not say what is not written yet: %s", c.ID, c.Failure)
		}
	}
	if c := r.Count(report.Core); c.Failed < 100 {
		t.Errorf("%d core cases fail where nothing is written; want nearly all of %d", c.Failed, c.Total())
	}
	todo, err := os.ReadFile(filepath.Join(dir, "TODO.md"))
	if err != nil {
		t.Fatal(err)
	}
	listsWhatConcerns(t, string(todo), r)
}

// listsWhatConcerns fails the test unless the list has every case of the report
// once, but none that is waived.
func listsWhatConcerns(t *testing.T, todo string, r *report.Report) {
	t.Helper()
	for _, c := range r.Cases {
		want := 1
		if c.Waived {
			want = 0
		}
		if got := strings.Count(todo, "`"+c.ID+"`"); got != want {
			t.Errorf("the list names %s %d times; want %d", c.ID, got, want)
		}
	}
}

func readReport(t *testing.T, path, otherwise string) *report.Report {
	t.Helper()
	f, err := os.Open(path)
	if err != nil {
		t.Fatalf("there is no report: %v\n%s", err, otherwise)
	}
	defer func() { _ = f.Close() }()
	r, err := report.Read(f)
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// run runs a program in a directory, as on a machine without a workspace.
func run(dir, name string, args ...string) (output string, err error) {
	cmd := exec.Command(name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOWORK=off", "GOFLAGS=-trimpath", "PWD="+dir)
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func mustGo(t *testing.T, dir string, args ...string) {
	t.Helper()
	if out, err := run(dir, "go", args...); err != nil {
		t.Fatalf("go %s: %v\n%s", strings.Join(args, " "), err, out)
	}
}

func TestWriteRefuses(t *testing.T) {
	t.Parallel()
	full := t.TempDir()
	if err := os.WriteFile(filepath.Join(full, "precious"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name string
		o    scaffold.Options
		want string
	}{
		{"no module", scaffold.Options{}, "there is no module path"},
		{"no domain", scaffold.Options{Module: "mystore"}, `begins with "mystore" where a domain`},
		{"upper case in the domain", scaffold.Options{Module: "Example.org/mystore"}, "a domain in lower case"},
		{"a scheme", scaffold.Options{Module: "https://example.org/mystore"}, `begins with "https:"`},
		{"an empty element", scaffold.Options{Module: "example.org//mystore"}, `"" is none of its elements`},
		{"a space", scaffold.Options{Module: "example.org/my store"}, `"my store" is none of its elements`},
		{"up and away", scaffold.Options{Module: "example.org/../mystore"}, `".." is none of its elements`},
		{"a dot at the end", scaffold.Options{Module: "example.org/mystore."}, `"mystore." is none of its elements`},
		{"version 1", scaffold.Options{Module: "example.org/mystore/v1"}, "from v2 on"},
		{"version 0", scaffold.Options{Module: "example.org/mystore/v0"}, "from v2 on"},
		{"no name to be had", scaffold.Options{Module: "example.org/1-2"}, `"12" is no name for a package`},
		{"a keyword", scaffold.Options{Module: "example.org/range"}, `"range" is no name for a package`},
		{"a path as name", scaffold.Options{Module: "example.org/mystore", Name: "../up"}, `"../up" is no name for a package`},
		{"a name in use", scaffold.Options{Module: "example.org/store"}, "choose another with --name"},
		{"a full directory", scaffold.Options{Module: "example.org/mystore", Dir: full}, "is not empty: it has precious"},
		{"a file", scaffold.Options{Module: "example.org/mystore", Dir: filepath.Join(full, "precious")}, "cannot take a new module"},
		{"no clone", scaffold.Options{Module: "example.org/mystore", Dir: filepath.Join(full, "new"), Local: full}, "is no clone of the repository"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			if _, err := scaffold.Write(c.o); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("Write fails with %v; want %q in it", err, c.want)
			}
		})
	}
	t.Cleanup(func() { // after the subtests
		if left, err := os.ReadDir(full); err != nil || len(left) != 1 {
			t.Errorf("what was refused left %v behind: %v", left, err)
		}
	})
}

func TestWriteWithoutAClone(t *testing.T) {
	t.Parallel()
	dir, err := scaffold.Write(scaffold.Options{Module: "example.org/mystore", Name: "mine", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	if strings.Contains(string(written), "replace") {
		t.Errorf("go.mod replaces what is published:\n%s", written)
	}
	released := ""
	for _, module := range []string{"conformance", "domain"} {
		require := regexp.MustCompile(`(?m)^\tgithub\.com/problemtracking/problems/` + module + ` (v\S+)$`).FindStringSubmatch(string(written))
		if require == nil || released != "" && require[1] != released {
			t.Fatalf("go.mod requires %s at %q; want one release for all modules, %s:\n%s", module, require, released, written)
		}
		released = require[1]
	}
	source, err := os.ReadFile(filepath.Join(dir, "store.go"))
	if err != nil || !strings.Contains(string(source), "\npackage mine\n") {
		t.Errorf("store.go is not of the package mine: %v", err)
	}
}

func TestDomainVersionIsThatOfTheSuite(t *testing.T) {
	t.Parallel()
	suite, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	dir, err := scaffold.Write(scaffold.Options{Module: "example.org/mystore", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	written, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	form := regexp.MustCompile(`problems/domain v\S+`)
	if want, got := form.FindString(string(suite)), form.FindString(string(written)); got != want || got == "" {
		t.Errorf("a new module requires %q; want what the suite requires, %q", got, want)
	}
}
