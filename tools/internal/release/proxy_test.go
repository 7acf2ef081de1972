package release

import (
	"archive/zip"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// project makes a repository of the given files, of which git ignores what ends in
// ".out".
func project(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	if output, err := exec.CommandContext(t.Context(), "git", "init", "-q", dir).CombinedOutput(); err != nil {
		t.Fatalf("git makes no repository, install it if it is missing: %v: %s", err, output)
	}
	files[".gitignore"] = "*.out\n"
	for name, content := range files {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

const (
	workspaceFile = "go 1.26.0\n\nuse (\n\t./inner\n\t./outer/deep\n)\n"
	innerMod      = "module example.org/inner\n\ngo 1.26.0\n"
	outerMod      = "module example.org/outer/deep\n\ngo 1.26.0\n\nrequire (\n\texample.org/inner v0.1.0\n\texample.org/other v1.0.0\n)\n"
	localReplace  = "\n// For clones alone.\nreplace example.org/inner => ../../inner\n"
	sumsOfInner   = "example.org/inner v0.1.0 h1:Opxv1jmdN76XvAZkTzvMU+ajigYEFNajLYS5e0RIcbE=\nexample.org/inner v0.1.0/go.mod h1:AQWCRA0jmlraUCuyj0O77UU4AyJxJvROSz6YDeWkbYo=\n"
	otherExclude  = "\n// Not published.\nexclude example.org/other v1.0.2\n"
	otherReplace  = "\nreplace example.org/other => example.org/fork v1.0.1\n"
)

func TestPublish(t *testing.T) {
	t.Parallel()
	root := project(t, map[string]string{
		"go.work":                      workspaceFile,
		"LICENSE":                      "do what you like\n",
		"inner/go.mod":                 innerMod,
		"inner/inner.go":               "package inner\n",
		"inner/sub/sub.go":             "package sub\n",
		"inner/test.out":               "ignored\n",
		"inner/examples/one/go.mod":    "module example.org/one\n",
		"inner/examples/one/one.go":    "package one\n",
		"inner/examples/README.md":     "one example\n",
		"outer/deep/go.mod":            outerMod + localReplace + otherReplace + otherExclude,
		"outer/deep/deep.go":           "package deep\n",
		"outer/deep/LICENSE":           "its own\n",
		"outer/deeper/not-a-module.go": "package deeper\n",
	})
	out := t.TempDir()
	modules, err := Publish(root, out, "v0.1.0")
	if err != nil {
		t.Fatal(err)
	}
	if want := []string{"example.org/inner", "example.org/outer/deep"}; !slices.Equal(modules, want) {
		t.Errorf("the modules are %q where %q were expected", modules, want)
	}
	for name, want := range map[string]string{
		"example.org/inner/@v/list":             "v0.1.0\n",
		"example.org/inner/@v/v0.1.0.info":      `{"Version":"v0.1.0"}`,
		"example.org/inner/@v/v0.1.0.mod":       innerMod,
		"example.org/outer/deep/@v/v0.1.0.info": `{"Version":"v0.1.0"}`,
		"example.org/outer/deep/@v/v0.1.0.mod":  outerMod,
	} {
		if got, err := os.ReadFile(filepath.Join(out, name)); err != nil || string(got) != want {
			t.Errorf("%s is %q (%v) where %q was expected", name, got, err, want)
		}
	}
	holds(t, filepath.Join(out, "example.org/inner/@v/v0.1.0.zip"), map[string]string{
		"example.org/inner@v0.1.0/LICENSE":            "do what you like\n",
		"example.org/inner@v0.1.0/go.mod":             innerMod,
		"example.org/inner@v0.1.0/inner.go":           "package inner\n",
		"example.org/inner@v0.1.0/sub/sub.go":         "package sub\n",
		"example.org/inner@v0.1.0/examples/README.md": "one example\n",
	})
	holds(t, filepath.Join(out, "example.org/outer/deep/@v/v0.1.0.zip"), map[string]string{
		"example.org/outer/deep@v0.1.0/LICENSE": "its own\n",
		"example.org/outer/deep@v0.1.0/go.mod":  outerMod,
		"example.org/outer/deep@v0.1.0/deep.go": "package deep\n",
		"example.org/outer/deep@v0.1.0/go.sum":  sumsOfInner,
	})
}

// holds fails the test unless the archive has exactly the given files.
func holds(t *testing.T, name string, want map[string]string) {
	t.Helper()
	archive, err := zip.OpenReader(name)
	if err != nil {
		t.Fatal(err)
	}
	defer archive.Close()
	if len(archive.File) != len(want) {
		t.Errorf("%s has %d files where %d were expected", name, len(archive.File), len(want))
	}
	for file, content := range want {
		got, err := fs.ReadFile(archive, file)
		if err != nil || string(got) != content {
			t.Errorf("%s: %s is %q (%v) where %q was expected", name, file, got, err, content)
		}
	}
}

// The modules of a release require each other at its version, whatever the tree has.
func TestPublishSetsVersions(t *testing.T) {
	t.Parallel()
	root := project(t, map[string]string{
		"go.work":           workspaceFile,
		"inner/go.mod":      innerMod,
		"outer/deep/go.mod": strings.Replace(outerMod, "inner v0.1.0", "inner v0.2.0", 1) + localReplace,
	})
	out := t.TempDir()
	if _, err := Publish(root, out, "v0.7.0"); err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(outerMod, "inner v0.1.0", "inner v0.7.0", 1)
	if got, err := os.ReadFile(filepath.Join(out, "example.org/outer/deep/@v/v0.7.0.mod")); err != nil || string(got) != want {
		t.Errorf("go.mod is %q (%v) where %q was expected", got, err, want)
	}
}
