package sqlite

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"

	"github.com/uptrace/bun"
	driver "modernc.org/sqlite"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
)

// The marks say whether the write-ahead log belongs to the store. They are in the
// user_version of the file, so a copy of the file has its mark too.
const (
	complete = 0 // all is in the file
	logged   = 1 // some of it can be in the log alone, so the log has to be there
	copied   = 2 // an unopened backup: a log beside it is another file's
)

// A server marks its file as logged before it writes anything, in the file itself; and so
// does a process that fills a store. The last connection of all clears the mark and
// removes the log; see removeLog. All others leave the log in place, although SQLite would
// remove it. So a marked file without a log was copied without it, or lost it.

// logPath returns where the write-ahead log is.
func (f file) logPath() string { return f.path + "-wal" }

// journalPath returns where the rollback journal is.
func (f file) journalPath() string { return f.path + "-journal" }

// size returns how long a file is; -1 when there is none.
func size(path string) (int64, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return -1, nil
	case err != nil:
		return -1, fmt.Errorf("sqlite: the store cannot be located: %w", err)
	}
	return info.Size(), nil
}

// found is the condition of a file before the Store opens it.
type found struct {
	// unlogged is true when the file needs one write without a log. This write puts the
	// schema into the file itself, replaces the mark of a copy, or ends such a write of
	// another process.
	unlogged bool
	// empty is true when the file has no schema yet.
	empty bool
}

// inspect fails when the file belongs to something else, or lacks its log, before
// anything in it or beside it is changed.
func (f file) inspect(ctx context.Context, o Options) (result found, err error) {
	// Without a lock, this can meet a process that opens or closes the file. An
	// inconsistent answer then becomes consistent a moment later.
	for pause := range 10 {
		if result, err = f.look(ctx, o); err == nil {
			break
		}
		select {
		case <-time.After(time.Duration(pause) * time.Millisecond):
		case <-ctx.Done():
			return result, store.Ended(ctx)
		}
	}
	switch {
	case err != nil:
		return result, f.failure(err)
	case result.empty && o.Existing:
		return result, f.failure(errors.New("there is no store in the file"))
	}
	return result, nil
}

func (f file) look(ctx context.Context, o Options) (found, error) {
	log, err := size(f.logPath())
	if err != nil {
		return found{}, err
	}
	now, err := size(f.path)
	switch {
	case err != nil:
		return found{}, err
	case now == 0 && log > 0:
		return found{}, fmt.Errorf("the file is empty, but its write-ahead log %s is not: put the file back, or move the log away to begin anew", f.logPath())
	case now == 0:
		return found{unlogged: true, empty: true}, nil
	}
	// The file had pages already: a journal that has disappeared has done its work.
	if journal, err := size(f.journalPath()); err != nil || journal > 0 {
		return found{unlogged: true}, err
	}
	if log >= 0 {
		return f.lookWithLog(ctx, log)
	}
	var tables, mark int
	var length int64
	err = f.read(false, func(db *bun.DB) error {
		if err := f.content(ctx, db, &tables); err != nil {
			return err
		}
		return db.NewRaw("SELECT user_version, page_count * page_size FROM pragma_user_version, pragma_page_count, pragma_page_size").Scan(ctx, &mark, &length)
	})
	switch {
	case err != nil:
		return found{}, err
	case tables == 0 && !o.WithoutLog:
		return found{}, fmt.Errorf("there is nothing in the file: if it was copied from a running service, put the copy of the write-ahead log at %s; if not, remove the file to begin anew", f.logPath())
	case mark == logged && !o.WithoutLog:
		return found{}, fmt.Errorf("its write-ahead log %s is missing, with the last writes: put the log beside the file, or a backup in its place; \"problems migrate --without-log\" goes on without the lost writes", f.logPath())
	case length < now && !o.WithoutLog:
		return found{}, errors.New("the file is longer than the store in it: it was copied during an import, without its journal; put a copy from after the import in its place")
	}
	return found{unlogged: mark == copied, empty: tables == 0}, nil
}

func (f file) lookWithLog(ctx context.Context, log int64) (result found, err error) {
	var tables, mark int
	// The mark in the file itself counts. While pages are moved into the file, it cannot
	// be read; but nobody does so in a backup.
	_ = f.read(false, func(db *bun.DB) error { return db.NewRaw("PRAGMA user_version").Scan(ctx, &mark) })
	if mark == copied && log > 0 {
		return found{}, fmt.Errorf("the file is a backup, and the write-ahead log %s belongs to another file: move %[1]s and %s-shm away", f.logPath(), f.path)
	}
	err = f.read(true, func(db *bun.DB) error { return f.content(ctx, db, &tables) })
	if busy(err) {
		return found{unlogged: mark == copied}, nil
	}
	return found{unlogged: mark == copied, empty: err == nil && tables == 0}, err
}

// content counts the tables. It fails when they belong to something else.
func (f file) content(ctx context.Context, db *bun.DB, tables *int) error {
	if _, err := status(ctx, db, f.steps); err != nil {
		return err
	}
	return db.NewRaw("SELECT count(*) FROM sqlite_schema WHERE type = 'table'").Scan(ctx, tables)
}

