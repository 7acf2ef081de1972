package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// small returns a clone of a project with two modules, and with a program in place of
// tools/packages. The program writes its flags to a file, unless it is broken.
func small(t *testing.T, program string) (root string, git func(args ...string) string) {
	t.Helper()
	root = t.TempDir()
	for name, content := range map[string]string{
		"go.work":                "go 1.26.0\n\nuse ./inner\n\nuse ./outer\n",
		"inner/go.mod":           "module example.org/inner\n\ngo 1.26.0\n",
		"inner/inner.go":         "package inner\n",
		"outer/go.mod":           "module example.org/outer\n\ngo 1.26.0\n\nrequire example.org/inner v0.1.0\n\nreplace example.org/inner => ../inner\n",
		"outer/outer.go":         "package outer\n",
		"tools/packages/go.mod":  "module example.org/packages\n\ngo 1.26.0\n",
		"tools/packages/main.go": program,
		".gitignore":             "/bin/\n",
	} {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	git = func(args ...string) string {
		t.Helper()
		return gitIn(t, root, args...)
	}
	for _, args := range [][]string{
		{"init", "--quiet"}, {"config", "user.name", "Test"}, {"config", "user.email", "test@example.org"}, {"add", "--all"}, {"commit", "--quiet", "--message", "first"},
	} {
		git(args...)
	}
	return root, git
}

const recorder = `package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

func main() {
	commit, err := exec.Command("git", "rev-parse", "HEAD").Output()
	if err != nil {
		panic(err)
	}
	args := os.Args[1:]
	to := args[5]
	if err := os.MkdirAll(to, 0o755); err != nil {
		panic(err)
	}
	if err := os.WriteFile(filepath.Join(to, "made"), []byte(strings.Join(args, " ")+"\n"+string(commit)), 0o644); err != nil {
		panic(err)
	}
}
`

// TestReleaseMakesPackages holds that packages are made of the commit of the tag, and that
// their paths and the command to push are printed.
func TestReleaseMakesPackages(t *testing.T) {
	t.Parallel()
	root, git := small(t, recorder)
	to := filepath.Join(root, "bin", "packages")
	var out strings.Builder
	if err := (making{root: root, to: to, architectures: "amd64"}).make("v0.7.0", &out); err != nil {
		t.Fatal(err)
	}
	made := filepath.Join(to, "made")
	got, err := os.ReadFile(made)
	if err != nil {
		t.Fatal(err)
	}
	if want := "-C ../.. -version v0.7.0 -to " + to + " -arch amd64\n" + git("rev-parse", "v0.7.0") + "\n"; string(got) != want {
		t.Errorf("the packages are made by\n%s\nwant\n%s", got, want)
	}
	for _, want := range []string{made, "git push --atomic origin v0.7.0 inner/v0.7.0 outer/v0.7.0"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("it says\n%s\nwhich lacks %s", out.String(), want)
		}
	}
	if trees, status := git("worktree", "list"), git("status", "--porcelain"); strings.Contains(trees, "\n") || status != "" {
		t.Errorf("the clone has the trees %s and the changes %q", trees, status)
	}
}

func TestReleaseWithoutPackagesIsNone(t *testing.T) {
	t.Parallel()
	root, git := small(t, "package main\n\nfunc main() { panic(\"no package today\") }\n")
	err := making{root: root, to: filepath.Join(root, "bin", "packages"), architectures: "amd64"}.make("v0.7.0", &strings.Builder{})
	if err == nil || !strings.Contains(err.Error(), "no package today") {
		t.Errorf("the error is %v; want the one of the packages", err)
	}
	if tags, trees := git("tag", "--list"), git("worktree", "list"); tags != "" || strings.Contains(trees, "\n") {
		t.Errorf("the clone has the tags %q and the trees %s", tags, trees)
	}
}
