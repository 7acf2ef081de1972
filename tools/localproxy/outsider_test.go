package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// root is the directory of go.work.
const root = "../.."

// outsider is a machine that knows nothing of this tree but the proxy made of it:
// no workspace, no replace directive, and a module cache of its own.
type outsider struct {
	*testing.T
	env []string
}

func newOutsider(t *testing.T) *outsider {
	dir := t.TempDir()
	proxy := filepath.Join(dir, "proxy")
	if _, err := publish(root, proxy); err != nil {
		t.Fatalf("the proxy cannot be made: %v", err)
	}
	o := &outsider{T: t}
	// What others have published was downloaded here already.
	downloads := filepath.Join(o.setting("GOMODCACHE"), "cache", "download")
	if _, err := os.Stat(downloads); err != nil {
		t.Fatalf("this test takes what others have published from the module cache, which is not there (%v): run \"make build\" first", err)
	}
	o.env = append(os.Environ(),
		"GOWORK=off",
		"GOTOOLCHAIN=local",
		"GOMODCACHE="+filepath.Join(dir, "modules"),
		"GOPROXY="+strings.Join([]string{fileURL(proxy), fileURL(downloads), o.setting("GOPROXY")}, ","),
		"GONOSUMDB=github.com/problemtracking/*",
		"GONOPROXY=none",
		// Without -trimpath, what was compiled would depend on the directory
		// of the module cache, and could not be used again. With
		// -modcacherw, that directory can be removed.
		"GOFLAGS=-modcacherw -trimpath -buildvcs=false",
	)
	return o
}

// setting returns what go env says here.
func (o *outsider) setting(name string) string {
	o.Helper()
	output, err := exec.CommandContext(o.Context(), "go", "env", name).Output()
	if err != nil {
		o.Fatalf("go env %s: %v", name, err)
	}
	return strings.TrimSpace(string(output))
}

// run runs a command, which has to succeed, and returns what it says.
func (o *outsider) run(dir, name string, args ...string) string {
	o.Helper()
	command := exec.CommandContext(o.Context(), name, args...)
	command.Dir, command.Env = dir, o.env
	var output bytes.Buffer
	command.Stdout, command.Stderr = &output, &output
	if err := command.Run(); err != nil {
		o.Fatalf("%s %s: %v\n%s", filepath.Base(name), strings.Join(args, " "), err, output.Bytes())
	}
	return output.String()
}

// requiring returns the directory of a new module that requires one of ours. It
// begins with the sums that the module itself has of others, so that nothing that
// was checked once has to be looked up again.
func (o *outsider) requiring(module string) string {
	o.Helper()
	dir := o.TempDir()
	sums, err := os.ReadFile(filepath.Join(root, module, "go.sum"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o644)
	}
	if err != nil {
		o.Fatal(err)
	}
	o.run(dir, "go", "mod", "init", "example.org/outsider")
	o.run(dir, "go", "mod", "edit", "-require=github.com/problemtracking/problems/"+module+"@"+version)
	return dir
}

// TestOutsider builds and runs what is meant for others as they would.
func TestOutsider(t *testing.T) {
	t.Parallel()
	machine := newOutsider(t)
	t.Run("adapter", func(t *testing.T) {
		o := &outsider{t, machine.env}
		dir := o.example()
		o.run(dir, "go", "mod", "tidy")
		o.outside(dir)
		const cases = "^(COM-001/many-effects|COM-003|VIEW-001|VIEW-002|READ-003|RES-002/goes-on)$"
		output := o.run(dir, "go", "test", "-v", "-run=^TestConformance$", "-conformance.run="+cases, ".")
		if passed := regexp.MustCompile(`--- PASS: TestConformance/\S+`).FindAllString(output, -1); len(passed) != strings.Count(cases, "|")+1 {
			o.Errorf("%d cases of %s have passed:\n%s", len(passed), cases, output)
		}
	})
	t.Run("service", func(t *testing.T) {
		o := &outsider{t, machine.env}
		o.command("app", "problems", "problems "+version)
	})
	t.Run("conformance", func(t *testing.T) {
		o := &outsider{t, machine.env}
		o.command("conformance", "problems-conformance", "problems-conformance "+version)
	})
}

// command builds the command of one of our modules and asks it for its version.
func (o *outsider) command(module, name, want string) {
	o.Helper()
	dir := o.requiring(module)
	binary := filepath.Join(dir, name+o.setting("GOEXE"))
	o.run(dir, "go", "build", "-mod=mod", "-o", binary, "github.com/problemtracking/problems/"+module+"/cmd/"+name)
	o.outside(dir)
	if got := strings.TrimSpace(o.run(dir, binary, "version")); got != want {
		o.Errorf("%s version says %q where %q was expected", name, got, want)
	}
}

// example returns a copy of the adapter outside of the tree, without the
// directives that lead to this tree.
func (o *outsider) example() string {
	o.Helper()
	dir := o.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(root, "conformance", "examples", "outoftree"))); err != nil {
		o.Fatal(err)
	}
	mod, err := readMod(filepath.Join(dir, "go.mod"))
	if err != nil {
		o.Fatal(err)
	}
	for _, r := range mod.Replace {
		o.run(dir, "go", "mod", "edit", "-dropreplace="+r.Old.Path)
	}
	return dir
}

// outside fails the test when a module of ours comes from anywhere but the proxy.
func (o *outsider) outside(dir string) {
	o.Helper()
	found := 0
	listed := o.run(dir, "go", "list", "-m", "-mod=mod", "-f", "{{.Path}} {{.Version}} {{.Replace}}", "all")
	for line := range strings.Lines(listed) {
		if !strings.HasPrefix(line, "github.com/problemtracking/") {
			continue
		}
		found++
		if !strings.HasSuffix(line, " "+version+" <nil>\n") {
			o.Errorf("a module is not that of the proxy: %s", line)
		}
	}
	if found == 0 {
		o.Errorf("none of our modules is used:\n%s", listed)
	}
}
