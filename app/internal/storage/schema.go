package storage

import (
	"context"
	"log/slog"

	"github.com/problemtracking/problems/app/backend"
	"github.com/problemtracking/problems/app/internal/config"
)

// Schema is the schema of a store.
type Schema struct {
	// Status returns all steps in their order, without changing anything.
	Status func(context.Context) ([]backend.Step, error)
	// Plan returns the statements of the remaining steps; "" when none remains.
	Plan func(context.Context) (string, error)
	// Migrate does the remaining steps and returns all steps.
	Migrate func(context.Context) ([]backend.Step, error)
	// WithoutLog does the same with a file without its write-ahead log; nil for other
	// stores.
	WithoutLog func(context.Context) ([]backend.Step, error)
}

// SchemaOf returns the schema of a store.
func SchemaOf(s config.Storage, logger *slog.Logger) (Schema, error) {
	o, err := Options(s, logger)
	if err != nil {
		return Schema{}, err
	}
	of, o, err := s.Store.Schema(o)
	if err != nil {
		return Schema{}, err
	}
	schema := Schema{
		Status: func(ctx context.Context) ([]backend.Step, error) { return of.Status(ctx, o) },
		Plan:   func(ctx context.Context) (string, error) { return of.Plan(ctx, o) },
		Migrate: func(ctx context.Context) ([]backend.Step, error) {
			if err := s.Prepare(); err != nil {
				return nil, err
			}
			return of.Migrate(ctx, o)
		},
	}
	if of.WithoutLog != nil {
		schema.WithoutLog = func(ctx context.Context) ([]backend.Step, error) { return of.WithoutLog(ctx, o) }
	}
	return schema, nil
}
