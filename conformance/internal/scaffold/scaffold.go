// Package scaffold writes the module of a new storage adapter. It compiles, has its
// harness and a list of tasks. Nothing of it works, and every case of the suite reports
// it in a sentence.
package scaffold

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"go/format"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"text/template"
)

//go:embed templates/*.tmpl
var templates embed.FS

// Options describe the module.
type Options struct {
	// Module is the path of the new module.
	Module string
	// Name is the name of the package, and of the implementation in reports. If it is
	// empty, Module suggests one.
	Name string
	// Dir is the new directory, empty or missing. If it is empty, the directory is below
	// the current one, by the Name.
	Dir string
	// Local is a clone of the repository. The module uses its suite and domain instead of
	// the published ones. It may be empty.
	Local string
}

// Write writes the module and returns its directory. It overwrites nothing.
func Write(o Options) (dir string, err error) {
	if err := o.complete(); err != nil {
		return "", err
	}
	files, err := o.files()
	if err != nil {
		return "", err
	}
	if err := empty(o.Dir); err != nil {
		return "", err
	}
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return "", err
	}
	for _, f := range files {
		if err := create(filepath.Join(o.Dir, f.name), f.text); err != nil {
			return "", err
		}
	}
	return o.Dir, nil
}

// complete fills in the empty options, and returns the fault of the others.
func (o *Options) complete() error {
	if err := checkModule(o.Module); err != nil {
		return err
	}
	if o.Name == "" {
		o.Name = suggestedName(o.Module)
	}
	if err := checkName(o.Name); err != nil {
		return err
	}
	if o.Dir == "" {
		o.Dir = o.Name
	}
	if o.Local == "" {
		return nil
	}
	local, err := clone(o.Local)
	if err != nil {
		return err
	}
	o.Local = seenFrom(o.Dir, o.Local, local)
	return nil
}

// seenFrom returns the path of a clone as go.mod of a module in dir has it: a relative
// path, because go.mod is shared with others. full is the full path of the clone. It is
// the result where dir is behind a symbolic link: ".." could lead elsewhere.
func seenFrom(dir, local, full string) string {
	from, err := filepath.Abs(dir)
	if err != nil || behindLink(from) {
		return full
	}
	to, err := filepath.Abs(local)
	if err != nil {
		return full
	}
	relative, err := filepath.Rel(from, to)
	if err != nil { // on another drive
		return full
	}
	return filepath.ToSlash(relative)
}

// behindLink reports whether the existing part of a full path has a symbolic link.
func behindLink(path string) bool {
	for {
		real, err := filepath.EvalSymlinks(path)
		if err == nil {
			return real != path
		}
		parent := filepath.Dir(path)
		if parent == path {
			return true
		}
		path = parent
	}
}

// clone returns the full path of a directory with the suite and the domain.
func clone(dir string) (string, error) {
	full, err := filepath.Abs(dir)
	if err == nil {
		full, err = filepath.EvalSymlinks(full)
	}
	if err != nil {
		return "", fmt.Errorf("%q is no clone of the repository: %w", dir, err)
	}
	for _, module := range []string{"conformance", "domain"} {
		if _, err := os.Stat(filepath.Join(full, module, "go.mod")); err != nil {
			return "", fmt.Errorf("%q is no clone of the repository, which has the modules conformance and domain: %w", dir, err)
		}
	}
	return full, nil
}

// empty returns an error if the directory has anything in it.
func empty(dir string) error {
	entries, err := os.ReadDir(dir)
	switch {
	case errors.Is(err, os.ErrNotExist):
		return nil
	case err != nil:
		return fmt.Errorf("%q cannot take a new module: %w", dir, err)
	case len(entries) > 0:
		return fmt.Errorf("the directory %q is not empty: it has %s; name a new one with --dir", dir, entries[0].Name())
	}
	return nil
}

// create writes a new file.
func create(path string, text []byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	return errors.Join(err, f.Close())
}

type file struct {
	name string
	text []byte
}

// files returns the files of the module.
func (o *Options) files() ([]file, error) {
	files, err := o.rendered()
	if err != nil {
		return nil, err
	}
	for i, f := range files {
		if path.Ext(f.name) != ".go" {
			continue
		}
		// Where an import belongs depends on the module's path.
		if files[i].text, err = format.Source(f.text); err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	return append(files, file{"TODO.md", []byte(NewTodo(o.Name).Markdown())}), nil
}

// rendered returns the result of the templates.
func (o *Options) rendered() (files []file, err error) {
	all, err := template.New("").Funcs(template.FuncMap{"quoted": quoted}).ParseFS(templates, "templates/*.tmpl")
	if err != nil {
		return nil, err
	}
	values := struct {
		Options
		Release string
	}{*o, release}
	for _, t := range all.Templates() {
		name, isFile := strings.CutSuffix(t.Name(), ".tmpl")
		if !isFile {
			continue
		}
		var out bytes.Buffer
		if err := t.Execute(&out, values); err != nil {
			return nil, err
		}
		files = append(files, file{name, out.Bytes()})
	}
	return files, nil
}

// quoted returns the path of a module of a clone as go.mod wants it.
func quoted(clone, module string) string {
	path := filepath.Join(clone, module)
	if !filepath.IsAbs(path) {
		if path = filepath.ToSlash(path); !strings.HasPrefix(path, "../") {
			path = "./" + path
		}
	}
	if strings.ContainsAny(path, " \t\"'`(),;[]{}\\") || strings.Contains(path, "//") {
		return strconv.Quote(path)
	}
	return path
}
