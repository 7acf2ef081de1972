package release

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Artefacts makes the packages of a tagged release in a directory, and returns their paths.
// They are built from the commit of the tag, and as "go install" does: nobody is replaced,
// and our modules come from a proxy of the release, because no other proxy has them yet.
// What others have published comes from this machine or its own proxy. Flags are further
// ones of tools/packages.
func Artefacts(root, version, to string, flags ...string) (paths []string, err error) {
	to, err = filepath.Abs(to)
	if err != nil {
		return nil, err
	}
	parent, err := os.MkdirTemp("", "problems-packages-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(parent)) }()
	tree, proxy := filepath.Join(parent, "tree"), filepath.Join(parent, "proxy")
	if _, err := git(root, "worktree", "add", "--quiet", "--detach", tree, version); err != nil {
		return nil, err
	}
	defer func() {
		_, failed := git(root, "worktree", "remove", "--force", tree)
		err = errors.Join(err, failed)
	}()
	if _, err := Publish(tree, proxy, version); err != nil {
		return nil, err
	}
	environment, err := away(parent, proxy)
	if err != nil {
		return nil, err
	}
	// Go makes the files of its cache for reading alone.
	defer func() { err = errors.Join(err, goes(tree, environment, "clean", "-modcache")) }()
	packages := filepath.Join(tree, "tools", "packages")
	args := append([]string{"run", ".", "-C", "../..", "-version", version, "-to", to}, flags...)
	if err := goes(packages, environment, args...); err != nil {
		return nil, err
	}
	entries, err := os.ReadDir(to)
	for _, e := range entries {
		paths = append(paths, filepath.Join(to, e.Name()))
	}
	return paths, err
}

// away returns the environment of a machine with the modules of a proxy. Its cache is its
// own: it ends with the build, as a release may that is made again.
func away(parent, proxy string) ([]string, error) {
	command := exec.Command("go", "env", "GOMODCACHE", "GOPROXY")
	output, err := command.Output()
	if err != nil {
		return nil, err
	}
	cache, others, found := strings.Cut(strings.TrimSpace(string(output)), "\n")
	if !found {
		return nil, fmt.Errorf("go env says %q; want two lines", output)
	}
	proxies := []string{FileURL(proxy), FileURL(filepath.Join(cache, "cache", "download")), others}
	return append(os.Environ(),
		"GOWORK=off", "GOTOOLCHAIN=local", "GOFLAGS=-trimpath", "GOMODCACHE="+filepath.Join(parent, "modules"),
		"GOPROXY="+strings.Join(proxies, ","), "GONOPROXY=none", "GONOSUMDB=github.com/problemtracking/*"), nil
}

// goes runs a command of Go in a directory.
func goes(dir string, environment []string, args ...string) error {
	command := exec.Command("go", args...)
	command.Dir, command.Env = dir, environment
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("go %s: %w: %s", args[0], err, strings.TrimSpace(string(output)))
	}
	return nil
}
