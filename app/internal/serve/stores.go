package serve

import (
	"context"
	"log/slog"

	"go.uber.org/fx"

	"github.com/problemtracking/problems/adapters/memory"
	"github.com/problemtracking/problems/adapters/postgres"
	"github.com/problemtracking/problems/adapters/sqlite"
	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/app/internal/metrics"
	"github.com/problemtracking/problems/app/internal/storage"
	"github.com/problemtracking/problems/domain/store"
)

// storeModule returns the module of the adapter that a URL names.
func storeModule(url config.StoreURL) fx.Option {
	switch url.Scheme {
	case config.Memory:
		return memoryModule
	case config.SQLite:
		return sqliteModule
	case config.Postgres:
		return postgresModule
	default:
		return fx.Error(config.ErrNoStore)
	}
}

// searches is how many searches a store gets at a time; 0 leaves that to the service. At
// least as many connections are left for everything else, so that no search keeps others
// from their work.
type searches int

// memoryModule exports a store in memory.
var memoryModule = fx.Module("memory", fx.Supply(searches(0)), fx.Provide(func(lc fx.Lifecycle, start starting, logger *slog.Logger) *handle {
	return newHandle(lc, start, false, func(ctx context.Context) (store.Store, error) {
		logger.Warn("the store is in memory: nothing survives a restart")
		return memory.Open(ctx, memory.Options{})
	})
}))

// sqliteModule exports a store in a SQLite file, which no other server may
// use meanwhile.
var sqliteModule = fx.Module("sqlite", fx.Supply(searches(sqlite.Readers/2)), fx.Provide(func(lc fx.Lifecycle, start starting, o Options, m *metrics.Metrics, logger *slog.Logger) *handle {
	return newHandle(lc, start, false, func(ctx context.Context) (store.Store, error) {
		options := storage.SQLite(o.Settings.Storage, logger)
		options.Exclusive = true
		s, err := sqlite.Open(ctx, options)
		if err != nil {
			return nil, err
		}
		for use, pool := range s.Pools() {
			m.Pool(use, pool)
		}
		m.GroupCommit(func() (transactions, changes uint64) { return s.Stats().Commits, s.Stats().Changes })
		return s, nil
	})
}))

// postgresModule exports a store in a PostgreSQL database, which any number of
// servers may share, and which may start later than they do.
var postgresModule = fx.Module("postgres", fx.Provide(func(o Options) searches {
	return searches(max(1, o.Settings.Storage.StoreConnections/2))
}), fx.Provide(func(lc fx.Lifecycle, start starting, o Options, f *files, m *metrics.Metrics, logger *slog.Logger) *handle {
	return newHandle(lc, start, true, func(ctx context.Context) (store.Store, error) {
		options, err := storage.Postgres(o.Settings.Storage, logger)
		if err != nil {
			return nil, err
		}
		f.password.Store(&options.Password)
		options.CurrentPassword = f.currentPassword
		s, err := postgres.Open(ctx, options)
		if err != nil {
			return nil, err
		}
		m.Connections(func() metrics.Connections {
			now := s.Stats()
			return metrics.Connections{Open: now.Connected, InUse: now.InUse, Most: now.Most, Waited: now.Waited, WaitedFor: now.WaitedFor}
		})
		return s, nil
	})
}))
