package postgres_test

import (
	"math/rand/v2"
	"testing"

	"github.com/problemtracking/problems/adapters/internal/sqlstore/searchtest"
	"github.com/problemtracking/problems/adapters/postgres"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

// The database finds what package search finds.
func TestSearchAgainstTheDomain(t *testing.T) {
	t.Parallel()
	s, err := postgres.Open(t.Context(), postgres.Options{URL: postgrestest.Schema(t), AutoMigrate: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	searchtest.Run(t, s, rand.Uint64(), 30, 60)
}
