package main

import (
	"debug/buildinfo"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
)

// product is the reference of the binary in its list of components.
const product = "problems"

// components writes the list of everything in a binary (SBOM), in the form of CycloneDX.
// It comes from the binary itself, and their dependencies from the imports.
func (r *release) components(binary, architecture string) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	list := cyclonedx.NewBOM()
	list.Metadata = &cyclonedx.Metadata{
		Timestamp: r.time.Format(time.RFC3339),
		Component: &cyclonedx.Component{
			BOMRef: product, Type: cyclonedx.ComponentTypeApplication, Name: "problems", Version: r.number(),
			Licenses: &cyclonedx.Licenses{{License: &cyclonedx.License{ID: "Apache-2.0"}}},
		},
	}
	std := component("std", strings.TrimPrefix(info.GoVersion, "go"))
	all, references := []cyclonedx.Component{std}, map[string]string{"std": std.BOMRef}
	for _, m := range modules(info) {
		c := component(m.Path, m.Version)
		if c.Hashes, err = hashes(m.Sum); err != nil {
			return fmt.Errorf("%s: %w", m.Path, err)
		}
		all, references[m.Path] = append(all, c), c.BOMRef
	}
	list.Components = &all
	if list.Dependencies, err = r.dependencies(architecture, references); err != nil {
		return err
	}
	file, err := os.Create(r.name("-linux-" + architecture + ".cdx.json"))
	if err != nil {
		return err
	}
	// More programs read this version than the newest.
	encoder := cyclonedx.NewBOMEncoder(file, cyclonedx.BOMFileFormatJSON).SetPretty(true)
	return errors.Join(encoder.EncodeVersion(list, cyclonedx.SpecVersion1_6), file.Close())
}

// modules returns the modules in a binary, without those of this repository that a path
// replaces: these have no sum.
func modules(info *debug.BuildInfo) (all []*debug.Module) {
	for _, m := range info.Deps {
		switch {
		case m.Replace == nil:
			all = append(all, m)
		case m.Replace.Sum != "":
			all = append(all, m.Replace)
		}
	}
	return all
}

// component returns a module of Go.
func component(path, version string) cyclonedx.Component {
	url := "pkg:golang/" + path + "@" + version
	return cyclonedx.Component{BOMRef: url, Type: cyclonedx.ComponentTypeLibrary, Name: path, Version: version, PackageURL: url}
}

// hashes returns the sum of a module in go.sum: a SHA-256 over the names and sums of its
// files. It is there in base64, and in hexadecimal digits in the list.
func hashes(sum string) (*[]cyclonedx.Hash, error) {
	text, found := strings.CutPrefix(sum, "h1:")
	if !found {
		return nil, fmt.Errorf("the sum %q is none of go.sum", sum)
	}
	digest, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		return nil, err
	}
	return &[]cyclonedx.Hash{{Algorithm: cyclonedx.HashAlgoSHA256, Value: hex.EncodeToString(digest)}}, nil
}
