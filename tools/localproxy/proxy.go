package main

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"maps"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// fileURL returns the URL of an absolute path, to be an element of a GOPROXY.
func fileURL(path string) string {
	path = "/" + strings.TrimPrefix(filepath.ToSlash(path), "/") // C:\ becomes /C:/
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// write writes what a proxy answers about a module: "go help goproxy".
func (m *projectModule) write(out string) error {
	escaped, err := module.EscapePath(m.path())
	if err != nil {
		return err
	}
	dir := filepath.Join(out, filepath.FromSlash(escaped), "@v")
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	info, err := json.Marshal(struct{ Version string }{version})
	if err != nil {
		return err
	}
	mod := modfile.Format(m.mod.Syntax)
	entries, err := m.entries(mod)
	if err != nil {
		return err
	}
	var archive bytes.Buffer
	if err := zip.Create(&archive, module.Version{Path: m.path(), Version: version}, entries); err != nil {
		return err
	}
	for name, data := range map[string][]byte{
		"list":            []byte(version + "\n"),
		version + ".info": info,
		version + ".mod":  mod,
		version + ".zip":  archive.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// entries returns the files of the module's archive, in which go.mod is the given
// one. As with modules that come from a repository, the license at its root is
// that of modules which have none.
func (m *projectModule) entries(mod []byte) ([]zip.File, error) {
	sources := make(map[string]string, len(m.files)+1) // by path in the archive
	if license := filepath.Join(m.root, "LICENSE"); regular(license) {
		sources["LICENSE"] = license
	}
	for _, file := range m.files {
		sources[file] = filepath.Join(m.root, m.dir, file)
	}
	delete(sources, "go.mod")
	entries := []zip.File{entry{"go.mod", mod}}
	for _, name := range slices.Sorted(maps.Keys(sources)) {
		content, err := os.ReadFile(sources[name])
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{name, content})
	}
	return entries, nil
}

// regular reports whether there is a file of that name, and no link or directory.
func regular(name string) bool {
	info, err := os.Lstat(name)
	return err == nil && info.Mode().IsRegular()
}

// entry is a file of an archive, and its own fs.FileInfo. It was read at once, for
// somebody may be at work on the file.
type entry struct {
	path    string
	content []byte
}

func (e entry) Path() string                 { return e.path }
func (e entry) Lstat() (fs.FileInfo, error)  { return e, nil }
func (e entry) Open() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(e.content)), nil }

func (e entry) Name() string     { return path.Base(e.path) }
func (e entry) Size() int64      { return int64(len(e.content)) }
func (entry) Mode() fs.FileMode  { return 0o644 }
func (entry) ModTime() time.Time { return time.Time{} }
func (entry) IsDir() bool        { return false }
func (entry) Sys() any           { return nil }
