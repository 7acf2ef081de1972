package main

import (
	"archive/tar"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestImage(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "program")
	if err := os.WriteFile(path, []byte("#!program"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := checkStatic(path); err == nil {
		t.Error("a text is taken for a static program")
	}
	var image bytes.Buffer
	if err := writeImage(&image, path); err != nil {
		t.Fatal(err)
	}
	var names []string
	for in := tar.NewReader(&image); ; {
		header, err := in.Next()
		if err != nil {
			break
		}
		names = append(names, header.Name)
	}
	if got := strings.Join(names, " "); got != "tmp/ problems" {
		t.Errorf("the image holds %q", got)
	}
}
