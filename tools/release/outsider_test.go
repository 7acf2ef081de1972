package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/modfile"

	"github.com/problemtracking/problems/tools/internal/release"
)

// root is the directory of go.work.
const root = "../.."

// version is that of the release that the tests make. It is the one by which the modules of the
// tree require each other: so packages are compiled once for both.
const version = "v0.1.0"

// outsider is a machine that knows nothing of this tree but a release of it, by a
// module proxy: no workspace, no replace directive, and a module cache of its own.
type outsider struct {
	*testing.T
	env  []string
	tree string // the files of the release
}

func newOutsider(t *testing.T) *outsider {
	dir := t.TempDir()
	tree := released(t, dir)
	proxy := filepath.Join(dir, "proxy")
	if _, err := release.Publish(tree, proxy, version); err != nil {
		t.Fatalf("the proxy cannot be made: %v", err)
	}
	o := &outsider{T: t, tree: tree}
	// What others have published was downloaded here already.
	downloads := filepath.Join(o.setting("GOMODCACHE"), "cache", "download")
	if _, err := os.Stat(downloads); err != nil {
		t.Fatalf("this test takes what others have published from the module cache, which is not there (%v): run \"make build\" first", err)
	}
	o.env = append(os.Environ(),
		"GOWORK=off",
		"GOTOOLCHAIN=local",
		"GOMODCACHE="+filepath.Join(dir, "modules"),
		"GOPROXY="+strings.Join([]string{release.FileURL(proxy), release.FileURL(downloads), o.setting("GOPROXY")}, ","),
		"GONOSUMDB=github.com/problemtracking/*",
		"GONOPROXY=none",
		"GOBIN="+filepath.Join(dir, "bin"),
		// Without -trimpath, what was compiled would depend on the directory
		// of the module cache, and could not be used again. With
		// -modcacherw, that directory can be removed.
		"GOFLAGS=-modcacherw -trimpath -buildvcs=false",
	)
	return o
}

// released returns a clone of this tree in which a release was tagged and checked out.
func released(t *testing.T, dir string) string {
	t.Helper()
	tree := cloned(t, dir)
	tags, err := release.Tags(tree, version)
	if err != nil {
		t.Fatal(err)
	}
	gitIn(t, tree, "checkout", "--quiet", tags[0])
	return tree
}

// gitIn runs git in a clone, which has to succeed, and returns what it says.
func gitIn(t *testing.T, tree string, args ...string) string {
	t.Helper()
	output, err := exec.CommandContext(t.Context(), "git", append([]string{"-C", tree}, args...)...).CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, output)
	}
	return strings.TrimSpace(string(output))
}

