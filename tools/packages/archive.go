package main

import (
	"archive/tar"
	"errors"
	"io"
	"io/fs"
	"path"
	"path/filepath"
)

// tar writes the files below a directory to an archive, in the order of their names and
// with the time of the release. Their names in it begin with a prefix.
func (r *release) tar(to io.Writer, root, prefix string, read func(file string) ([]byte, error)) error {
	w := tar.NewWriter(to)
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := read(file)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		header := tar.Header{Name: path.Join(prefix, filepath.ToSlash(relative)), Mode: 0o644, Size: int64(len(content)), ModTime: r.time, Format: tar.FormatPAX}
		if err := w.WriteHeader(&header); err != nil {
			return err
		}
		_, err = w.Write(content)
		return err
	})
	return errors.Join(err, w.Close())
}
