package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestArrows(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name string
		pkg  pkg
		want []string // one part of each violation
	}{
		{"the domain", pkg{ImportPath: "domain/store", Imports: []string{"context", "domain/ident"}}, nil},
		{"a library in the domain", pkg{ImportPath: "domain/store", Imports: []string{"github.com/google/uuid"}}, []string{"standard library alone"}},
		{"a library in its tests", pkg{ImportPath: "domain/store", XTestImports: []string{"pgregory.net/rapid"}}, nil},
		{"outwards", pkg{ImportPath: "domain/store", Imports: []string{"adapters/memory"}}, []string{"must not import adapters/memory"}},
		{"outwards in tests", pkg{ImportPath: "domain/store", TestImports: []string{"conformance"}}, []string{"(tests) must not import conformance"}},
		{"inwards", pkg{ImportPath: "adapters/sqlite", Imports: []string{"domain/store", "github.com/uptrace/bun"}, TestImports: []string{"conformance"}}, nil},
		{"sideways", pkg{ImportPath: "adapters/sqlite", Imports: []string{"adapters/memory"}}, []string{"must not import adapters/memory"}},
		{"a test as a library", pkg{ImportPath: "adapters/sqlite", Imports: []string{"conformance"}}, []string{"must not import conformance"}},
		{"fx in an adapter", pkg{ImportPath: "adapters/sqlite", Imports: []string{"go.uber.org/fx/fxevent"}}, []string{"app alone"}},
		{"what adapters share", pkg{ImportPath: "adapters/postgres", Imports: []string{"adapters/internal/sqlstore", "github.com/jackc/pgx/v5/pgxpool"}}, nil},
		{"shared with others", pkg{ImportPath: "adapters/memory", Imports: []string{"adapters/internal/sqlstore"}}, []string{"must not import adapters/internal/sqlstore"}},
		{"outwards from what is shared", pkg{ImportPath: "adapters/internal/sqlstore", Imports: []string{"domain/store", "adapters/sqlite"}}, []string{"must not import adapters/sqlite"}},
		{"the frame of an HTTP adapter", pkg{ImportPath: "adapters/httpapi/internal/wire", Imports: []string{"adapters/httpframe", "domain/fault"}}, nil},
		{"the frame and an HTTP adapter", pkg{ImportPath: "adapters/httpframe", Imports: []string{"adapters/httpapi"}}, []string{"must not import adapters/httpapi"}},
		{"one HTTP adapter and the other", pkg{ImportPath: "adapters/web", Imports: []string{"adapters/httpapi"}}, []string{"must not import adapters/httpapi"}},
		{"the port of stores in a page", pkg{ImportPath: "adapters/web", Imports: []string{"domain/store"}}, []string{"by the service alone"}},
		{"the port of stores in a test of pages", pkg{ImportPath: "adapters/web", TestImports: []string{"domain/store"}}, nil},
		{"the archive", pkg{ImportPath: "adapters/archive", Imports: []string{"domain/store"}, XTestImports: []string{"adapters/memory", "conformance"}}, nil},
		{"the archive and an adapter", pkg{ImportPath: "adapters/archive", Imports: []string{"adapters/memory"}}, []string{"must not import adapters/memory"}},
		{"another's driver", pkg{ImportPath: "adapters/sqlite", Imports: []string{"github.com/jackc/pgx/v5"}}, []string{"adapters/postgres alone knows it"}},
		{"the client", pkg{ImportPath: "adapters/client", Imports: []string{"domain/fault", "github.com/tmaxmax/go-sse"}}, []string{"must not import domain/fault", "standard library alone"}},
		{"a driver in app", pkg{ImportPath: "app/internal/metrics", Imports: []string{"modernc.org/sqlite"}}, []string{"adapters/sqlite alone knows it"}},
		{"a server for tests", pkg{ImportPath: "adapters/postgres/postgrestest", Imports: []string{"github.com/jackc/pgx/v5"}}, nil},
		{"a server for tests in a test", pkg{ImportPath: "app/e2e", TestImports: []string{"adapters/postgres/postgrestest"}}, nil},
		{"a server for tests in the adapter", pkg{ImportPath: "adapters/postgres", Imports: []string{"adapters/postgres/postgrestest"}}, []string{"it is for tests alone"}},
		{"a server for tests in app", pkg{ImportPath: "app/internal/cli", Imports: []string{"adapters/postgres/postgrestest"}}, []string{"it is for tests alone"}},
		{"certificates for tests in app", pkg{ImportPath: "app/internal/cli", Imports: []string{"adapters/postgres/postgrestest/certificates"}}, []string{"it is for tests alone"}},
		{"containers for tests", pkg{ImportPath: "adapters/postgres/postgrestest/containers", Imports: []string{"adapters/postgres/postgrestest/internal/protocol", "github.com/testcontainers/testcontainers-go"}}, nil},
		{"containers in the process of a test", pkg{ImportPath: "adapters/postgres/postgrestest", Imports: []string{"github.com/testcontainers/testcontainers-go"}}, []string{"adapters/postgres/postgrestest/containers alone knows it"}},
		{"the suite", pkg{ImportPath: "conformance", Imports: []string{"domain/store", "adapters/memory"}}, []string{"must not import adapters/memory"}},
		{"the binary", pkg{ImportPath: "app/cmd/problems", Imports: []string{"go.uber.org/fx", "adapters/memory", "domain/store"}}, nil},
		{"a folder like another", pkg{ImportPath: "adapters/sqlite", Imports: []string{"domains"}}, []string{"must not import domains"}},
		{"a new folder", pkg{ImportPath: "elsewhere"}, []string{"no folder that has a rule"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			got := c.pkg.inProject().arrows()
			if !slices.EqualFunc(got, c.want, strings.Contains) {
				t.Errorf("the violations are %q; want %q", got, c.want)
			}
		})
	}
}

// inProject returns p with the full paths of the project's packages, which have
// no dot in these tests, unlike libraries.
func (p pkg) inProject() pkg {
	full := func(paths []string) []string {
		var all []string
		for _, path := range paths {
			if !strings.Contains(path, ".") && path != "context" {
				path = project + path
			}
			all = append(all, path)
		}
		return all
	}
	p.ImportPath = project + p.ImportPath
	p.Imports, p.TestImports, p.XTestImports = full(p.Imports), full(p.TestImports), full(p.XTestImports)
	return p
}

func TestImpurities(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	source := `package x

import (
	clock "time"
	"crypto/rand"
	"os"
)

var _ = clock.Now
var _ = clock.Hour
var _ = os.Getenv("HOME")
var _ = os.ReadFile
var _ = rand.Reader
`
	if err := os.WriteFile(filepath.Join(dir, "x.go"), []byte(source), 0o600); err != nil {
		t.Fatal(err)
	}
	got, err := pkg{ImportPath: project + "adapters/x", Dir: dir, GoFiles: []string{"x.go"}}.impurities()
	want := []string{"x.go imports crypto/rand", "x.go:9 takes clock.Now", "x.go:11 takes os.Getenv"}
	if err != nil || !slices.EqualFunc(got, want, strings.Contains) {
		t.Errorf("the violations are %q, %v; want %q", got, err, want)
	}
	if got, err := (pkg{ImportPath: project + "app/x", Dir: dir, GoFiles: []string{"x.go"}}).impurities(); err != nil || len(got) > 0 {
		t.Errorf("app may, but the violations are %q, %v", got, err)
	}
}
