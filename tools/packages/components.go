package main

import (
	"debug/buildinfo"
	"errors"
	"os"
	"strings"
	"time"

	"github.com/CycloneDX/cyclonedx-go"
)

// components writes the list of everything in a binary (SBOM), in the form of CycloneDX.
// It comes from the binary itself.
func (r *release) components(binary, architecture string) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	list := cyclonedx.NewBOM()
	list.Metadata = &cyclonedx.Metadata{
		Timestamp: r.time.Format(time.RFC3339),
		Component: &cyclonedx.Component{
			BOMRef: "problems", Type: cyclonedx.ComponentTypeApplication, Name: "problems", Version: r.number(),
			Licenses: &cyclonedx.Licenses{{License: &cyclonedx.License{ID: "Apache-2.0"}}},
		},
	}
	all := []cyclonedx.Component{component("std", strings.TrimPrefix(info.GoVersion, "go"))}
	for _, module := range info.Deps {
		if module.Replace != nil && module.Replace.Version == "" { // of this repository
			continue
		}
		if module.Replace != nil {
			module = module.Replace
		}
		all = append(all, component(module.Path, module.Version))
	}
	list.Components = &all
	file, err := os.Create(r.name("-linux-" + architecture + ".cdx.json"))
	if err != nil {
		return err
	}
	return errors.Join(cyclonedx.NewBOMEncoder(file, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(list), file.Close())
}

// component returns a module of Go.
func component(path, version string) cyclonedx.Component {
	url := "pkg:golang/" + path + "@" + version
	return cyclonedx.Component{BOMRef: url, Type: cyclonedx.ComponentTypeLibrary, Name: path, Version: version, PackageURL: url}
}
