package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"io"
	"os"
	"time"

	"github.com/google/go-containerregistry/pkg/name"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// nobody is the user and the group in the image: a number, so that Kubernetes knows it is
// not root.
const nobody = 65532

// image makes an image with the binary and nothing else, for "docker load", and keeps it
// for the index. It needs no engine.
func (r *release) image(binary, architecture string) error {
	content, err := os.ReadFile(binary)
	if err != nil {
		return err
	}
	layer, err := r.layer(content)
	if err != nil {
		return err
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err = mutate.Append(image, mutate.Addendum{Layer: layer, History: v1.History{Created: v1.Time{Time: r.time}, CreatedBy: "tools/packages"}})
	if err != nil {
		return err
	}
	image, err = mutate.ConfigFile(image, r.imageConfig(image, architecture))
	if err != nil {
		return err
	}
	r.images = append(r.images, mutate.IndexAddendum{
		Add: image, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: "linux", Architecture: architecture}},
	})
	tag, err := name.NewTag("problems:"+r.tag(), name.WithDefaultRegistry(""))
	if err != nil {
		return err
	}
	file, err := os.Create(r.name("-image-" + architecture + ".tar"))
	if err != nil {
		return err
	}
	return errors.Join(tarball.Write(tag, image, file), file.Close())
}

// imageConfig returns how a container of the image runs.
func (r *release) imageConfig(image v1.Image, architecture string) *v1.ConfigFile {
	config, err := image.ConfigFile()
	if err != nil {
		config = &v1.ConfigFile{}
	}
	config = config.DeepCopy()
	config.Architecture, config.OS = architecture, "linux"
	config.Created = v1.Time{Time: r.time}
	config.Config = v1.Config{
		User:         "65532:65532",
		Entrypoint:   []string{"/problems"},
		Cmd:          []string{"serve"},
		Env:          []string{"PROBLEMS_STORE=sqlite:///var/lib/problems/problems.db", "PROBLEMS_LISTEN=0.0.0.0:8080"},
		ExposedPorts: map[string]struct{}{"8080/tcp": {}},
		Volumes:      map[string]struct{}{"/var/lib/problems": {}},
		WorkingDir:   "/",
		StopSignal:   "SIGTERM",
		Healthcheck: &v1.HealthConfig{
			Test: []string{"CMD", "/problems", "health"}, Interval: 10 * time.Second, Timeout: 6 * time.Second, StartPeriod: 10 * time.Second, Retries: 3,
		},
		Labels: map[string]string{
			"org.opencontainers.image.title":    "problems",
			"org.opencontainers.image.version":  r.number(),
			"org.opencontainers.image.licenses": "Apache-2.0",
			"org.opencontainers.image.source":   "https://github.com/problemtracking/problems",
		},
	}
	return config
}

// layer returns the only layer: the binary, and the directory for the data.
func (r *release) layer(binary []byte) (v1.Layer, error) {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, entry := range []tar.Header{
		{Name: "problems", Typeflag: tar.TypeReg, Mode: 0o755, Size: int64(len(binary))},
		{Name: "var/", Typeflag: tar.TypeDir, Mode: 0o755},
		{Name: "var/lib/", Typeflag: tar.TypeDir, Mode: 0o755},
		{Name: "var/lib/problems/", Typeflag: tar.TypeDir, Mode: 0o700, Uid: nobody, Gid: nobody},
	} {
		entry.ModTime, entry.Format = r.time, tar.FormatPAX
		if err := w.WriteHeader(&entry); err != nil {
			return nil, err
		}
		if entry.Size > 0 {
			if _, err := w.Write(binary); err != nil {
				return nil, err
			}
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	open := func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(b.Bytes())), nil }
	return tarball.LayerFromOpener(open, tarball.WithMediaType(types.OCILayer), tarball.WithCompressedCaching)
}
