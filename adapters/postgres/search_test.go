package postgres_test

import (
	"context"
	"math/rand/v2"
	"testing"

	"github.com/problemtracking/problems/adapters/internal/sqlstore/searchtest"
	"github.com/problemtracking/problems/adapters/postgres"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/domain/store"
)

// filled makes the index of parts whole before some of its views. So some of them find it half filled.
type filled struct{ *postgres.Store }

func (f filled) View(ctx context.Context, fn func(store.Reader) error) error {
	if rand.N(2) == 0 {
		if err := f.FillParts(ctx); err != nil {
			return err
		}
	}
	return f.Store.View(ctx, fn)
}

// The database finds what package search finds, also by its index of parts.
func TestSearchAgainstTheDomain(t *testing.T) {
	t.Parallel()
	s, err := postgres.Open(t.Context(), postgres.Options{URL: postgrestest.Schema(t), AutoMigrate: true})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	searchtest.Run(t, filled{s}, rand.Uint64(), 30, 60)
}
