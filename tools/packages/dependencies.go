package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/CycloneDX/cyclonedx-go"
)

// imported is a package as "go list" describes it.
type imported struct {
	ImportPath string
	Imports    []string
	Standard   bool
	Module     *struct {
		Path    string
		Replace *struct{ Path, Version string }
	}
}

// module returns the path of its module, which is empty for what belongs to the product.
func (p imported) module() string {
	switch {
	case p.Standard:
		return "std"
	case p.Module == nil || p.Module.Path == app:
		return ""
	case p.Module.Replace == nil:
		return p.Module.Path
	case p.Module.Replace.Version == "":
		return ""
	}
	return p.Module.Replace.Path
}

// app is the module of the binary.
const app = "github.com/problemtracking/problems/app"

// dependencies returns which components import which. The references of the components
// are by the paths of their modules.
func (r *release) dependencies(architecture string, references map[string]string) (*[]cyclonedx.Dependency, error) {
	packages, err := r.packages(architecture)
	if err != nil {
		return nil, err
	}
	reference := func(p imported) (string, error) {
		path := p.module()
		if path == "" {
			return product, nil
		}
		if found := references[path]; found != "" {
			return found, nil
		}
		return "", fmt.Errorf("the package %s is of no module in the binary", p.ImportPath)
	}
	edges := map[string]map[string]bool{product: {}}
	for _, found := range references {
		edges[found] = map[string]bool{}
	}
	for _, p := range packages {
		from, err := reference(p)
		if err != nil {
			return nil, err
		}
		if p.Standard {
			continue
		}
		for _, path := range p.Imports {
			to, err := reference(packages[path])
			if err != nil {
				return nil, err
			}
			if to != from {
				edges[from][to] = true
			}
		}
	}
	var all []cyclonedx.Dependency
	for _, from := range slices.Sorted(maps.Keys(edges)) {
		to := slices.Sorted(maps.Keys(edges[from]))
		all = append(all, cyclonedx.Dependency{Ref: from, Dependencies: &to})
	}
	return &all, nil
}

// packages returns all packages of the binary by their paths.
func (r *release) packages(architecture string) (map[string]imported, error) {
	output, err := command(r.source(), target(architecture), "go", "list", "-deps", "-json=ImportPath,Imports,Standard,Module", "./cmd/problems")
	if err != nil {
		return nil, err
	}
	all := map[string]imported{"C": {Standard: true}}
	for decoder := json.NewDecoder(strings.NewReader(output)); ; {
		var p imported
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return all, nil
		} else if err != nil {
			return nil, err
		}
		all[p.ImportPath] = p
	}
}
