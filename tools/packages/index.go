package main

import (
	"errors"
	"os"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// index writes the images of all architectures as one, in the layout of OCI: a registry
// gives each machine its own. Its name in the archive is the version.
func (r *release) index() (err error) {
	dir, err := os.MkdirTemp("", "problems-layout-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	images := mutate.IndexMediaType(mutate.AppendManifests(empty.Index, r.images...), types.OCIImageIndex)
	named := mutate.AppendManifests(empty.Index, mutate.IndexAddendum{
		Add: images, Descriptor: v1.Descriptor{Annotations: map[string]string{"org.opencontainers.image.ref.name": r.tag()}},
	})
	if _, err := layout.Write(dir, named); err != nil {
		return err
	}
	file, err := os.Create(r.name("-image.oci.tar"))
	if err != nil {
		return err
	}
	return errors.Join(r.tar(file, dir, "", os.ReadFile), file.Close())
}
