// Package storage opens, copies and migrates the store of the settings.
package storage

import (
	"context"
	"log/slog"

	"github.com/problemtracking/problems/app/backend"
	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/domain/store"
)

// Open opens an existing store, beside its servers. It makes none, and never migrates
// a schema of several servers.
func Open(ctx context.Context, s config.Storage, logger *slog.Logger) (store.Store, error) {
	o, err := Options(s, logger)
	if err != nil {
		return nil, err
	}
	o.Existing = true
	return s.Store.Open(ctx, o)
}

// OpenNew opens a store, or makes one. It brings the schema up to date unless the
// settings leave this to the operator.
func OpenNew(ctx context.Context, s config.Storage, logger *slog.Logger) (store.Store, error) {
	if err := s.Prepare(); err != nil {
		return nil, err
	}
	o, err := Options(s, logger)
	if err != nil {
		return nil, err
	}
	return s.Store.Open(ctx, o)
}

// Backup writes a consistent copy of a store to an empty file, beside its server. It
// returns how many problems the copy has.
func Backup(ctx context.Context, s config.Storage, to string, logger *slog.Logger) (problems int, err error) {
	if err := s.Named(); err != nil {
		return 0, err
	}
	return s.Store.Backup(ctx, options(s, logger), to)
}

// Compact removes the bytes of replaced and deleted texts from a store, beside its servers. It
// returns what still has them.
func Compact(ctx context.Context, s config.Storage, begun func(part string, bytes int64), logger *slog.Logger) (remains []string, err error) {
	if err := s.Named(); err != nil {
		return nil, err
	}
	o, err := Options(s, logger)
	if err != nil {
		return nil, err
	}
	return s.Store.Compact(ctx, o, begun)
}

// Examine finds faults of an existing store, beside its servers. examined is
// false for a kind of store without an examination.
func Examine(ctx context.Context, s config.Storage, logger *slog.Logger) (findings []backend.Finding, examined bool, err error) {
	o, err := Options(s, logger)
	if err != nil {
		return nil, false, err
	}
	return s.Store.Examine(ctx, o)
}

// Options returns the options of the store. It fails with backend.ErrNoStore when the
// settings name none. It reads the file of the password, if there
// is one.
func Options(s config.Storage, logger *slog.Logger) (backend.Options, error) {
	o := options(s, logger)
	if err := s.Named(); err != nil {
		return o, err
	}
	if !s.Store.IsDatabase() {
		return o, nil
	}
	var err error
	o.Database.Password, err = s.Password()
	return o, err
}

// Searches returns how many searches the store gets at a time. 0 leaves the number to
// the service.
func Searches(s config.Storage, logger *slog.Logger) int {
	if kind := s.Store.Kind(); kind != nil && kind.Searches != nil {
		return kind.Searches(options(s, logger))
	}
	return 0
}

// options returns the options without the password. Only a database gets the settings
// of one.
func options(s config.Storage, logger *slog.Logger) backend.Options {
	o := backend.Options{Logger: logger}
	if s.Store.IsDatabase() {
		o.Database = backend.Database{
			Direct:           s.StoreDirect.Reveal(),
			Pooler:           s.Pooler,
			Connections:      s.StoreConnections,
			Timeout:          s.Timeout,
			AcceptLoss:       s.AcceptLoss,
			AutoMigrate:      s.AutoMigrate,
			MigrationTimeout: s.MigrationTimeout,
		}
	}
	return o
}
