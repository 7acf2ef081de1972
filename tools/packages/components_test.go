//go:build packages

package main

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/CycloneDX/cyclonedx-go"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// TestComponents compares the list of components with what Go says of the same binary, and
// holds it against the schema of CycloneDX.
func TestComponents(t *testing.T) {
	t.Parallel()
	r := newRelease(t, "v0.2.0")
	must(t, "mkdir", "-p", r.to)
	architecture := r.architectures[0]
	binary, err := r.build(architecture)
	if err != nil {
		t.Fatal(err)
	}
	if err := r.components(binary, architecture); err != nil {
		t.Fatal(err)
	}
	text := read(t, r.name("-linux-"+architecture+".cdx.json"))
	inSchema(t, text)
	list := new(cyclonedx.BOM)
	if err := cyclonedx.NewBOMDecoder(bytes.NewReader(text), cyclonedx.BOMFileFormatJSON).Decode(list); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range *list.Components {
		if c.Name == "std" {
			got = append(got, "std "+c.Version)
			continue
		}
		sum, err := hex.DecodeString((*c.Hashes)[0].Value)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, c.Name+" "+c.Version+" h1:"+base64.StdEncoding.EncodeToString(sum))
	}
	// "dep" of a library has a sum, and that of a module of this repository has a path.
	version := must(t, "go", "version", "-m", binary)
	want := []string{"std " + strings.TrimPrefix(strings.Fields(strings.Split(version, "\n")[0])[1], "go")}
	for line := range strings.Lines(version) {
		if fields := strings.Fields(line); len(fields) == 4 && fields[0] == "dep" {
			want = append(want, strings.Join(fields[1:], " "))
		}
	}
	if !slices.Equal(got, want) || len(got) < 20 {
		t.Errorf("the components are\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	reachable(t, list)
}

// reachable fails unless the dependencies lead from the product to each component.
func reachable(t *testing.T, list *cyclonedx.BOM) {
	t.Helper()
	to := map[string][]string{}
	for _, d := range *list.Dependencies {
		if d.Dependencies != nil {
			to[d.Ref] = *d.Dependencies
		}
	}
	seen, next := map[string]bool{}, []string{list.Metadata.Component.BOMRef}
	for len(next) > 0 {
		ref := next[0]
		next = next[1:]
		if !seen[ref] {
			seen[ref] = true
			next = append(next, to[ref]...)
		}
	}
	for _, c := range *list.Components {
		if !seen[c.BOMRef] {
			t.Errorf("the dependencies do not lead to %s", c.BOMRef)
		}
	}
	pgx := func(ref string) bool { return strings.HasPrefix(ref, "pkg:golang/github.com/jackc/pgx/v5@") }
	if direct := to[list.Metadata.Component.BOMRef]; !slices.ContainsFunc(direct, pgx) || len(direct) >= len(*list.Components) {
		t.Errorf("the product imports %q", direct)
	}
}

// inSchema fails unless a list of components has the form of CycloneDX, as the schemas
// beside the library say.
func inSchema(t *testing.T, text []byte) {
	t.Helper()
	dir := filepath.Join(must(t, "go", "list", "-m", "-f", "{{.Dir}}", "github.com/CycloneDX/cyclonedx-go"), "schema")
	compiler := jsonschema.NewCompiler()
	for name, file := range map[string]string{
		"bom-1.6.schema.json": "bom-1.6.schema.json", "spdx.schema.json": "spdx.schema.json", "jsf-0.82.schema.json": "jsf-0.82.schemax.json",
	} {
		document, err := jsonschema.UnmarshalJSON(bytes.NewReader(read(t, filepath.Join(dir, file))))
		if err != nil {
			t.Fatal(err)
		}
		if err := compiler.AddResource("http://cyclonedx.org/schema/"+name, document); err != nil {
			t.Fatal(err)
		}
	}
	schema, err := compiler.Compile("http://cyclonedx.org/schema/bom-1.6.schema.json")
	if err != nil {
		t.Fatal(err)
	}
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(text))
	if err != nil {
		t.Fatal(err)
	}
	if err := schema.Validate(document); err != nil {
		t.Errorf("the list is none of CycloneDX: %v", err)
	}
}
