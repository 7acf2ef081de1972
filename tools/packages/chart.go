package main

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
)

// chart packs the chart for Helm, with the version of the release in it.
func (r *release) chart() error {
	var b bytes.Buffer
	zipped := gzip.NewWriter(&b)
	read := func(file string) ([]byte, error) {
		content, err := os.ReadFile(file)
		if filepath.Base(file) == "Chart.yaml" {
			content = bytes.Replace(content, []byte("\nversion: 0.0.0\n"), []byte("\nversion: "+r.number()+"\n"), 1)
			content = bytes.Replace(content, []byte("\nappVersion: 0.0.0\n"), []byte("\nappVersion: "+r.tag()+"\n"), 1)
		}
		return content, err
	}
	if err := r.tar(zipped, r.deploy("chart"), "problems", read); err != nil {
		return err
	}
	if err := zipped.Close(); err != nil {
		return err
	}
	return os.WriteFile(r.name("-chart.tgz"), b.Bytes(), 0o644)
}
