package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"io/fs"
	"os"
	"path"
	"path/filepath"
)

// chart packs the chart for Helm, with the version of the release in it.
func (r *release) chart() error {
	var b bytes.Buffer
	zipped := gzip.NewWriter(&b)
	w := tar.NewWriter(zipped)
	root := r.deploy("chart")
	err := filepath.WalkDir(root, func(file string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		relative, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		if relative == "Chart.yaml" {
			content = bytes.ReplaceAll(content, []byte("0.0.0"), []byte(r.number()))
		}
		header := tar.Header{Name: path.Join("problems", filepath.ToSlash(relative)), Mode: 0o644, Size: int64(len(content)), ModTime: r.time, Format: tar.FormatPAX}
		if err := w.WriteHeader(&header); err != nil {
			return err
		}
		_, err = w.Write(content)
		return err
	})
	if err != nil {
		return err
	}
	if err := w.Close(); err != nil {
		return err
	}
	if err := zipped.Close(); err != nil {
		return err
	}
	return os.WriteFile(r.name("-chart.tgz"), b.Bytes(), 0o644)
}
