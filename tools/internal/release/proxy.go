package release

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
)

// Publish makes a module proxy of the working tree, as if all modules of the workspace
// were released: a directory for a GOPROXY. It returns the paths of the
// modules.
func Publish(root, out, version string) ([]string, error) {
	if err := check(version); err != nil {
		return nil, err
	}
	modules, err := load(root)
	if err != nil {
		return nil, err
	}
	if err := prepare(modules, version); err != nil {
		return nil, err
	}
	paths := make([]string, len(modules))
	for i, m := range modules {
		paths[i] = m.path()
		if err := m.write(out, version); err != nil {
			return nil, fmt.Errorf("%s: %w", m.path(), err)
		}
	}
	return paths, nil
}

// Copy copies the files of a working tree, without those ignored by git.
func Copy(root, to string) error {
	files, err := known(root)
	if err != nil {
		return err
	}
	for _, file := range files {
		info, err := os.Stat(filepath.Join(root, file))
		if err != nil {
			return err
		}
		content, err := os.ReadFile(filepath.Join(root, file))
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Join(to, filepath.Dir(file)), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(to, file), content, info.Mode().Perm()); err != nil {
			return err
		}
	}
	return nil
}

// FileURL returns the URL of an absolute path, to be an element of a GOPROXY.
func FileURL(path string) string {
	path = "/" + strings.TrimPrefix(filepath.ToSlash(path), "/") // C:\ becomes /C:/
	return (&url.URL{Scheme: "file", Path: path}).String()
}

// write writes the answers of a proxy about a module: "go help goproxy".
func (m *projectModule) write(out, version string) error {
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
	entries, err := m.entries()
	if err != nil {
		return err
	}
	files := make([]zip.File, len(entries))
	for i, e := range entries {
		files[i] = e
	}
	var archive bytes.Buffer
	if err := zip.Create(&archive, module.Version{Path: m.path(), Version: version}, files); err != nil {
		return err
	}
	for name, data := range map[string][]byte{
		"list":            []byte(version + "\n"),
		version + ".info": info,
		version + ".mod":  m.changed["go.mod"],
		version + ".zip":  archive.Bytes(),
	} {
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	return nil
}

// entries returns the files of the module's archive. As in archives from a repository, a
// module without a license gets the one at the root.
func (m *projectModule) entries() ([]entry, error) {
	files := slices.Sorted(slices.Values(m.files))
	var entries []entry
	if license := filepath.Join(m.root, "LICENSE"); regular(license) && !slices.Contains(files, "LICENSE") {
		content, err := os.ReadFile(license)
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{"LICENSE", content})
	}
	for _, name := range files {
		content, err := m.content(name)
		if err != nil {
			return nil, err
		}
		entries = append(entries, entry{name, content})
	}
	return entries, nil
}

// regular reports whether there is a file of this name, and no link or directory.
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
