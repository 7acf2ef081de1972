package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/mod/semver"
)

// build builds the binary for an architecture of Linux: static, without paths of this
// machine, and without the identifier of the build.
func (r *release) build(architecture string) (path string, err error) {
	path, err = filepath.Abs(r.name("-linux-" + architecture))
	if err != nil {
		return "", err
	}
	_, err = command(filepath.Join(r.root, "app"), []string{"GOWORK=off", "CGO_ENABLED=0", "GOOS=linux", "GOARCH=" + architecture, "GOFLAGS="},
		"go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -buildid= -X main.version="+r.version, "-o", path, "./cmd/problems")
	if err != nil {
		return "", err
	}
	return path, os.Chtimes(path, r.time, r.time)
}

// number returns the version as package managers want it: without a v, and below 0.0.1
// when no tag is known.
func (r *release) number() string {
	if semver.IsValid(r.version) {
		return strings.TrimPrefix(r.version, "v")
	}
	return "0.0.0-" + strings.Map(func(c rune) rune {
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' {
			return c
		}
		return '.'
	}, r.version)
}

// command runs a command in a directory and returns its standard output.
func command(dir string, environment []string, name string, args ...string) (string, error) {
	c := exec.Command(name, args...)
	c.Dir, c.Env = dir, append(os.Environ(), environment...)
	var failure strings.Builder
	c.Stderr = &failure
	output, err := c.Output()
	if err != nil {
		return "", fmt.Errorf("%s %s: %w: %s", name, args[0], err, strings.TrimSpace(failure.String()))
	}
	return string(output), nil
}
