// Package storage opens and migrates the store that a setting names: the one
// switch over the storage adapters, for everything but "problems serve", whose
// modules are in package serve.
package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"os"

	"github.com/problemtracking/problems/adapters/postgres"
	"github.com/problemtracking/problems/adapters/sqlite"
	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/domain/store"
)

// ErrInMemory says that a store in memory cannot be reached from outside.
var ErrInMemory = errors.New("a store in memory is only within its server")

// Open opens a store that is there already, beside the servers that use it. It makes
// none, and never migrates what several servers share.
func Open(ctx context.Context, s config.Storage, logger *slog.Logger) (store.Store, error) {
	if err := exists(s); err != nil {
		return nil, err
	}
	s.AutoMigrate = false
	return open(ctx, s, true, logger)
}

// exists fails when a store in a file is not there.
func exists(s config.Storage) error {
	if s.Store.Scheme != config.SQLite {
		return nil
	}
	if _, err := os.Stat(s.Store.Path); errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf(`there is no store at %s: "problems serve" makes one`, s.Store.Path)
	}
	return nil
}

// Backup writes a consistent copy of a store in a file to another file, which is empty,
// beside the server that uses it, and returns how many problems the copy has.
func Backup(ctx context.Context, s config.Storage, to string, logger *slog.Logger) (problems int, err error) {
	switch s.Store.Scheme {
	case config.Memory:
		return 0, fmt.Errorf("%w: nothing in it outlives that", ErrInMemory)
	case config.SQLite:
		if err := exists(s); err != nil {
			return 0, err
		}
		return sqlite.Backup(ctx, SQLite(s, logger), to)
	case config.Postgres:
		return 0, errors.New(`PostgreSQL has programs of its own for backups: pg_dump for one database, pg_basebackup for a whole server; "problems export" writes a file that any kind of store can take in`)
	default:
		return 0, config.ErrNoStore
	}
}

// OpenNew opens a store that may not exist yet: a file is created, and a schema
// brought up to date unless the settings leave that to the operator.
func OpenNew(ctx context.Context, s config.Storage, logger *slog.Logger) (store.Store, error) {
	if err := s.Prepare(); err != nil {
		return nil, err
	}
	return open(ctx, s, false, logger)
}

func open(ctx context.Context, s config.Storage, existing bool, logger *slog.Logger) (store.Store, error) {
	switch s.Store.Scheme {
	case config.Memory:
		return nil, ErrInMemory
	case config.SQLite:
		o := SQLite(s, logger)
		o.Existing = existing
		return opened(sqlite.Open(ctx, o))
	case config.Postgres:
		o, err := Postgres(s, logger)
		if err != nil {
			return nil, err
		}
		return opened(postgres.Open(ctx, o))
	default:
		return nil, config.ErrNoStore
	}
}

// opened keeps a store that could not be opened from being a non-nil interface.
func opened[S store.Store](s S, err error) (store.Store, error) {
	if err != nil {
		return nil, err
	}
	return s, nil
}

// SQLite returns the options of the adapter.
func SQLite(s config.Storage, logger *slog.Logger) sqlite.Options {
	return sqlite.Options{Path: s.Store.Path, Logger: logger}
}

// Postgres returns the options of the adapter. It reads the file of the password,
// if there is one.
func Postgres(s config.Storage, logger *slog.Logger) (postgres.Options, error) {
	password, err := s.Password()
	return postgres.Options{
		URL:              s.Store.Address,
		Password:         password,
		Direct:           s.StoreDirect.Address,
		Pooler:           s.Pooler,
		Connections:      s.StoreConnections,
		Timeout:          s.Timeout,
		AcceptLoss:       s.AcceptLoss,
		AutoMigrate:      s.AutoMigrate,
		MigrationTimeout: s.MigrationTimeout,
		Logger:           logger,
	}, err
}
