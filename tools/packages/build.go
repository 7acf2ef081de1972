package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
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
	_, err = command(r.source(), target(architecture),
		"go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w -buildid= -X main.version="+r.version, "-o", path, "./cmd/problems")
	if err != nil {
		return "", err
	}
	return path, os.Chtimes(path, r.time, r.time)
}

// source is the directory of the module of the binary.
func (r *release) source() string { return filepath.Join(r.root, "app") }

// target returns the variables of builds for an architecture of Linux.
func target(architecture string) []string {
	return []string{"GOWORK=off", "CGO_ENABLED=0", "GOOS=linux", "GOARCH=" + architecture, "GOFLAGS="}
}

// described is a version from "git describe": a tag, and what has happened since.
var described = regexp.MustCompile(`^(v.+?)(?:-([0-9]+-g[0-9a-f]+))?(?:-(dirty))?$`)

// number returns the version as package managers want it: without a v. Work after a tag is
// above the tag and below the next one, as metadata are: behind a hyphen, it would be below
// the tag. Without a tag it is below 0.0.1.
func (r *release) number() string {
	base, since := "0.0.0", []string{r.version}
	if parts := described.FindStringSubmatch(r.version); parts != nil && semver.IsValid(parts[1]) {
		base, since = strings.TrimPrefix(parts[1], "v"), slices.DeleteFunc(parts[2:], func(part string) bool { return part == "" })
	}
	if len(since) == 0 {
		return base
	}
	return base + "+" + strings.Map(func(c rune) rune {
		if 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' {
			return c
		}
		return '.'
	}, strings.Join(since, "."))
}

// tag returns the version as the tag of an image, which has no plus.
func (r *release) tag() string { return strings.ReplaceAll(r.number(), "+", "-") }

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
