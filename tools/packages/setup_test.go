package main

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"
)

// newRelease returns a release of this tree, for the architecture of this machine.
func newRelease(t *testing.T, version string) *release {
	t.Helper()
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return &release{root: root, version: version, to: filepath.Join(t.TempDir(), "out"), architectures: []string{runtime.GOARCH}, time: time.Unix(1_700_000_000, 0).UTC()}
}

// must returns the standard output of a command, without the last line break.
func must(t *testing.T, name string, args ...string) string {
	t.Helper()
	output, err := command(".", nil, name, args...)
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSuffix(output, "\n")
}

// artefacts makes all artefacts of a release.
func (r *release) artefacts(t *testing.T) {
	t.Helper()
	t.Setenv("SOURCE_DATE_EPOCH", "1700000000")
	if err := r.make(); err != nil {
		t.Fatal(err)
	}
}

// read returns the content of a file.
func read(t *testing.T, path string) []byte {
	t.Helper()
	content, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return content
}
