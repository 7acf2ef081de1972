package sqlite

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/gofrs/flock"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
	"github.com/problemtracking/problems/domain/fault"
)

// file is the file of a store, as it was found.
type file struct {
	path  string // absolute, without symbolic links
	info  fs.FileInfo
	steps sqlstore.Steps
}

// locate returns the file of a store, and creates it if need be.
func locate(o Options) (file, error) {
	if o.Path == "" {
		return file{}, errors.New("sqlite: the store has no path")
	}
	if err := create(o.Path); err != nil {
		return file{}, err
	}
	return find(o)
}

// find returns the file of a store. There has to be one, of a kind that can be a store.
func find(o Options) (f file, err error) {
	if o.Path == "" {
		return f, errors.New("sqlite: the store has no path")
	}
	f.steps = o.known()
	path, given := o.Path, o.Path
	if path, err = filepath.EvalSymlinks(path); err == nil {
		path, err = filepath.Abs(path)
	}
	if err == nil {
		f.path = path
		f.info, err = os.Stat(path)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return f, fmt.Errorf("sqlite: there is no store at %s: %w", given, err)
	case err != nil:
		return f, fmt.Errorf("sqlite: the store cannot be located: %w", err)
	case !f.info.Mode().IsRegular():
		return f, f.failure(errors.New("this is no file"))
	case links(f.info) > 1:
		return f, f.failure(errors.New(linked(f.info)))
	case mounted(f.path):
		return f, f.failure(errors.New("the file is mounted by itself: mount its directory instead, as its write-ahead log has to be beside it"))
	case f.info.Mode().Perm()&0o222 == 0:
		// SQLite would open it all the same, and fail with every write.
		return f, f.failure(errors.New("the file is read-only: allow its owner to write"))
	}
	return f, readOnly(f.path, writable(f.path))
}

// linked explains why a file with several names is no store. Each name has a write-ahead
// log of its own, so users under different names destroy each other's writes.
func linked(info fs.FileInfo) string {
	return fmt.Sprintf("the file has %d hard links: remove all but one, or replace the others by copies", links(info))
}

// readOnly returns the error of a write in words, if the file system is read-only, and
// nil otherwise.
func readOnly(path string, err error) error {
	if !errors.Is(err, syscall.EROFS) {
		return nil
	}
	return fmt.Errorf("sqlite: %s: the file system is read-only: mount it for writing, or have the store on another one", path)
}

// create makes an empty file, readable for its owner alone, unless there is one.
func create(path string) error {
	// Before the file is there: a later log belongs to a process that has found the new
	// file.
	log, logErr := os.Stat(path + "-wal")
	// An existing file must not be opened and closed here: closing any of its
	// descriptors ends the POSIX locks of the whole process.
	created, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_EXCL, 0o600)
	switch {
	case errors.Is(err, fs.ErrExist):
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return fmt.Errorf("sqlite: the directory of %s does not exist: %w", path, err)
	case readOnly(path, err) != nil:
		return readOnly(path, err)
	case err != nil:
		return file{path: path}.failure(fmt.Errorf("the store cannot be created: %w", err))
	}
	if err := created.Close(); err != nil {
		return fmt.Errorf("sqlite: the store cannot be created: %w", err)
	}
	if logErr == nil && log.Size() > 0 {
		// A new file would make the contents of the log useless.
		return errors.Join(os.Remove(path),
			fmt.Errorf("sqlite: there is no %s, but its write-ahead log, %s-wal: put the file back, or move the log away to begin anew", path, path))
	}
	return nil
}

// lock is held by one server at a time. It has two parts: a lock on a file beside the
// store, for servers of earlier versions, and one on the store itself, common to all
// paths to the file.
type lock struct {
	beside *flock.Flock
	held   *os.File // of the store
}

// lock takes the server's lock on the file.
func (f file) lock() (*lock, error) {
	taken := errors.New("another `problems serve` uses it: there can be one for each file")
	beside := flock.New(f.path+".lock", flock.SetPermissions(0o600))
	switch ours, err := beside.TryLock(); {
	case err != nil:
		return nil, f.failure(fmt.Errorf("the lock cannot be taken: %w", err))
	case !ours:
		return nil, f.failure(taken)
	}
	held, err := f.hold()
	if err == nil && held == nil {
		err = taken
	}
	if err != nil {
		return nil, f.failure(errors.Join(err, beside.Close()))
	}
	return &lock{beside, held}, nil
}

// Close gives the lock back. SQLite must have closed the file before.
func (l *lock) Close() error { return errors.Join(release(l.held), l.beside.Close()) }

// missing fails when the file is no longer at its path, or has a second name. A write to
// a file without a name is lost. A write beside another file with that name destroys it.
func (f file) missing() error {
	now, err := os.Stat(f.path)
	switch {
	case err != nil || !os.SameFile(f.info, now):
		return fault.Wrap(fault.Unavailable, err, "the file of the store was moved, replaced or deleted: stop the service, and put the file back")
	case links(now) > 1:
		return fault.New(fault.Unavailable, "%s", linked(now))
	}
	return nil
}

// failure names the file in an error of Open, and the remedy if it is known.
func (f file) failure(err error) error {
	if reason := f.reason(err); reason != "" {
		return fmt.Errorf("sqlite: %s: %s (%w)", f.path, reason, err)
	}
	return fmt.Errorf("sqlite: %s: %w", f.path, err)
}