// read calls fn with the file, with or without its log, and changes neither.
func (f file) read(withLog bool, fn func(*bun.DB) error) error {
	settings := forInspecting
	if !withLog {
		settings += "&immutable=1" // or SQLite would make a log
	}
	db, err := pool(f.path, 1, settings)
	if err != nil {
		return err
	}
	return errors.Join(fn(db), db.Close())
}

// keepLog says whether SQLite leaves the log where it is when this connection is
// closed as the last one.
func (c *conn) keepLog(keep bool) error {
	return c.use(func(session connection) error { return keepLog(session, keep) })
}

func keepLog(session any, keep bool) error {
	mode := 0
	if keep {
		mode = 1
	}
	_, err := session.(driver.FileControl).FileControlPersistWAL("main", mode)
	return err
}

// markLogged marks the file, unless it is marked already. A reader in another process can
// delay the mark in the file, but no write.
func (c *conn) markLogged() error {
	if _, err := c.exec("BEGIN IMMEDIATE"); err != nil {
		return err
	}
	var mark int64
	_, err := c.one([]any{&mark}, "PRAGMA user_version")
	if err == nil && mark != logged {
		_, err = c.exec(fmt.Sprintf("PRAGMA user_version = %d", logged))
	}
	if err == nil {
		_, err = c.exec("COMMIT")
	}
	if err == nil {
		_, err = c.exec("PRAGMA wal_checkpoint(PASSIVE)")
	}
	return err
}

const (
	// longLog is the length of the log, in bytes, from which on the writer waits for Views.
	longLog = 64 << 20
	// mostWait is longer than a search takes. Other processes wait for a write for 10
	// seconds.
	mostWait = 6 * time.Second
)

// shorten empties a long log of a server. SQLite begins the log anew only when no View shows
// an earlier moment, and overlapping Views leave no such time. So the writer waits for the
// Views under way. The longer the log, the longer it waits. After a vain wait, it tries
// again when the log is twice as long.
func (w *writer) shorten() {
	if !w.exclusive {
		return // the log of a command ends with it
	}
	length, err := size(w.file.logPath())
	switch {
	case err != nil || length <= w.long:
		w.kept, w.moved = 0, -1
		return
	case length < 2*w.kept:
		return
	}
	w.kept = length
	w.waits.Store(true)
	defer w.waits.Store(false)
	if err := w.emptyLog(min(time.Duration(length/w.long)*2*time.Second, mostWait)); err != nil {
		w.log.Warn("the write-ahead log cannot be emptied", "error", err)
	}
}

// emptyLog moves the log into the file and empties it, unless Views need it for longer than
// the limit. It does not wait for the same long View twice, such as that of an export.
func (w *writer) emptyLog(limit time.Duration) error {
	// SQLite sets a timeout when it prepares the statement: so these are prepared each time.
	pragma := func(text string, dest ...any) error {
		return w.once(context.Background(), func(scan func(...any) error) error { return scan(dest...) }, "PRAGMA "+text)
	}
	var usual, timeout, blocked, frames, moved int64
	if err := pragma("wal_checkpoint(PASSIVE)", &blocked, &frames, &moved); err != nil || moved == w.moved {
		return err
	}
	if err := pragma("busy_timeout", &usual); err != nil {
		return err
	}
	if err := pragma(fmt.Sprintf("busy_timeout = %d", limit.Milliseconds()), &timeout); err != nil {
		return err
	}
	err := pragma("wal_checkpoint(TRUNCATE)", &blocked, &frames, &moved)
	if err == nil && blocked != 0 {
		w.moved = moved
		w.log.Warn("a long read keeps the write-ahead log from being emptied", "waited", limit)
	}
	if failure := pragma(fmt.Sprintf("busy_timeout = %d", usual), &timeout); failure != nil {
		w.drop()
		err = errors.Join(err, failure)
	}
	return err
}

// removeLog prepares the connection for being closed as the last one, if it is: it clears
// the mark, and lets SQLite remove the log. Nobody else can connect until it is closed. A
// failure here loses nothing: mark and log stay.
func (c *conn) removeLog(f file) error {
	if f.missing() != nil {
		return nil // a new connection would be to another file
	}
	for _, pragma := range []string{"PRAGMA busy_timeout = 0", "PRAGMA locking_mode = EXCLUSIVE"} {
		if _, err := c.exec(pragma); err != nil {
			return err
		}
	}
	switch _, err := c.exec("BEGIN IMMEDIATE"); {
	case fault.Is(err, fault.Unavailable): // others are connected, or the file takes no writes
		return nil
	case err != nil:
		return err
	}
	var mark int64
	_, err := c.one([]any{&mark}, "PRAGMA user_version")
	if err == nil && mark != complete {
		_, err = c.exec(fmt.Sprintf("PRAGMA user_version = %d", complete))
	}
	if err == nil {
		_, err = c.exec("COMMIT")
	}
	if err == nil {
		err = c.keepLog(false)
	}
	return err
}

// fill writes to the file without a log: its schema, and the end of its life as a backup.
func (f file) fill(ctx context.Context) (err error) {
	db, err := pool(f.path, 1, forFilling)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := f.bringUp(ctx, db, nil); err != nil {
		return f.failure(err)
	}
	var mark int
	err = db.NewRaw("PRAGMA user_version").Scan(ctx, &mark)
	if err == nil && mark == copied {
		_, err = db.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", complete))
	}
	if err != nil {
		return f.failure(fmt.Errorf("the file cannot be marked: %w", err))
	}
	return nil
}
