package release

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// committed makes a repository as project does, with the files in a commit.
func committed(t *testing.T, files map[string]string) string {
	t.Helper()
	root := project(t, files)
	for _, args := range [][]string{
		{"config", "user.name", "Test"}, {"config", "user.email", "test@example.org"},
		{"add", "--all"}, {"commit", "--quiet", "--message", "first"},
	} {
		said(t, root, args...)
	}
	return root
}

// said runs git, which must succeed.
func said(t *testing.T, root string, args ...string) string {
	t.Helper()
	output, err := git(root, args...)
	if err != nil {
		t.Fatal(err)
	}
	return output
}

func twoModules() map[string]string {
	return map[string]string{
		"go.work":              workspaceFile,
		"inner/go.mod":         innerMod,
		"inner/inner.go":       "package inner\n",
		"outer/deep/go.mod":    outerMod + localReplace + otherReplace,
		"outer/deep/deep.go":   "package deep\n",
		"tools/go.mod":         "module example.org/tools\n\nrequire example.org/inner v0.1.0\n\nreplace example.org/inner => ../inner\n",
		"outer/deep/deep.out":  "ignored\n",
		"outer/deep/README.md": "deep\n",
	}
}

func TestTags(t *testing.T) {
	t.Parallel()
	root := committed(t, twoModules())
	before := said(t, root, "rev-parse", "HEAD")
	tags, err := Tags(root, "v0.7.0")
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"v0.7.0", "inner/v0.7.0", "outer/deep/v0.7.0"}
	if !slices.Equal(tags, want) {
		t.Errorf("the tags are %q; want %q", tags, want)
	}
	commit := said(t, root, "rev-parse", "v0.7.0")
	for _, tag := range want {
		if at := said(t, root, "rev-parse", tag); at != commit {
			t.Errorf("%s is %s; want %s", tag, at, commit)
		}
	}
	if parent := said(t, root, "rev-parse", "v0.7.0^"); parent != before {
		t.Errorf("the release follows %s; want the last commit, %s", parent, before)
	}
	if head, status := said(t, root, "rev-parse", "HEAD"), said(t, root, "status", "--porcelain"); head != before || status != "" {
		t.Errorf("the branch is at %s with changes %q; want it as it was, at %s", head, status, before)
	}
	if trees := said(t, root, "worktree", "list"); strings.Count(trees, "\n") != 0 {
		t.Errorf("a worktree is left behind:\n%s", trees)
	}
	for name, content := range map[string]string{
		"inner/go.mod":      innerMod,
		"outer/deep/go.mod": strings.Replace(outerMod, "inner v0.1.0", "inner v0.7.0", 1),
		"tools/go.mod":      "module example.org/tools\n\nrequire example.org/inner v0.7.0\n\nreplace example.org/inner => ../inner\n",
	} {
		if got := said(t, root, "show", "v0.7.0:"+name); got != strings.TrimSpace(content) {
			t.Errorf("%s of the release is\n%s\nwant\n%s", name, got, content)
		}
	}
	// The sums are those of the proxy, which knows nothing of the commit.
	out := t.TempDir()
	if _, err := Publish(root, out, "v0.7.0"); err != nil {
		t.Fatal(err)
	}
	modules, err := load(root)
	if err != nil {
		t.Fatal(err)
	}
	if err := prepare(modules, "v0.7.0"); err != nil {
		t.Fatal(err)
	}
	if got, want := said(t, root, "show", "v0.7.0:outer/deep/go.sum"), strings.TrimSpace(string(modules[1].changed["go.sum"])); got != want || strings.Count(got, "example.org/inner v0.7.0") != 2 {
		t.Errorf("go.sum of the release is\n%s\nwant\n%s", got, want)
	}
}

func TestTagsRefuses(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		version string
		spoil   func(t *testing.T, root string)
		want    string
	}{
		"no version":        {"0.7.0", nil, `"0.7.0" is no version`},
		"half a version":    {"v0.7", nil, `"v0.7" is no version`},
		"a path for others": {"v2.0.0", nil, "below v2"},
		"a dirty tree": {"v0.7.0", func(t *testing.T, root string) {
			if err := os.WriteFile(filepath.Join(root, "inner", "new.go"), []byte("package inner\n"), 0o644); err != nil {
				t.Fatal(err)
			}
		}, "changes that are not committed"},
		"a tag of the repository": {"v0.7.0", func(t *testing.T, root string) { said(t, root, "tag", "v0.7.0") }, "the tag v0.7.0 exists already"},
		"a tag of a module":       {"v0.7.0", func(t *testing.T, root string) { said(t, root, "tag", "inner/v0.7.0") }, "the tag inner/v0.7.0 exists already"},
		"a circle": {"v0.7.0", func(t *testing.T, root string) {
			circle := innerMod + "\nrequire example.org/outer/deep v0.1.0\n"
			if err := os.WriteFile(filepath.Join(root, "inner", "go.mod"), []byte(circle), 0o644); err != nil {
				t.Fatal(err)
			}
			said(t, root, "commit", "--quiet", "--all", "--message", "circle")
		}, "in a circle"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			root := committed(t, twoModules())
			if c.spoil != nil {
				c.spoil(t, root)
			}
			before := said(t, root, "tag", "--list")
			_, err := Tags(root, c.version)
			if err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("the error is %v; want one with %q", err, c.want)
			}
			if after := said(t, root, "tag", "--list"); after != before {
				t.Errorf("the tags were %q and are %q", before, after)
			}
			if trees := said(t, root, "worktree", "list"); strings.Count(trees, "\n") != 0 {
				t.Errorf("a worktree is left behind:\n%s", trees)
			}
		})
	}
}
