package main

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
)

// projectModule is a module of the workspace.
type projectModule struct {
	root  string        // of the repository
	dir   string        // below root, with slashes
	mod   *modfile.File // its go.mod
	files []string      // below dir, with slashes
}

func (m *projectModule) path() string { return m.mod.Module.Mod.Path }

// workspace returns the modules that go.work names, with their files.
func workspace(root string) ([]*projectModule, error) {
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
		m := &projectModule{root: root, dir: path.Clean(use.Path)}
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

// known returns the files that belong to the repository, or would if all were
// added to it.
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
		// What is deleted is known until that is committed. Links and other
		// irregular files are never part of a module.
		if regular(filepath.Join(root, file)) {
			files = append(files, file)
		}
	}
	return files, nil
}

// within returns the files below a directory that are not in a module of their
// own.
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

// detach takes the replace directives for the given modules out of go.mod. It
// fails when the module requires one of them at a version that the proxy will
// not have.
func (m *projectModule) detach(project []string) error {
	for _, r := range slices.Clone(m.mod.Replace) {
		if slices.Contains(project, r.Old.Path) {
			if err := m.mod.DropReplace(r.Old.Path, r.Old.Version); err != nil {
				return err
			}
		}
	}
	m.mod.Cleanup()
	for _, r := range m.mod.Require {
		if slices.Contains(project, r.Mod.Path) && r.Mod.Version != version {
			return fmt.Errorf("%s/go.mod requires %s, but all modules of the project are %s here", m.dir, r.Mod, version)
		}
	}
	return nil
}
