package sqlite

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
)

// forBackup changes neither the file nor how it is logged.
const forBackup = "mode=rw&_pragma=busy_timeout(10000)&_pragma=temp_store(memory)&_pragma=cache_size(-8000)"

// Backup writes a consistent copy of the store at o.Path to another file, which must be
// empty or not there yet, and returns how many problems the copy has. The store may be in
// use: what was committed before Backup began is in the copy, and writers do not wait.
// The copy is a store of its own. It needs no log, and is refused beside one, which would
// be that of another file. It is for the caller to sync it, and to remove it after an
// error.
func Backup(ctx context.Context, o Options, to string) (problems int, err error) {
	o.Existing = true
	f, err := find(o.Path)
	if err != nil {
		return 0, err
	}
	found, err := f.inspect(ctx, o)
	if err != nil {
		return 0, err
	}
	if to, err = filepath.Abs(to); err != nil { // which SQLite does not take for a URI
		return 0, fmt.Errorf("sqlite: the backup cannot be located: %w", err)
	}
	db, err := pool(f.path, 1, forBackup)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err := db.DB.ExecContext(ctx, "VACUUM INTO ?", to); err != nil {
		return 0, f.failure(fmt.Errorf("the backup cannot be written to %s: %w", to, err))
	}
	if !found.unlogged { // then nothing was opened that would have to be settled
		c := &conn{pool: db.DB}
		defer c.drop()
		if err := c.settle(f); err != nil {
			return 0, f.failure(err)
		}
	}
	return markCopied(ctx, to)
}

// markCopied marks a copy, and counts its problems.
func markCopied(ctx context.Context, path string) (problems int, err error) {
	db, err := pool(path, 1, forFilling)
	if err != nil {
		return 0, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if _, err = db.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", copied)); err == nil {
		err = db.DB.QueryRowContext(ctx, "SELECT count(*) FROM problems").Scan(&problems)
	}
	if err != nil {
		return 0, fmt.Errorf("sqlite: the backup %s cannot be used: %w", path, err)
	}
	return problems, nil
}
