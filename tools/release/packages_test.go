//go:build packages

package main

import (
	"path/filepath"
	"regexp"
	"runtime"
	"strings"
	"testing"
)

// TestPackagesCarryTheVersion makes a release of this tree with its packages.
func TestPackagesCarryTheVersion(t *testing.T) {
	dir := t.TempDir()
	o := &outsider{T: t, tree: cloned(t, dir)}
	to := filepath.Join(dir, "packages")
	var out strings.Builder
	if err := (making{root: o.tree, to: to, architectures: runtime.GOARCH}).make(version, &out); err != nil {
		t.Fatal(err)
	}
	number := strings.TrimPrefix(version, "v")
	binary := filepath.Join(to, "problems-"+number+"-linux-"+runtime.GOARCH)
	if got := strings.TrimSpace(o.run(dir, binary, "version")); got != "problems "+version {
		t.Errorf("the binary says %q", got)
	}
	// Nothing is replaced, and each of our modules has the version.
	modules := o.run(dir, "go", "version", "-m", binary)
	ours := regexp.MustCompile(`(?m)^\tdep\t`+regexp.QuoteMeta(project)+`\S+\t(\S+)`).FindAllStringSubmatch(modules, -1)
	for _, m := range ours {
		if m[1] != version {
			t.Errorf("the binary has %s", m[0])
		}
	}
	if len(ours) < 7 || strings.Contains(modules, "\t=>\t") {
		t.Errorf("the binary has these modules; want ours, and none replaced:\n%s", modules)
	}
	if got := strings.TrimSpace(o.run(dir, "dpkg-deb", "--field", binary+".deb", "Version")); got != number {
		t.Errorf("the package for Debian has the version %q", got)
	}
	if sums := o.run(to, "sha256sum", "--check", "SHA256SUMS"); strings.Count(sums, number) != strings.Count(out.String(), "problems-"+number) {
		t.Errorf("the sums are of\n%s\nand it says\n%s", sums, out.String())
	}
}
