package sqlite

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
)

// forBackup changes neither the file nor how it is logged.
const forBackup = "mode=rw&_pragma=busy_timeout(10000)&_pragma=temp_store(memory)&_pragma=cache_size(-8000)"

// Backup writes a consistent copy of the store at o.Path to another file, and returns the
// number of problems in the copy. The file must be empty or absent. The store may be in
// use: the copy has everything committed before Backup began. A server waits for it once,
// for some seconds at most, and only when its log is long.
// The copy is a store of its own. It needs no log, and Open refuses it beside one: the log
// would belong to another file. The caller syncs it, and removes it after an error.
func Backup(ctx context.Context, o Options, to string) (problems int, err error) {
	o.Existing = true
	f, err := find(o)
	if err != nil {
		return 0, err
	}
	found, err := f.inspect(ctx, o)
	if err != nil {
		return 0, err
	}
	if to, err = filepath.Abs(to); err != nil { // SQLite does not take this for a URI
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
	if !found.unlogged { // then nothing was opened, and nothing needs settling
		c := &conn{pool: db.DB}
		defer c.drop()
		if err := c.removeLog(f); err != nil {
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
