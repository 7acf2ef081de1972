// Package release makes releases of the modules of the workspace.
//
// In the tree, a module finds the others by replace directives. So each one builds and is
// tidied on its own, without a proxy. But "go install module/cmd@version" refuses a module
// with such directives. A release is therefore a commit beside the branch: its go.mod files
// have no replace or exclude directive, and require the other modules at the version of
// the release. The branch itself never changes.
package release

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"
)

// Tags makes the commit of a release from the last commit of a clone, and tags it: once
// for the repository, and once for each module. It returns the tags, and pushes none.
//
// It fails when the version is not vX.Y.Z with X below 2, when the clone has uncommitted
// changes, and when a tag exists. Then the clone has no new tag.
func Tags(root, version string) (tags []string, err error) {
	if err := check(version); err != nil {
		return nil, err
	}
	changes, err := git(root, "status", "--porcelain")
	if err != nil {
		return nil, err
	}
	if changes != "" {
		return nil, fmt.Errorf("the tree has changes that are not committed, and a release is made of a commit: commit or stash these first:\n%s", changes)
	}
	parent, err := os.MkdirTemp("", "problems-release-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(parent)) }()
	tree := filepath.Join(parent, "tree")
	if _, err := git(root, "worktree", "add", "--quiet", "--detach", tree, "HEAD"); err != nil {
		return nil, err
	}
	defer func() {
		_, failed := git(root, "worktree", "remove", "--force", tree)
		err = errors.Join(err, failed)
	}()
	modules, err := load(tree)
	if err != nil {
		return nil, err
	}
	tags = tagsOf(modules, version)
	if err := unused(root, tags); err != nil {
		return nil, err
	}
	if err := rewrite(tree, modules, version); err != nil {
		return nil, err
	}
	const why = "The modules require each other at this version and replace nothing, so that\ntheir commands can be installed. The branch keeps its replace directives."
	if _, err := git(tree, "add", "--all"); err != nil { // go.sum may be new
		return nil, err
	}
	if _, err := git(tree, "commit", "--quiet", "--message", "release: "+version+"\n\n"+why); err != nil {
		return nil, err
	}
	commit, err := git(tree, "rev-parse", "HEAD")
	if err != nil {
		return nil, err
	}
	// All tags or none.
	var updates strings.Builder
	for _, tag := range tags {
		fmt.Fprintf(&updates, "create refs/tags/%s %s\n", tag, commit)
	}
	if _, err := gitWith(root, updates.String(), "update-ref", "--stdin"); err != nil {
		return nil, err
	}
	return tags, nil
}

// Untag removes tags again, if nobody has them yet.
func Untag(root string, tags []string) error {
	var updates strings.Builder
	for _, tag := range tags {
		fmt.Fprintf(&updates, "delete refs/tags/%s\n", tag)
	}
	_, err := gitWith(root, updates.String(), "update-ref", "--stdin")
	return err
}

// check refuses versions that do not fit the paths of the modules.
func check(version string) error {
	if !semver.IsValid(version) || semver.Canonical(version) != version || module.CheckPathMajor(version, "") != nil {
		return fmt.Errorf("%q is no version for these modules: want one such as v0.2.0 or v1.0.0-rc.1, below v2", version)
	}
	return nil
}

// tagsOf returns the tags by which Go finds the modules, after that of the repository.
func tagsOf(modules []*projectModule, version string) []string {
	tags := []string{version}
	for _, m := range modules {
		tags = append(tags, m.dir+"/"+version)
	}
	return tags
}

func unused(root string, tags []string) error {
	have, err := git(root, "tag", "--list")
	if err != nil {
		return err
	}
	for _, tag := range tags {
		if slices.Contains(strings.Split(have, "\n"), tag) {
			return fmt.Errorf("the tag %s exists already: versions never change, so release under a new one", tag)
		}
	}
	return nil
}

// rewrite writes the files of the release to a tree.
func rewrite(tree string, modules []*projectModule, version string) error {
	if err := prepare(modules, version); err != nil {
		return err
	}
	for _, m := range modules {
		for name, content := range m.changed {
			if err := os.WriteFile(filepath.Join(tree, m.dir, name), content, 0o644); err != nil {
				return err
			}
		}
	}
	// Modules outside of the workspace are not published. They keep their replace
	// directives, and need the same versions as the other modules.
	files, err := known(tree)
	if err != nil {
		return err
	}
	for _, file := range files {
		inWorkspace := slices.ContainsFunc(modules, func(m *projectModule) bool { return m.dir == path.Dir(file) })
		if path.Base(file) != "go.mod" || inWorkspace || strings.Contains(file, "testdata/") {
			continue
		}
		name := filepath.Join(tree, file)
		mod, err := readMod(name)
		if err != nil {
			return err
		}
		if err := require(mod, modules, version); err != nil {
			return err
		}
		if err := os.WriteFile(name, modfile.Format(mod.Syntax), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// git runs git in a directory and returns its output, without the last line break.
func git(dir string, args ...string) (string, error) { return gitWith(dir, "", args...) }

func gitWith(dir, input string, args ...string) (string, error) {
	command := exec.Command("git", args...)
	command.Dir = dir
	command.Stdin = strings.NewReader(input)
	var failure strings.Builder
	command.Stderr = &failure
	output, err := command.Output()
	if err != nil {
		return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(failure.String()))
	}
	return strings.TrimRight(string(output), "\n"), nil
}