// cloned returns a clone of this tree, in which everything is committed.
func cloned(t *testing.T, dir string) string {
	t.Helper()
	tree := filepath.Join(dir, "tree")
	if err := release.Copy(root, tree); err != nil {
		t.Fatal(err)
	}
	// What a scaffold requires has to become the version of the release.
	if err := os.WriteFile(filepath.Join(tree, "conformance", "internal", "scaffold", "release.go"), []byte("package scaffold\n\nconst release = \"v0.0.9\"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"init", "--quiet"}, {"config", "user.name", "Test"}, {"config", "user.email", "test@example.org"},
		{"add", "--all", "--force"}, {"commit", "--quiet", "--message", "the tree"},
	} {
		gitIn(t, tree, args...)
	}
	return tree
}

// setting returns what go env says here.
func (o *outsider) setting(name string) string {
	o.Helper()
	command := exec.CommandContext(o.Context(), "go", "env", name)
	command.Env = o.env
	output, err := command.Output()
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

// TestOutsider builds and runs what is meant for others as they would.
func TestOutsider(t *testing.T) {
	t.Parallel()
	machine := newOutsider(t)
	t.Run("adapter", func(t *testing.T) {
		o := machine.in(t)
		dir := o.example()
		o.run(dir, "go", "mod", "tidy")
		o.outside(dir)
		const cases = "^(COM-001/many-effects|COM-003|VIEW-001|VIEW-002|READ-003|RES-002/goes-on)$"
		output := o.run(dir, "go", "test", "-v", "-run=^TestConformance$", "-conformance.run="+cases, ".")
		if passed := regexp.MustCompile(`--- PASS: TestConformance/\S+`).FindAllString(output, -1); len(passed) != strings.Count(cases, "|")+1 {
			o.Errorf("%d cases of %s have passed:\n%s", len(passed), cases, output)
		}
	})
	t.Run("client", func(t *testing.T) {
		o := machine.in(t)
		dir := o.TempDir()
		o.run(dir, "go", "mod", "init", "example.org/outsider")
		const source = "package main\n\nimport \"github.com/problemtracking/problems/adapters/client\"\n\nfunc main() { println(client.Version) }\n"
		if err := os.WriteFile(filepath.Join(dir, "main.go"), []byte(source), 0o600); err != nil {
			o.Fatal(err)
		}
		o.run(dir, "go", "get", project+"adapters/client@"+version)
		if got := o.run(dir, "go", "run", "."); got != "20151105\n" {
			o.Errorf("a program with the client prints %q", got)
		}
		if modules := strings.Fields(o.run(dir, "go", "list", "-m", "-f", "{{.Path}}", "all")); len(modules) != 2 {
			o.Errorf("a program with the client needs %q", modules)
		}
	})
	t.Run("directives", func(t *testing.T) {
		machine.in(t).noDirectives()
	})
	t.Run("tags", func(t *testing.T) {
		machine.in(t).tags()
	})
	t.Run("sums", func(t *testing.T) {
		o := machine.in(t)
		for _, dir := range o.modules() {
			// It fails when go.mod or go.sum lacks anything, or when a sum is wrong.
			o.run(filepath.Join(o.tree, dir), "go", "list", "-mod=readonly", "-deps", "-test", "./...")
		}
	})
	t.Run("service", func(t *testing.T) {
		machine.in(t).install("app", "problems", "problems "+version)
	})
	t.Run("conformance", func(t *testing.T) {
		o := machine.in(t)
		suite := o.install("conformance", "problems-conformance", "problems-conformance "+version)
		o.scaffold(suite)
	})
}

// in returns the machine for a subtest.
func (o *outsider) in(t *testing.T) *outsider { return &outsider{t, o.env, o.tree} }

// noDirectives holds every module of the release against the rule of "go install": no
// directive that counts for the main module alone. It also has one version of the others.
func (o *outsider) noDirectives() {
	o.Helper()
	for _, dir := range o.modules() {
		mod, err := readMod(filepath.Join(o.tree, dir, "go.mod"))
		if err != nil {
			o.Fatal(err)
		}
		if len(mod.Replace) > 0 || len(mod.Exclude) > 0 {
			o.Errorf("%s has %d replace and %d exclude directives", dir, len(mod.Replace), len(mod.Exclude))
		}
		for _, r := range mod.Require {
			if strings.HasPrefix(r.Mod.Path, project) && r.Mod.Version != version {
				o.Errorf("%s requires %s; want %s", dir, r.Mod, version)
			}
		}
	}
}

// tags fetches every module by its tag, as Go does without a proxy. It has the same sum
// as in the release's go.sum, which was made of files.
func (o *outsider) tags() {
	o.Helper()
	cache := filepath.Join(o.TempDir(), "modules")
	direct := &outsider{o.T, append(slices.Clone(o.env),
		"GOMODCACHE="+cache, "GOPROXY=direct", "GONOPROXY="+project+"*", "GONOSUMDB=*", "GOFLAGS=-modcacherw",
		"GIT_CONFIG_COUNT=1",
		"GIT_CONFIG_KEY_0=url."+release.FileURL(o.tree)+".insteadOf",
		"GIT_CONFIG_VALUE_0="+strings.TrimSuffix("https://"+project, "/"),
	), o.tree}
	sums, err := os.ReadFile(filepath.Join(o.tree, "app", "go.sum"))
	if err != nil {
		o.Fatal(err)
	}
	compared := 0
	for _, dir := range o.modules() {
		path := project + strings.TrimPrefix(dir, "./")
		described := direct.run(o.TempDir(), "go", "mod", "download", "-json", path+"@"+version)
		sum := regexp.MustCompile(`"Sum": "(.*)"`).FindStringSubmatch(described)
		if sum == nil {
			o.Fatalf("%s has no sum:\n%s", path, described)
		}
		if strings.Contains(string(sums), path+" "+version+" ") {
			compared++
			if !strings.Contains(string(sums), path+" "+version+" "+sum[1]+"\n") {
				o.Errorf("the tag of %s has the sum %s, and app/go.sum another one", path, sum[1])
			}
		}
	}
	if compared < 7 {
		o.Errorf("app/go.sum has %d of our modules:\n%s", compared, sums)
	}
}

// modules returns the directories of the modules in the workspace of the release.
func (o *outsider) modules() []string {
	o.Helper()
	data, err := os.ReadFile(filepath.Join(o.tree, "go.work"))
	if err != nil {
		o.Fatal(err)
	}
	work, err := modfile.ParseWork("go.work", data, nil)
	if err != nil {
		o.Fatal(err)
	}
	var dirs []string
	for _, use := range work.Use {
		dirs = append(dirs, use.Path)
	}
	if len(dirs) < 9 {
		o.Fatalf("%d modules are in the workspace: %q", len(dirs), dirs)
	}
	return dirs
}

// project begins the paths of all our modules.
const project = "github.com/problemtracking/problems/"

func readMod(name string) (*modfile.File, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return modfile.Parse(name, data, nil)
}

// install installs a command from an empty folder, asks it for its version, and returns
// its path.
func (o *outsider) install(module, name, want string) string {
	o.Helper()
	// No go.sum has the sums of others there, and this machine need not reach their
	// database. They were checked when the module cache got them.
	away := &outsider{o.T, append(slices.Clone(o.env), "GONOSUMDB=*"), o.tree}
	away.run(o.TempDir(), "go", "install", project+module+"/cmd/"+name+"@"+version)
	binary := filepath.Join(o.setting("GOBIN"), name+o.setting("GOEXE"))
	if got := strings.TrimSpace(o.run(o.TempDir(), binary, "version")); got != want {
		o.Errorf("%s version says %q where %q was expected", name, got, want)
	}
	return binary
}

// scaffold writes a new adapter without a clone, and builds it with its test.
func (o *outsider) scaffold(suite string) {
	o.Helper()
	dir := filepath.Join(o.TempDir(), "mystore")
	o.run(o.TempDir(), suite, "scaffold", "--module", "example.org/mystore", "--dir", dir)
	o.sums(dir, "conformance")
	o.run(dir, "go", "mod", "tidy")
	o.outside(dir)
	o.run(dir, "go", "vet", "./...")
}

// sums copies the sums that one of our modules has of others, so that nothing that was
// checked once has to be looked up again.
func (o *outsider) sums(dir, module string) {
	o.Helper()
	sums, err := os.ReadFile(filepath.Join(o.tree, module, "go.sum"))
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "go.sum"), sums, 0o644)
	}
	if err != nil {
		o.Fatal(err)
	}
}

// example returns a copy of the adapter outside of the tree, without the
// directives that lead to this tree.
func (o *outsider) example() string {
	o.Helper()
	dir := o.TempDir()
	if err := os.CopyFS(dir, os.DirFS(filepath.Join(o.tree, "conformance", "examples", "outoftree"))); err != nil {
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

// outside fails the test when a module of ours comes from anywhere but the proxy, or
// brings the libraries for containers along: only our own tests need these.
func (o *outsider) outside(dir string) {
	o.Helper()
	found := 0
	listed := o.run(dir, "go", "list", "-m", "-mod=mod", "-f", "{{.Path}} {{.Version}} {{.Replace}}", "all")
	if strings.Contains(listed, "testcontainers") {
		o.Errorf("the libraries for containers are inherited:\n%s", listed)
	}
	for line := range strings.Lines(listed) {
		if !strings.HasPrefix(line, project) {
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
