package storage

import (
	"context"
	"errors"
	"log/slog"

	"github.com/problemtracking/problems/adapters/postgres"
	"github.com/problemtracking/problems/adapters/sqlite"
	"github.com/problemtracking/problems/app/internal/config"
)

// Step is one step of a schema.
type Step struct {
	Name string
	Done bool
}

// Schema is the schema of a store.
type Schema struct {
	// Status returns all steps in their order, without changing anything.
	Status func(context.Context) ([]Step, error)
	// Plan returns the SQL that Migrate would run; "" when nothing is left to
	// do.
	Plan func(context.Context) (string, error)
	// Migrate does the steps that are left and returns all.
	Migrate func(context.Context) ([]Step, error)
	// WithoutLog does the same with a SQLite file whose write-ahead log is gone; nil
	// for other stores.
	WithoutLog func(context.Context) ([]Step, error)
}

// SchemaOf returns the schema of a store.
func SchemaOf(s config.Storage, logger *slog.Logger) (Schema, error) {
	switch s.Store.Scheme {
	case config.Memory:
		return Schema{}, errors.New("a store in memory has no schema to migrate")
	case config.SQLite:
		o := SQLite(s, logger)
		withoutLog := o
		withoutLog.WithoutLog = true
		return Schema{
			Status: func(ctx context.Context) ([]Step, error) { return stepsOf(sqlite.Status(ctx, o)) },
			Plan:   func(ctx context.Context) (string, error) { return sqlite.Plan(ctx, o) },
			Migrate: func(ctx context.Context) ([]Step, error) {
				if err := s.Prepare(); err != nil {
					return nil, err
				}
				return stepsOf(sqlite.Migrate(ctx, o))
			},
			WithoutLog: func(ctx context.Context) ([]Step, error) { return stepsOf(sqlite.Migrate(ctx, withoutLog)) },
		}, nil
	case config.Postgres:
		o, err := Postgres(s, logger)
		return Schema{
			Status:  func(ctx context.Context) ([]Step, error) { return stepsOf(postgres.Status(ctx, o)) },
			Plan:    func(ctx context.Context) (string, error) { return postgres.Plan(ctx, o) },
			Migrate: func(ctx context.Context) ([]Step, error) { return stepsOf(postgres.Migrate(ctx, o)) },
		}, err
	default:
		return Schema{}, config.ErrNoStore
	}
}

// stepsOf takes the steps of either adapter: their types are the same one, which
// is internal to the adapters.
func stepsOf(migrations []sqlite.Migration, err error) ([]Step, error) {
	var all []Step
	for _, m := range migrations {
		all = append(all, Step{Name: m.Name, Done: m.Applied})
	}
	return all, err
}
