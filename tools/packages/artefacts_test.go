//go:build packages

package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestBuildsAreEqual makes all artefacts twice, from trees at different paths, and
// compares them byte for byte.
func TestBuildsAreEqual(t *testing.T) {
	first, second := newRelease(t, "v0.2.0"), newRelease(t, "v0.2.0")
	copied := filepath.Join(t.TempDir(), "elsewhere", "and", "deeper")
	must(t, "mkdir", "-p", copied)
	must(t, "sh", "-c", "cd ../.. && git ls-files -co --exclude-standard -z | tar -c --null -T - | tar -x -C "+copied)
	second.root = copied
	first.artefacts(t)
	second.artefacts(t)
	entries, err := os.ReadDir(first.to)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 8 {
		t.Errorf("there are %d artefacts; want a binary, two packages, an image, an index, a list of components, a chart and the sums", len(entries))
	}
	for _, e := range entries {
		if string(read(t, filepath.Join(first.to, e.Name()))) != string(read(t, filepath.Join(second.to, e.Name()))) {
			t.Errorf("%s differs", e.Name())
		}
	}
	must(t, "sh", "-c", "cd "+first.to+" && sha256sum --check --quiet SHA256SUMS")
	if strings.Contains(string(read(t, first.name("-linux-"+first.architectures[0]))), first.root) {
		t.Error("the binary has the path of its source")
	}
}
