package main

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
	"github.com/google/go-containerregistry/pkg/v1/validate"
)

// TestIndexHasAllArchitectures reads the layout as a registry's client does: one name leads
// to one image for each architecture, and each is the image for "docker load".
func TestIndexHasAllArchitectures(t *testing.T) {
	t.Parallel()
	r := newRelease(t, "v0.2.0-5-g1f6d89b")
	r.architectures = []string{"amd64", "arm64"}
	if err := os.MkdirAll(r.to, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, architecture := range r.architectures {
		binary := filepath.Join(t.TempDir(), "problems")
		if err := errors.Join(os.WriteFile(binary, []byte("for "+architecture), 0o755), r.image(binary, architecture)); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.index(); err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	must(t, "tar", "-xf", r.name("-image.oci.tar"), "-C", dir)
	outer, err := layout.ImageIndexFromPath(dir)
	if err != nil {
		t.Fatal(err)
	}
	if err := validate.Index(outer); err != nil {
		t.Error(err)
	}
	names := manifests(t, outer)
	if len(names) != 1 || names[0].MediaType != types.OCIImageIndex || names[0].Annotations["org.opencontainers.image.ref.name"] != "0.2.0-5.g1f6d89b" {
		t.Fatalf("the layout has %+v; want an index with the version as its name", names)
	}
	inner, err := outer.ImageIndex(names[0].Digest)
	if err != nil {
		t.Fatal(err)
	}
	var found []string
	for _, m := range manifests(t, inner) {
		found = append(found, m.Platform.String())
		image, err := inner.Image(m.Digest)
		if err != nil {
			t.Fatal(err)
		}
		loaded, err := tarball.ImageFromPath(r.name("-image-"+m.Platform.Architecture+".tar"), nil)
		if err != nil {
			t.Fatal(err)
		}
		in, err := image.ConfigName()
		alone, err2 := loaded.ConfigName()
		if err := errors.Join(err, err2); err != nil || in != alone || m.MediaType != types.OCIManifestSchema1 {
			t.Errorf("for %s, the layout has %v of type %s, and the archive %v: %v", m.Platform, in, m.MediaType, alone, err)
		}
	}
	if want := []string{"linux/amd64", "linux/arm64"}; !slices.Equal(found, want) {
		t.Errorf("the index has images for %q; want %q", found, want)
	}
}

// manifests returns what an index leads to.
func manifests(t *testing.T, index v1.ImageIndex) []v1.Descriptor {
	t.Helper()
	manifest, err := index.IndexManifest()
	if err != nil {
		t.Fatal(err)
	}
	return manifest.Manifests
}
