package main

import (
	"fmt"
	"slices"
	"strings"
)

const project = "github.com/problemtracking/problems/"

// rule lists the folders for imports of the packages below a folder.
type rule struct {
	folder string
	// mayImport are folders of the project; the own one is always allowed.
	mayImport []string
	// testsMayImport are further ones for tests.
	testsMayImport []string
	// libraries is whether it may import anything but the standard library
	// and the project.
	libraries bool
	// driving adapters read and write by the service: only their tests know the port of stores.
	driving bool
}

// rules are the arrows; the first rule for a folder counts.
var rules = []rule{
	{folder: "domain"},
	{folder: "conformance", mayImport: []string{"domain"}, libraries: true},
	// App runs the servers: it counts connections and logs requests by httpframe too.
	{folder: "adapters/httpframe", mayImport: []string{"domain"}, libraries: true, driving: true},
	{folder: "adapters/httpapi", mayImport: []string{"domain", "adapters/httpframe", "adapters/internal/filename"}, testsMayImport: []string{"conformance", "adapters/memory"}, libraries: true, driving: true},
	// The client runs in the programs of others, which want no further modules.
	{folder: "adapters/client"},
	{folder: "adapters/mcp", mayImport: []string{"adapters/client", "adapters/httpframe", "domain"}, libraries: true, driving: true},
	{folder: "adapters/webhook", mayImport: []string{"domain"}, libraries: true, driving: true},
	{folder: "adapters/mail", mayImport: []string{"domain", "adapters/internal/filename"}, libraries: true, driving: true},
	{folder: "adapters/web", mayImport: []string{"domain", "adapters/httpframe"}, testsMayImport: []string{"adapters/files", "adapters/memory"}, libraries: true, driving: true},
	{folder: "adapters/memory", mayImport: []string{"domain"}, testsMayImport: []string{"conformance"}, libraries: true},
	{folder: "adapters/s3", mayImport: []string{"domain"}, testsMayImport: []string{"conformance"}, libraries: true},
	{folder: "adapters/files", mayImport: []string{"domain"}, testsMayImport: []string{"conformance"}},
	{folder: "adapters/sqlite", mayImport: []string{"domain", "adapters/internal"}, testsMayImport: []string{"conformance"}, libraries: true},
	{folder: containers, mayImport: forTests[:1], libraries: true},
	{folder: forTests[0], libraries: true},
	{folder: "adapters/postgres", mayImport: []string{"domain", "adapters/internal"}, testsMayImport: []string{"conformance"}, libraries: true},
	{folder: "adapters/internal", mayImport: []string{"domain"}, libraries: true},
	{folder: "adapters/archive", mayImport: []string{"domain"}, testsMayImport: []string{"conformance", "adapters/memory"}, libraries: true},
	{folder: "app", mayImport: []string{"adapters", "domain"}, testsMayImport: []string{"conformance"}, libraries: true},
}

// forTests are the folders for tests alone: they may import as tests may.
var forTests = []string{"adapters/postgres/postgrestest", "adapters/s3/s3test", "adapters/internal/sqlstore/searchtest", "adapters/internal/sqlstore/upgradetest", "domain/predicate/internal/predicatetest", "domain/predicate/internal/pagetest", "domain/tracker/internal/kit", "domain/tracker/internal/stage"}

// containers runs containers for tests. Users of the adapter do not inherit its
// libraries: it is a module of its own without importers.
const containers = "adapters/postgres/postgrestest/containers"

// isForTests reports whether a folder is one of these, or below.
func isForTests(folder string) bool {
	return slices.ContainsFunc(forTests, func(f string) bool { return within(folder, f) })
}

// only are the libraries of one folder alone: app puts the project together, configures
// it and calls it from a command line, and every database is its adapter's.
var only = []struct{ library, folder string }{
	{"go.uber.org/fx", "app"},
	{"go.uber.org/dig", "app"},
	{"github.com/alecthomas/kong", "app"},
	{"github.com/jackc/pgx", "adapters/postgres"},
	{"modernc.org/sqlite", "adapters/sqlite"},
	{"github.com/testcontainers", containers},
	{"github.com/moby", containers},
	{"github.com/anishathalye/porcupine", "conformance"},
}

// arrows returns a sentence for every forbidden import of p.
func (p pkg) arrows() []string {
	folder := strings.TrimPrefix(p.ImportPath, project)
	i := slices.IndexFunc(rules, func(r rule) bool { return within(folder, r.folder) })
	if i < 0 {
		return []string{fmt.Sprintf("%s is in no folder that has a rule: add it to tools/checkarrows", folder)}
	}
	r := rules[i]
	violations := r.check(folder, p.Imports)
	for _, f := range forTests {
		imported := slices.IndexFunc(p.Imports, func(path string) bool { return within(path, project+f) })
		if imported >= 0 && !isForTests(folder) {
			violations = append(violations, fmt.Sprintf("%s must not import %s: it is for tests alone", folder, strings.TrimPrefix(p.Imports[imported], project)))
		}
	}
	if r.driving && slices.ContainsFunc(p.Imports, func(path string) bool { return within(path, project+"domain/store") }) {
		violations = append(violations, folder+" must not import domain/store: it reads and writes by the service alone")
	}
	r.mayImport = slices.Concat(r.mayImport, r.testsMayImport)
	r.libraries = true // tests may use some everywhere
	violations = append(violations, r.check(folder+" (tests)", p.TestImports)...)
	return append(violations, r.check(folder+" (tests)", p.XTestImports)...)
}

// check returns a sentence for every import against the rule.
func (r rule) check(who string, imports []string) []string {
	var violations []string
	for _, path := range imports {
		folder, inProject := strings.CutPrefix(path, project)
		switch {
		case inProject && !within(folder, r.folder) && !slices.ContainsFunc(r.mayImport, func(m string) bool { return within(folder, m) }):
			violations = append(violations, fmt.Sprintf("%s must not import %s", who, folder))
		case !inProject && !r.libraries && strings.Contains(strings.Split(path, "/")[0], "."):
			violations = append(violations, fmt.Sprintf("%s must not import %s: it has the standard library alone", who, path))
		}
		for _, o := range only {
			if within(path, o.library) && !within(r.folder, o.folder) {
				violations = append(violations, fmt.Sprintf("%s must not import %s: %s alone knows it", who, path, o.folder))
			}
		}
	}
	return violations
}

// within reports whether a path is a folder or below it.
func within(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, folder+"/")
}
