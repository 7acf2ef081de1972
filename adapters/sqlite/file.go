package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"

	"github.com/problemtracking/problems/domain/fault"
)

// file is the file of a store, as it was found.
type file struct {
	path string // absolute, without symbolic links
	info fs.FileInfo
}

// locate returns the file at a path, which it creates if need be.
func locate(path string) (f file, err error) {
	if path == "" {
		return f, errors.New("sqlite: the store has no path")
	}
	if err := create(path); err != nil {
		return f, err
	}
	if path, err = filepath.EvalSymlinks(path); err == nil {
		path, err = filepath.Abs(path)
	}
	if err == nil {
		f.path = path
		f.info, err = os.Stat(path)
	}
	switch {
	case err != nil:
		return f, fmt.Errorf("sqlite: the store cannot be located: %w", err)
	case !f.info.Mode().IsRegular():
		return f, f.failure(errors.New("this is no file"))
	case f.info.Mode().Perm()&0o222 == 0:
		// SQLite would open it all the same, and fail with every write.
		return f, f.failure(errors.New("the file is read-only: allow its owner to write"))
	}
	return f, nil
}

// create makes an empty file, readable for its owner alone, unless there is one.
func create(path string) error {
	// Before the file is there: a log that appears later is that of a process
	// which has found the new file.
	log, logErr := os.Stat(path + "-wal")
	// An existing file must not be opened and closed here: closing any of its
	// descriptors ends the POSIX locks of the whole process.
	created, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("sqlite: the directory of %s does not exist: %w", path, err)
	case err != nil:
		return fmt.Errorf("sqlite: the store cannot be created: %w", err)
	}
	if err := created.Close(); err != nil {
		return fmt.Errorf("sqlite: the store cannot be created: %w", err)
	}
	if logErr == nil && log.Size() > 0 {
		// A new file would be the end of what is in the log.
		return errors.Join(os.Remove(path),
			fmt.Errorf("sqlite: there is no %s, but its write-ahead log, %s-wal: put the file back, or move the log away to begin anew", path, path))
	}
	return nil
}

// inspect fails when the file belongs to something else, before anything in it or
// beside it is changed.
func (f file) inspect(ctx context.Context) error {
	if f.info.Size() == 0 {
		return nil
	}
	settings := forInspecting
	if _, err := os.Stat(f.path + "-wal"); errors.Is(err, fs.ErrNotExist) {
		settings += "&immutable=1" // or SQLite would make one
	}
	db, err := pool(f.path, 1, settings)
	if err != nil {
		return err
	}
	defer db.Close()
	if _, err := status(ctx, db); err != nil && !busy(err) {
		return f.failure(err)
	}
	return nil
}

// lock takes the lock that one server at a time holds on the file.
func (f file) lock() (*flock.Flock, error) {
	l := flock.New(f.path+".lock", flock.SetPermissions(0o600))
	held, err := l.TryLock()
	switch {
	case err != nil:
		return nil, f.failure(fmt.Errorf("the lock cannot be taken: %w", err))
	case !held:
		return nil, f.failure(errors.New("another `problems serve` uses it: there can be one for each file"))
	}
	return l, nil
}

// missing fails when the file is no longer where it was. What is written to a file
// without a name is lost, and what is written beside another one with that name
// destroys it.
func (f file) missing() error {
	now, err := os.Stat(f.path)
	if err == nil && os.SameFile(f.info, now) {
		return nil
	}
	return fault.Wrap(fault.Unavailable, err, "the file of the store was moved, replaced or deleted: stop the service, and put the file back")
}

// failure names the file in an error of Open.
func (f file) failure(err error) error { return fmt.Errorf("sqlite: %s: %w", f.path, err) }
