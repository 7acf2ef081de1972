package builtin

import (
	"context"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/problemtracking/problems/adapters/postgres"
	"github.com/problemtracking/problems/app/backend"
	"github.com/problemtracking/problems/app/internal/metrics"
	"github.com/problemtracking/problems/domain/store"
)

// Postgres returns the kind of a store in a PostgreSQL database. Any number of services
// can share one, and it may start after them.
func Postgres() backend.Kind {
	return backend.Kind{
		Name:     "a PostgreSQL database",
		Schemes:  []string{"postgres", "postgresql"},
		Forms:    []string{"postgres://user@host:5432/database"},
		Note:     "with parameters as libpq has them, such as sslmode=verify-full; schema=NAME for one of many trackers in a database",
		Sharing:  backend.Shared,
		Database: true,
		Check:    postgres.CheckURL,
		Mask:     postgres.Mask,
		Open: func(ctx context.Context, o backend.Options) (store.Store, error) {
			options := postgresOptions(o)
			options.Serving = o.Serving
			return opened(postgres.Open(ctx, options))
		},
		Schema: &backend.Schema{
			Status: func(ctx context.Context, o backend.Options) ([]backend.Step, error) {
				return steps(postgres.Status(ctx, postgresOptions(o)))
			},
			Plan: func(ctx context.Context, o backend.Options) (string, error) {
				return postgres.Plan(ctx, postgresOptions(o))
			},
			Migrate: func(ctx context.Context, o backend.Options) ([]backend.Step, error) {
				return steps(postgres.Migrate(ctx, postgresOptions(o)))
			},
		},
		Examine: func(ctx context.Context, o backend.Options) ([]backend.Finding, error) {
			return findings(postgres.Examine(ctx, postgresOptions(o)))
		},
		Compact: func(ctx context.Context, o backend.Options, begun func(string, int64)) error {
			return postgres.Compact(ctx, postgresOptions(o), begun)
		},
		Remains: append([]string{
			"dumps by pg_dump, and base backups", "the write-ahead log of the server, and its archive", "the write-ahead logs of standbys",
			"the log of the server, if it logs statements with their parameters",
		}, remains...),
		InsteadOfBackup: `PostgreSQL has programs of its own for backups: pg_dump for one database, pg_basebackup for a whole server; "problems export" writes a file that any kind of store can take in`,
		Searches:        func(o backend.Options) int { return max(1, o.Database.Connections/2) },
		Metrics:         postgresMetrics,
	}
}

// postgresOptions returns the options of the adapter. With Existing, it never migrates:
// several servers share the schema.
func postgresOptions(o backend.Options) postgres.Options {
	return postgres.Options{
		URL:              o.URL,
		Password:         o.Database.Password,
		CurrentPassword:  o.Database.CurrentPassword,
		Direct:           o.Database.Direct,
		Pooler:           o.Database.Pooler,
		Connections:      o.Database.Connections,
		Timeout:          o.Database.Timeout,
		AcceptLoss:       o.Database.AcceptLoss,
		AutoMigrate:      o.Database.AutoMigrate && !o.Existing,
		MigrationTimeout: o.Database.MigrationTimeout,
		Logger:           o.Logger,
	}
}

func postgresMetrics(s store.Store) []prometheus.Collector {
	database, ok := s.(*postgres.Store)
	if !ok {
		return nil
	}
	return append(metrics.Connected(func() metrics.Connections {
		now := database.Stats()
		return metrics.Connections{Open: now.Connected, InUse: now.InUse, Most: now.Most, Waited: now.Waited, WaitedFor: now.WaitedFor}
	}), metrics.Behind(func(step func(name string, done float64)) {
		for _, m := range database.Behind() {
			step(m.Name, float64(m.Progress.Percent)/100)
		}
	}))
}
