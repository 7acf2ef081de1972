package release

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/sumdb/dirhash"
)

// projectModule is a module of the workspace.
type projectModule struct {
	root    string            // of the repository
	dir     string            // below root, with slashes
	mod     *modfile.File     // its go.mod
	files   []string          // below dir, with slashes
	changed map[string][]byte // files changed by the release, by name below dir
}

func (m *projectModule) path() string { return m.mod.Module.Mod.Path }

// load returns the modules in go.work, with their files.
func load(root string) ([]*projectModule, error) {
	name := filepath.Join(root, "go.work")
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	work, err := modfile.ParseWork(name, data, nil)
	if err != nil {
		return nil, err
	}
	files, err := known(root)
	if err != nil {
		return nil, err
	}
	var modules []*projectModule
	for _, use := range work.Use {
		m := &projectModule{root: root, dir: path.Clean(use.Path), changed: map[string][]byte{}}
		if m.mod, err = readMod(filepath.Join(root, m.dir, "go.mod")); err != nil {
			return nil, err
		}
		m.files = within(m.dir, files)
		modules = append(modules, m)
	}
	return modules, nil
}

func readMod(name string) (*modfile.File, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return modfile.Parse(name, data, nil)
}

// known returns the files of the repository, and the untracked files not ignored by git.
func known(root string) ([]string, error) {
	if _, err := exec.LookPath("git"); err != nil {
		return nil, fmt.Errorf("git has to say which files belong to the project, and is missing here: install it (%w)", err)
	}
	command := exec.Command("git", "ls-files", "-co", "--exclude-standard", "-z")
	command.Dir = root
	output, err := command.Output()
	if err != nil {
		if failed, ok := errors.AsType[*exec.ExitError](err); ok {
			err = fmt.Errorf("%w: %s", err, failed.Stderr)
		}
		return nil, fmt.Errorf("git does not say which files belong to the project: %w", err)
	}
	var files []string
	for _, file := range strings.Split(strings.TrimSuffix(string(output), "\x00"), "\x00") {
		// Git lists deleted files until their deletion is committed. Links and other
		// irregular files are never part of a module.
		if regular(filepath.Join(root, file)) {
			files = append(files, file)
		}
	}
	return files, nil
}

// within returns the files below a directory, without those in nested modules.
func within(dir string, files []string) []string {
	var inner []string
	for _, file := range files {
		if file, ok := strings.CutPrefix(file, dir+"/"); ok {
			inner = append(inner, file)
		}
	}
	var nested []string
	for _, file := range inner {
		if file != "go.mod" && path.Base(file) == "go.mod" {
			nested = append(nested, path.Dir(file)+"/")
		}
	}
	return slices.DeleteFunc(inner, func(file string) bool {
		return slices.ContainsFunc(nested, func(dir string) bool { return strings.HasPrefix(file, dir) })
	})
}

// content returns a file as the release has it.
func (m *projectModule) content(name string) ([]byte, error) {
	if changed, ok := m.changed[name]; ok {
		return changed, nil
	}
	return os.ReadFile(filepath.Join(m.root, m.dir, name))
}

// prepare turns the modules into a release: their go.mod files require each other at the
// version, and have no directive refused by "go install".
func prepare(modules []*projectModule, version string) error {
	ordered, err := inward(modules)
	if err != nil {
		return err
	}
	sums := make(map[string][]string, len(modules)) // the lines of go.sum, by path
	for _, m := range ordered {
		if err := m.detach(); err != nil {
			return err
		}
		if err := require(m.mod, modules, version); err != nil {
			return err
		}
		m.changed["go.mod"] = modfile.Format(m.mod.Syntax)
		if err := m.stamp(version); err != nil {
			return err
		}
		if err := m.addSums(sums); err != nil {
			return err
		}
		if sums[m.path()], err = m.sums(version); err != nil {
			return err
		}
	}
	return nil
}

