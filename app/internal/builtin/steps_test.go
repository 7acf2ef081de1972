package builtin_test

import (
	"path/filepath"
	"slices"
	"testing"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/app/backend"
	"github.com/problemtracking/problems/app/internal/builtin"
)

// TestStoresHaveTheSameSteps compares the steps of both SQL stores, with their ways back.
func TestStoresHaveTheSameSteps(t *testing.T) {
	t.Parallel()
	file, err := builtin.SQLite().Schema.Status(t.Context(), backend.Options{Path: filepath.Join(t.TempDir(), "problems.db")})
	if err != nil {
		t.Fatal(err)
	}
	database, err := builtin.Postgres().Schema.Status(t.Context(), backend.Options{URL: postgrestest.Schema(t)})
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(file, database) {
		t.Errorf("the steps of SQLite are %q; those of PostgreSQL %q", named(file), named(database))
	}
	if !slices.ContainsFunc(file, func(s backend.Step) bool { return s.Final }) {
		t.Errorf("no step is final: %v", file)
	}
}

// named returns the names of steps, with a mark for each final one.
func named(steps []backend.Step) (names []string) {
	for _, s := range steps {
		if s.Final {
			s.Name += " (final)"
		}
		names = append(names, s.Name)
	}
	return names
}
