package builtin

import (
	"context"
	"errors"
	"strings"

	"github.com/prometheus/client_golang/prometheus"

	"github.com/problemtracking/problems/adapters/sqlite"
	"github.com/problemtracking/problems/app/backend"
	"github.com/problemtracking/problems/app/internal/metrics"
	"github.com/problemtracking/problems/domain/store"
)

// SQLite returns the kind of a store in a SQLite file. One service uses it at a time.
// It is the default.
func SQLite() backend.Kind {
	return backend.Kind{
		Name:        "a SQLite file",
		Schemes:     []string{"sqlite"},
		File:        true,
		DefaultFile: "problems.db",
		Sharing:     backend.OneService,
		Check: func(url string) error {
			if strings.HasPrefix(url, "sqlite::") {
				return errors.New("a store in memory is written memory:; a SQLite file cannot begin with a colon")
			}
			return nil
		},
		Open: func(ctx context.Context, o backend.Options) (store.Store, error) {
			options := sqliteOptions(o)
			options.Existing, options.Exclusive = o.Existing, o.Serving
			return opened(sqlite.Open(ctx, options))
		},
		Schema: &backend.Schema{
			Status: func(ctx context.Context, o backend.Options) ([]backend.Step, error) {
				return steps(sqlite.Status(ctx, sqliteOptions(o)))
			},
			Plan: func(ctx context.Context, o backend.Options) (string, error) {
				return sqlite.Plan(ctx, sqliteOptions(o))
			},
			Migrate: func(ctx context.Context, o backend.Options) ([]backend.Step, error) {
				return steps(sqlite.Migrate(ctx, sqliteOptions(o)))
			},
			WithoutLog: func(ctx context.Context, o backend.Options) ([]backend.Step, error) {
				options := sqliteOptions(o)
				options.WithoutLog = true
				return steps(sqlite.Migrate(ctx, options))
			},
		},
		Examine: func(ctx context.Context, o backend.Options) ([]backend.Finding, error) {
			return findings(sqlite.Examine(ctx, sqliteOptions(o)))
		},
		Backup: func(ctx context.Context, o backend.Options, to string) (problems int, err error) {
			return sqlite.Backup(ctx, sqliteOptions(o), to)
		},
		Compact: func(ctx context.Context, o backend.Options, begun func(string, int64)) error {
			return sqlite.Compact(ctx, sqliteOptions(o), begun)
		},
		Remains:  append([]string{"copies by \"problems backup\", and those made before steps of the schema", "replicas of Litestream"}, remains...),
		Searches: func(backend.Options) int { return sqlite.Readers / 2 },
		Metrics:  sqliteMetrics,
	}
}

// remains is what has replaced and deleted texts, whatever the kind of store.
var remains = []string{"archives by \"problems export\"", "e-mail that was sent", "receivers of webhooks, and clients that followed the feed", "logs of proxies"}

func sqliteOptions(o backend.Options) sqlite.Options {
	return sqlite.Options{Path: o.Path, Logger: o.Logger}
}

func sqliteMetrics(s store.Store) []prometheus.Collector {
	file, ok := s.(*sqlite.Store)
	if !ok {
		return nil
	}
	var all []prometheus.Collector
	for use, pool := range file.Pools() {
		all = append(all, metrics.Pool(use, pool))
	}
	return append(all, metrics.GroupCommit(func() (transactions, changes uint64) {
		now := file.Stats()
		return now.Commits, now.Changes
	})...)
}

// opened returns a nil interface with an error, in place of a nil pointer inside one.
func opened[S store.Store](s S, err error) (store.Store, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// steps converts the steps of either SQL adapter. Both have the same type, internal to
// the adapters.
func steps(migrations []sqlite.Migration, err error) ([]backend.Step, error) {
	var all []backend.Step
	for _, m := range migrations {
		all = append(all, backend.Step{
			Name: m.Name, Done: m.Applied, Final: m.Final, Newer: m.Newer,
			Background: m.Background, UnderWay: m.Progress.UnderWay, Percent: m.Progress.Percent, Waits: m.Progress.Waits,
		})
	}
	return all, err
}

// findings converts the findings of either SQL adapter.
func findings(found []sqlite.Finding, err error) ([]backend.Finding, error) {
	var all []backend.Finding
	for _, f := range found {
		all = append(all, backend.Finding(f))
	}
	return all, err
}
