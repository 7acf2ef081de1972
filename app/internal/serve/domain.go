package serve

import (
	"go.uber.org/fx"

	"github.com/problemtracking/problems/app/internal/metrics"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker"
)

// domainModule exports the service on the store that another module exports.
var domainModule = fx.Module("domain", fx.Provide(func(s store.Store, at searches, m *metrics.Metrics, o Options) *tracker.Service {
	limits := o.Settings.Limits
	return tracker.New(tracker.Options{
		Store:  m.Store(s, o.Now),
		Now:    o.Now,
		Random: o.Random,
		Limits: tracker.Limits{
			Keywords:      limits.MaxKeywords,
			Watchers:      limits.MaxWatchers,
			Relationships: limits.MaxRelationships,
			Queries:       limits.MaxQueries,
		},
		Searches: int(at),
	})
}))

// metricsModule exports the measurements.
var metricsModule = fx.Module("metrics", fx.Provide(func(o Options) *metrics.Metrics {
	return metrics.New(o.Version)
}))
