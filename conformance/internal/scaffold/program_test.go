package scaffold_test

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/problemtracking/problems/conformance/internal/scaffold"
)

// adapter writes the module of an adapter and returns its directory.
func adapter(t *testing.T) string {
	t.Helper()
	dir, err := scaffold.Write(scaffold.Options{Module: "example.org/stores/go-my.store/v2", Dir: filepath.Join(t.TempDir(), "store"), Local: repository})
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

// The program that is written builds, has the kind of store, and says what the adapter
// says.
func TestProgramBuilds(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-long runs it")
	}
	t.Parallel()
	dir := adapter(t)
	written, err := scaffold.WriteProgram(scaffold.ProgramOptions{Dir: dir, Local: repository})
	if err != nil {
		t.Fatal(err)
	}
	if want := "cmd/problems-mystore"; written != want {
		t.Errorf("the program is in %q; want %q", written, want)
	}
	mustGo(t, dir, "mod", "tidy")
	mustGo(t, dir, "vet", "./...")
	mustGo(t, dir, "test", "./cmd/...")
	if out, err := run(dir, "gofmt", "-l", "cmd"); err != nil || out != "" {
		t.Errorf("gofmt would change %s (%v)", out, err)
	}
	program := filepath.Join(t.TempDir(), "problems")
	mustGo(t, dir, "build", "-o", program, "./"+written)
	help, err := run(dir, program, "serve", "--help")
	if err != nil || !strings.Contains(strings.Join(strings.Fields(help), " "), "mystore:relative.db or mystore:///absolute/path.db") {
		t.Errorf("the help (%v) is\n%s", err, help)
	}
	data := filepath.Join(t.TempDir(), "data")
	out, err := run(dir, program, "serve", "--listen=127.0.0.1:0", "--store=mystore://"+data)
	if err == nil || !strings.Contains(out, "is not written yet") {
		t.Errorf("on an adapter that does nothing yet, serve ends with %v\n%s", err, out)
	}
	if info, err := os.Stat(data); err != nil || info.Mode().Perm() != 0o700 {
		t.Errorf("the directory of the data is %v, %v", info, err)
	}
	out, err = run(dir, program, "export", "--store=mystore://"+data+"2")
	if err == nil || !strings.Contains(out, "there is no store at "+data+"2") {
		t.Errorf("without a store, export ends with %v\n%s", err, out)
	}
}

// Nothing is written twice, and nothing where there is no adapter.
func TestWriteProgramRefuses(t *testing.T) {
	t.Parallel()
	dir := adapter(t)
	if _, err := scaffold.WriteProgram(scaffold.ProgramOptions{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	module, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	write := func(files map[string]string) string {
		dir := t.TempDir()
		for name, text := range files {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		return dir
	}
	const header = "module example.org/x\n"
	for name, c := range map[string]struct{ dir, local, want string }{
		"twice":       {dir, "", "there is a program already"},
		"no module":   {t.TempDir(), "", "there is no module of an adapter"},
		"no name":     {write(map[string]string{"go.mod": "go 1.26\n"}), "", "there is no module path"},
		"no package":  {write(map[string]string{"go.mod": header, "x_test.go": "package x\n"}), "", "has no package of an adapter"},
		"a program":   {write(map[string]string{"go.mod": header, "x.go": "package main\n"}), "", "the package main cannot be an adapter"},
		"no Go":       {write(map[string]string{"go.mod": header, "x.go": "adapter x\n"}), "", "expected 'package'"},
		"underscores": {write(map[string]string{"go.mod": header, "x.go": "package my_store\n"}), "", "want lower-case letters and digits"},
		"no clone":    {write(map[string]string{"go.mod": header, "x.go": "package x\n"}), t.TempDir(), "is no clone of the repository"},
	} {
		if _, err := scaffold.WriteProgram(scaffold.ProgramOptions{Dir: c.dir, Local: c.local}); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: WriteProgram fails with %v; want %q in it", name, err, c.want)
		}
		if left, err := os.Stat(filepath.Join(c.dir, "cmd")); c.dir != dir && err == nil {
			t.Errorf("%s: what was refused left %s behind", name, left.Name())
		}
	}
	if again, err := os.ReadFile(filepath.Join(dir, "go.mod")); err != nil || string(again) != string(module) {
		t.Errorf("what was refused has changed go.mod to\n%s", again)
	}
}

// Without a clone, the program requires what is published, in the version of the
// example outside of the tree.
func TestProgramWithoutAClone(t *testing.T) {
	t.Parallel()
	dir, err := scaffold.Write(scaffold.Options{Module: "example.org/mystore", Dir: t.TempDir()})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := scaffold.WriteProgram(scaffold.ProgramOptions{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	got, err := os.ReadFile(filepath.Join(dir, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	example, err := os.ReadFile(filepath.Join(repository, "conformance/examples/outoftree/go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	want := regexp.MustCompile(`github.com/problemtracking/problems/app v\S+`).FindString(string(example))
	if want == "" || !strings.Contains(string(got), "\nrequire "+want+"\n") || strings.Contains(string(got), "replace") {
		t.Errorf("go.mod has no %q, or replaces something:\n%s", want, got)
	}
}
