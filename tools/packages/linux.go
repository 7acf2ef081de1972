package main

import (
	"errors"
	"os"
	"path/filepath"
	"strings"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // a format of nfpm
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm" // a format of nfpm
)

// linux makes the packages for Debian and for RPM.
func (r *release) linux(binary, architecture string) error {
	for _, format := range []string{"deb", "rpm"} {
		packager, err := nfpm.Get(format)
		if err != nil {
			return err
		}
		info := nfpm.WithDefaults(r.info(binary, architecture))
		if err := nfpm.PrepareForPackager(info, format); err != nil {
			return err
		}
		file, err := os.Create(r.name("-linux-" + architecture + "." + format))
		if err != nil {
			return err
		}
		if err := errors.Join(packager.Package(info, file), file.Close()); err != nil {
			return err
		}
	}
	return nil
}

// info describes a package.
func (r *release) info(binary, architecture string) *nfpm.Info {
	file := func(source, destination, kind string, mode os.FileMode) *files.Content {
		return &files.Content{Source: source, Destination: destination, Type: kind, FileInfo: &files.ContentFileInfo{Mode: mode, MTime: r.time}}
	}
	// The pages link to each other, and to the rules of Prometheus, by their paths in the tree.
	var docs files.Contents
	for _, pattern := range []string{"README.md", "app/docs/*.md", "app/docs/pictures/*", "app/docs/csv2archive.py", "app/deploy/monitoring/rules.yaml", "app/deploy/monitoring/dashboard.json", "app/deploy/failover/*", "adapters/README.md", "adapters/httpapi/README.md", "domain/rules/*.md"} {
		sources, _ := filepath.Glob(filepath.Join(r.root, pattern)) // the patterns are right
		for _, source := range sources {
			docs = append(docs, file(source, "/usr/share/doc/problems"+strings.TrimPrefix(source, r.root), files.TypeFile, 0o644))
		}
	}
	// Debian 11 does not know zstd, and xz takes a minute in Go.
	return &nfpm.Info{
		Name:        "problems",
		Arch:        architecture,
		Platform:    "linux",
		Version:     r.number(),
		Section:     "web",
		Priority:    "optional",
		Maintainer:  "The maintainers of problems <problems@example.org>",
		Description: "Issue tracker with pages for people and an HTTP API\n The data is in a SQLite file, or in a PostgreSQL database.",
		Homepage:    "https://github.com/problemtracking/problems",
		License:     "Apache-2.0",
		MTime:       r.time,
		Overridables: nfpm.Overridables{
			Depends: []string{"systemd"},
			Contents: append(docs,
				file(binary, "/usr/bin/problems", files.TypeFile, 0o755),
				file(r.deploy("systemd", "problems.service"), "/usr/lib/systemd/system/problems.service", files.TypeFile, 0o644),
				file(r.deploy("systemd", "problems.socket"), "/usr/lib/systemd/system/problems.socket", files.TypeFile, 0o644),
				file(r.deploy("systemd", "problems-backup.service"), "/usr/lib/systemd/system/problems-backup.service", files.TypeFile, 0o644),
				file(r.deploy("systemd", "problems-backup.timer"), "/usr/lib/systemd/system/problems-backup.timer", files.TypeFile, 0o644),
				file(r.deploy("systemd", "problems.sysusers"), "/usr/lib/sysusers.d/problems.conf", files.TypeFile, 0o644),
				file(r.deploy("systemd", "problems.env"), "/etc/problems/problems.env", files.TypeConfigNoReplace, 0o600),
				file(r.root+"/LICENSE", "/usr/share/doc/problems/copyright", files.TypeFile, 0o644),
				file(r.root+"/CHANGELOG.md", "/usr/share/doc/problems/CHANGELOG.md", files.TypeFile, 0o644),
			),
			Scripts: nfpm.Scripts{
				PostInstall: r.deploy("systemd", "postinstall"),
				PreRemove:   r.deploy("systemd", "preremove"),
				PostRemove:  r.deploy("systemd", "postremove"),
			},
			Deb: nfpm.Deb{Compression: "gzip"},
			RPM: nfpm.RPM{Compression: "gzip", BuildHost: "localhost"},
		},
	}
}
