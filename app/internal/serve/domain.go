package serve

import (
	"context"
	"log/slog"
	"time"

	"go.uber.org/fx"

	"github.com/problemtracking/problems/adapters/webhook"
	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/app/internal/metrics"
	"github.com/problemtracking/problems/app/internal/observe"
	"github.com/problemtracking/problems/app/internal/outage"
	"github.com/problemtracking/problems/app/internal/tracing"
	"github.com/problemtracking/problems/domain/clock"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/usecases"
)

// domainModule exports the use cases on the store of another module.
var domainModule = fx.Module("domain", fx.Provide(func(lc fx.Lifecycle, s *handle, at searches, m *metrics.Metrics, traces *tracing.Tracer, outages *outage.Log, logger *slog.Logger, o Options, sender *webhook.Sender) *usecases.All {
	limits := o.Settings.Limits
	files := servedFiles(o, s)
	if files != nil {
		lc.Append(fx.StopHook(files.Close))
	}
	service := usecases.New(tracker.Options{
		Store:  observe.Store(s, o.Now, m.Call, outages.Observe, traces.Call),
		Now:    o.Now,
		Zone:   o.Settings.Server.TimeZone.Location(),
		Guard:  guard(o, logger),
		Random: o.Random,
		Limits: tracker.Limits{
			Size:          int64(limits.MaxProblem),
			Keywords:      limits.MaxKeywords,
			Watchers:      limits.MaxWatchers,
			Relationships: limits.MaxRelationships,
			Queries:       limits.MaxQueries,
			Milestones:    limits.MaxMilestones,
			Attachments:   o.Settings.Attachments.MaxAttachments,
			File:          int64(o.Settings.Attachments.MaxFile),
		},
		Files:            files,
		FilesRoom:        filesRoom(o.Settings),
		KeepDeletedFiles: o.Settings.Attachments.KeepDeletedFiles,
		Searches:         int(at),
		KeepEvents:       limits.KeepEvents,
		WebhookKey:       KeyFile(o.Settings).Keys(o.Random),
	}, sender)
	m.Searches(service.Searches)
	m.Clock(service.ClockRefusals, service.ClockOffset)
	return service
}))

// metricsModule exports the measurements, and the log of outages.
var metricsModule = fx.Module("metrics", fx.Provide(func(o Options) *metrics.Metrics {
	start := o.Now()
	m := metrics.New(o.Version, start)
	m.Files(metrics.Files{Store: o.Settings.Storage.Store.Path(), Backups: o.Settings.Insight.BackupDirectory, Start: start})
	return m
}), fx.Provide(newTracer), fx.Provide(func(s *handle, m *metrics.Metrics, logger *slog.Logger) *outage.Log {
	outages := outage.New(logger, s.Host)
	for _, use := range []outage.Use{outage.Reads, outage.Writes} {
		m.StoreUp(string(use), func() bool { return s.isOpen() && outages.Up(use) })
	}
	m.StoreHost(s.Host)
	return outages
}))

// newTracer returns the maker of traces; nil without a collector for them.
func newTracer(lc fx.Lifecycle, o Options, logger *slog.Logger) (*tracing.Tracer, error) {
	insight := o.Settings.Insight
	if !insight.TracesURL.Given() {
		return nil, nil
	}
	t, err := tracing.New(tracing.Options{URL: insight.TracesURL.Reveal(), Ratio: insight.TracesRatio, Version: o.Version, Logger: logger, Now: o.Now})
	if err != nil {
		return nil, err
	}
	lc.Append(fx.StopHook(func(ctx context.Context) {
		limited, cancel := context.WithTimeout(ctx, lastTraces)
		defer cancel()
		_ = t.Close(limited) // the log has the failure
	}))
	return t, nil
}

// lastTraces is how long the end of the service waits for the collector.
const lastTraces = 2 * time.Second

// AtStart returns the limits by which a service judges its clock when it starts.
func AtStart(s config.Settings) tracker.Guard {
	return tracker.Guard{Limits: clock.Limits{Gap: s.Clock.Gap.Max}}
}

// guard returns the limits of the clock. Its findings are logged once.
func guard(o Options, logger *slog.Logger) tracker.Guard {
	limits := o.Settings.Clock
	return tracker.Guard{
		Limits: clock.Limits{Step: limits.MaxStep, Gap: limits.Gap.Max},
		Steady: o.Steady,
		Accept: o.AcceptClock,
		Changed: func(v clock.Verdict) {
			switch {
			case v.State == clock.Right:
				logger.Info("the clock is where it should be again")
			case v.State == clock.Behind:
				logger.Warn("the clock is behind: times of changes do not go back with it", "cause", v.Error())
			case !v.AtStart: // at the start, the service ends with the reason
				logger.Error("the clock is not believed: writes are refused until it is back. If it is right, restart the server", "cause", v.Error())
			}
		},
	}
}
