package postgres_test

import (
	"context"
	"testing"

	"github.com/jackc/pgx/v5"

	"github.com/problemtracking/problems/adapters/postgres"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/conformance/storebench"
)

// BenchmarkStore is on the server that the tests share. In a container its data are
// in memory, so that a commit costs no disk: "make bench" measures with one.
func BenchmarkStore(b *testing.B) {
	url := postgrestest.Database(b)
	s, err := postgres.Open(b.Context(), postgres.Options{URL: url, AutoMigrate: true})
	if err != nil {
		b.Fatal(err)
	}
	b.Cleanup(func() { _ = s.Close() })
	storebench.Run(b, s, func(ctx context.Context) error {
		conn, err := pgx.Connect(ctx, url)
		if err != nil {
			return err
		}
		defer func() { _ = conn.Close(context.WithoutCancel(ctx)) }() // nothing is under way
		_, err = conn.Exec(ctx, "VACUUM (ANALYZE)")
		return err
	})
}
