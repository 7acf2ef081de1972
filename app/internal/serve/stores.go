package serve

import (
	"context"
	"log/slog"

	"go.uber.org/fx"

	"github.com/problemtracking/problems/app/backend"
	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/app/internal/metrics"
	"github.com/problemtracking/problems/app/internal/storage"
	"github.com/problemtracking/problems/domain/store"
)

// searches is the number of concurrent searches of a store; 0 leaves it to the service.
// At least as many connections are left for everything else, so no search blocks other
// work.
type searches int

// storeModule returns the module of the store of the settings.
func storeModule(settings config.Storage) fx.Option {
	if err := settings.Named(); err != nil {
		return fx.Error(err)
	}
	url := settings.Store
	kind := url.Kind()
	return fx.Module(kind.Schemes[0], fx.Provide(func(o Options, logger *slog.Logger) searches {
		return searches(storage.Searches(o.Settings.Storage, logger))
	}), fx.Provide(func(lc fx.Lifecycle, start starting, o Options, f *files, m *metrics.Metrics, logger *slog.Logger) *handle {
		return newHandle(lc, start, url.Is(backend.Shared), func(ctx context.Context) (store.Store, error) {
			options, err := storage.Options(o.Settings.Storage, logger)
			if err != nil {
				return nil, err
			}
			options.Serving = true
			if url.IsDatabase() {
				f.password.Store(&options.Database.Password)
				options.Database.CurrentPassword = f.currentPassword
			}
			s, err := url.Open(ctx, options)
			if err != nil || kind.Metrics == nil {
				return s, err
			}
			if err := m.Store(kind.Metrics(s)); err != nil {
				logger.Error("figures of the store are not reported", "error", err.Error())
			}
			return s, nil
		})
	}))
}