// inward sorts the modules: each one comes after its requirements. It fails when two
// modules require each other.
func inward(modules []*projectModule) (ordered []*projectModule, err error) {
	for len(ordered) < len(modules) {
		before := len(ordered)
		for _, m := range modules {
			missing := slices.ContainsFunc(modules, func(other *projectModule) bool {
				return m.requires(other) && !slices.Contains(ordered, other)
			})
			if !missing && !slices.Contains(ordered, m) {
				ordered = append(ordered, m)
			}
		}
		if len(ordered) == before {
			return nil, errors.New("modules of the workspace require each other in a circle: their sums cannot be known")
		}
	}
	return ordered, nil
}

func (m *projectModule) requires(other *projectModule) bool {
	return slices.ContainsFunc(m.mod.Require, func(r *modfile.Require) bool { return r.Mod.Path == other.path() })
}

// detach removes replace and exclude directives from go.mod. "go install" refuses a
// module with one of them.
func (m *projectModule) detach() error {
	for _, r := range slices.Clone(m.mod.Replace) {
		if err := m.mod.DropReplace(r.Old.Path, r.Old.Version); err != nil {
			return err
		}
	}
	for _, e := range slices.Clone(m.mod.Exclude) {
		if err := m.mod.DropExclude(e.Mod.Path, e.Mod.Version); err != nil {
			return err
		}
	}
	m.mod.Cleanup()
	return nil
}

// require sets the version of the project's modules in a go.mod.
func require(mod *modfile.File, modules []*projectModule, version string) error {
	for _, r := range slices.Clone(mod.Require) {
		if !slices.ContainsFunc(modules, func(m *projectModule) bool { return m.path() == r.Mod.Path }) {
			continue
		}
		if err := mod.AddRequire(r.Mod.Path, version); err != nil {
			return err
		}
	}
	return nil
}

// stampedFile has the version of the suite and the domain for a scaffold.
const stampedFile = "internal/scaffold/release.go"

var stamp = regexp.MustCompile(`(?m)^const release = "v[^"]*"$`)

// stamp writes the version to the code of the module with the scaffold.
func (m *projectModule) stamp(version string) error {
	if !strings.HasSuffix(m.path(), "/conformance") {
		return nil
	}
	source, err := m.content(stampedFile)
	if err != nil {
		return err
	}
	if found := len(stamp.FindAll(source, -1)); found != 1 {
		return fmt.Errorf("%s/%s has %d constants named release, of which one is needed: the version of what a scaffold requires", m.dir, stampedFile, found)
	}
	m.changed[stampedFile] = stamp.ReplaceAll(source, []byte(`const release = "`+version+`"`))
	return nil
}

// addSums adds the sums of required modules to go.sum.
func (m *projectModule) addSums(sums map[string][]string) error {
	old, err := m.content("go.sum")
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	lines := slices.Collect(strings.Lines(string(old)))
	for _, r := range m.mod.Require {
		lines = append(lines, sums[r.Mod.Path]...)
	}
	if len(lines) == 0 {
		return nil
	}
	slices.Sort(lines)
	m.changed["go.sum"] = []byte(strings.Join(slices.Compact(lines), ""))
	if !slices.Contains(m.files, "go.sum") {
		m.files = append(m.files, "go.sum")
	}
	return nil
}

// sums returns the lines of go.sum for this module.
func (m *projectModule) sums(version string) ([]string, error) {
	entries, err := m.entries()
	if err != nil {
		return nil, err
	}
	prefix := m.path() + "@" + version + "/"
	contents := make(map[string][]byte, len(entries))
	var names []string
	for _, e := range entries {
		contents[prefix+e.path] = e.content
		names = append(names, prefix+e.path)
	}
	open := func(name string) (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(contents[name])), nil
	}
	all, err := dirhash.Hash1(names, open)
	if err != nil {
		return nil, err
	}
	mod, err := dirhash.Hash1([]string{"go.mod"}, func(string) (io.ReadCloser, error) { return open(prefix + "go.mod") })
	if err != nil {
		return nil, err
	}
	return []string{
		fmt.Sprintf("%s %s %s\n", m.path(), version, all),
		fmt.Sprintf("%s %s/go.mod %s\n", m.path(), version, mod),
	}, nil
}
