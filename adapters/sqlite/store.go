package sqlite

import (
	"context"
	"database/sql"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/sqlitedialect"
	"modernc.org/sqlite"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// Readers is the limit of connections that read, and so of concurrent Views. Further ones
// wait.
const Readers = 4

// Options are the settings of a Store.
type Options struct {
	// Path is the file, absolute or relative to the working directory. It is
	// created, readable for its owner alone, when it does not exist; its
	// directory has to.
	Path string
	// Exclusive takes the server's lock on the file. The command line works beside the
	// server, without the lock.
	Exclusive bool
	// Existing refuses to make a store: the file has to be there, with a schema.
	Existing bool
	// WithoutLog accepts a file with a lost write-ahead log, and the loss of the last
	// writes with it.
	WithoutLog bool
	// Logger receives silent repairs. None by default.
	Logger *slog.Logger

	steps sqlstore.Steps // of this version; tests have others
}

// Store is a store.Store on a SQLite file. It is made by [Open].
type Store struct {
	file    file
	lock    *lock // nil unless exclusive, or a final step was to do
	calls   store.Gate
	dialect *sqlstore.Dialect

	writing *bun.DB
	tasks   chan task     // for the writer
	lonely  chan task     // for the writer, each alone
	written chan struct{} // closed when the writer has ended
	writer  writer
	closing chan struct{}  // closed when Close begins
	filling sync.WaitGroup // of the index of parts

	reading *bun.DB
	shown   atomic.Pointer[sql.DB] // what Views read: reading, or an image of it during a Restore
	idle    chan *conn             // idle ones
	waited  atomic.Uint64

	highest  sync.Mutex
	reserved problem.ID // the highest number reserved here
}

var _ store.Store = (*Store)(nil)

// Open opens the file and brings its schema up to date. It fails when the schema
// is newer than this package, when the write-ahead log of the file is missing, when
// the file has several hard links, and, with Exclusive, when another process holds
// the lock.
func Open(ctx context.Context, o Options) (*Store, error) { return open(ctx, o, forWriting) }

// open is Open with other settings for the connection that writes.
func open(ctx context.Context, o Options, writing string) (_ *Store, err error) {
	at := locate
	if o.Existing {
		at = find
	}
	f, err := at(o)
	if err != nil {
		return nil, err
	}
	found, err := f.inspect(ctx, o)
	if err != nil {
		return nil, err
	}
	s := &Store{
		file:    f,
		dialect: newDialect(),
		tasks:   make(chan task),
		lonely:  make(chan task),
		written: make(chan struct{}),
		closing: make(chan struct{}),
		idle:    make(chan *conn, Readers),
	}
	defer func() {
		if err != nil {
			_ = s.release()
		}
	}()
	if o.Exclusive {
		s.lock, err = f.lock()
	} else {
		s.lock, err = f.lockForFinal(ctx)
	}
	if err != nil {
		return nil, err
	}
	if found.unlogged {
		if err := f.fill(ctx); err != nil {
			return nil, err
		}
	}
	if s.writing, err = pool(f.path, 1, writing); err != nil {
		return nil, err
	}
	if s.reading, err = pool(f.path, Readers, forReading); err != nil {
		return nil, err
	}
	if err := f.bringUp(ctx, s.writing, o.Logger); err != nil {
		return nil, f.failure(err)
	}
	s.shown.Store(s.reading.DB)
	for range Readers {
		s.idle <- new(conn)
	}
	s.writer.conn.pool, s.writer.file, s.writer.dialect, s.writer.log = s.writing.DB, f, s.dialect, o.Logger
	s.writer.long = longLog
	if s.writer.log == nil {
		s.writer.log = slog.New(slog.DiscardHandler)
	}
	if o.Exclusive {
		s.writer.exclusive = true
		if err := s.writer.prepare(true); err != nil { // the first write tries it again
			s.writer.log.Warn("the file cannot be marked as one with a write-ahead log", "error", err)
		}
	}
	go s.write()
	if o.Exclusive {
		s.filling.Go(func() { s.fillParts(s.closing) })
	}
	return s, nil
}

// The settings of the kinds of connections. They are in the DSN, so every connection of a
// pool has them. Temporary tables stay in memory, so nothing but the store's own files is
// written. The first schema is written without a log, so it is in the file itself.
const (
	forWriting = "mode=rw&_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=synchronous(FULL)&_pragma=foreign_keys(1)" +
		"&_pragma=temp_store(memory)&_pragma=cache_size(-8000)&_pragma=journal_size_limit(67108864)"
	forFilling = "mode=rw&_pragma=busy_timeout(10000)&_pragma=synchronous(EXTRA)&_pragma=foreign_keys(1)&_pragma=temp_store(memory)"
	// A new page of a file needs no copy in a rollback journal. It does in a log.
	forRestoring = "mode=rw&_pragma=busy_timeout(10000)&_pragma=journal_mode(DELETE)&_pragma=synchronous(EXTRA)&_pragma=foreign_keys(1)" +
		"&_pragma=temp_store(memory)&_pragma=cache_size(-8000)"
	forReading = "mode=rw&_pragma=busy_timeout(10000)&_pragma=query_only(1)" +
		"&_pragma=temp_store(memory)&_pragma=cache_size(-2000)&_pragma=mmap_size(0)"
	forInspecting = "mode=ro&_pragma=busy_timeout(10000)&_pragma=temp_store(memory)"
)

// pool returns a pool of at most size connections. It closes none for its age.
func pool(path string, size int, settings string) (*bun.DB, error) {
	path = "/" + strings.TrimPrefix(filepath.ToSlash(path), "/") // C:\ becomes /C:/
	dsn := url.URL{Scheme: "file", OmitHost: true, Path: path, RawQuery: settings}
	connector, err := sqlite.NewConnector(dsn.String())
	if err != nil {
		return nil, fmt.Errorf("sqlite: %w", err)
	}
	db := sql.OpenDB(logKeeper{connector})
	db.SetMaxOpenConns(size)
	db.SetMaxIdleConns(size)
	return bun.NewDB(db, sqlitedialect.New()), nil
}

// logKeeper makes connections that leave the log in place: see removeLog.
type logKeeper struct{ driver.Connector }

// Connect implements driver.Connector.
func (k logKeeper) Connect(ctx context.Context) (driver.Conn, error) {
	session, err := k.Connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	if err := keepLog(session, true); err != nil {
		return nil, errors.Join(err, session.Close())
	}
	return session, nil
}

// View implements store.Store.
func (s *Store) View(ctx context.Context, fn func(store.Reader) error) error {
	return s.read(ctx, func(c *conn) error {
		session, err := c.begin()
		if err != nil {
			return err
		}
		defer session.end()
		if err := fn(sqlstore.Reader{Dialect: s.dialect, Session: session}); err != nil {
			return err
		}
		return store.Ended(ctx)
	})
}

// Reserve implements store.Store.
func (s *Store) Reserve(ctx context.Context) (id problem.ID, err error) {
	err = s.read(ctx, func(c *conn) error {
		_, err := c.one([]any{(*int64)(&id)}, "SELECT coalesce(max(id), 0) FROM problems")
		return err
	})
	if err != nil {
		return 0, err
	}
	s.highest.Lock()
	defer s.highest.Unlock()
	s.reserved = max(s.reserved, id) + 1
	return s.reserved, nil
}

// Confirm implements store.Store. With synchronous=FULL, SQLite shows a
// transaction to readers only after it has synced the WAL.
func (s *Store) Confirm(ctx context.Context, _ store.History) error {
	leave, err := s.calls.Enter(ctx)
	if err != nil {
		return err
	}
	leave()
	return nil
}

// Versions implements store.Store.
func (s *Store) Versions(ctx context.Context) (v store.Versions, err error) {
	if err := s.writer.missing(); err != nil {
		return v, err
	}
	err = s.read(ctx, func(c *conn) (err error) {
		v, err = sqlstore.Reader{Dialect: s.dialect, Session: session{c}}.Versions(ctx)
		return err
	})
	return v, err
}

// read calls fn with a connection for reading.
func (s *Store) read(ctx context.Context, fn func(*conn) error) error {
	leave, err := s.calls.Enter(ctx)
	if err != nil {
		return err
	}
	defer leave()
	var c *conn
	select {
	case c = <-s.idle:
	default:
		s.waited.Add(1)
		select {
		case c = <-s.idle:
		case <-ctx.Done():
			return store.Ended(ctx)
		}
	}
	defer func() { s.idle <- c }()
	if shown := s.shown.Load(); c.pool != shown {
		c.drop()
		c.pool = shown
	}
	return fn(c)
}

// Close implements store.Store. It waits for the calls under way, so a View must not call
// it.
func (s *Store) Close() error {
	if !s.calls.Close() {
		return nil
	}
	close(s.closing)
	s.filling.Wait()
	close(s.tasks)
	<-s.written
	return s.release()
}

// release gives back everything that Open has taken.
func (s *Store) release() error {
	var errs []error
	for range len(s.idle) {
		(<-s.idle).drop()
	}
	if s.reading != nil {
		errs = append(errs, s.reading.Close())
	}
	// The last connection moves the WAL into the file when it closes. Connections for
	// reading could not.
	if s.writer.pool != nil {
		errs = append(errs, s.writer.removeLog(s.file))
		s.writer.drop()
	}
	if s.writing != nil {
		errs = append(errs, s.writing.Close())
	}
	if s.lock != nil {
		errs = append(errs, s.lock.Close())
	}
	if err := errors.Join(errs...); err != nil {
		return fault.Wrap(fault.Internal, err, "the store could not be closed in order; nothing is lost")
	}
	return nil
}

// Pools returns the pools of connections by their use, for metrics. A connection
// is in use, as the pool sees it, from its first use until Close: see [Stats].
func (s *Store) Pools() map[string]*sql.DB {
	return map[string]*sql.DB{"writer": s.writing.DB, "reader": s.reading.DB}
}

// Stats tell how busy a Store is, and has been since it was opened.
type Stats struct {
	// Commits counts the transactions that stored something. Each cost one fsync. Changes
	// counts the Changes and rulings in them.
	Commits, Changes uint64
	// Reading is the number of connections that are reading now. Waited counts the reads
	// that had to wait for one.
	Reading int
	Waited  uint64
}

// Stats returns the figures of this moment.
func (s *Store) Stats() Stats {
	return Stats{
		Commits: s.writer.commits.Load(), Changes: s.writer.changes.Load(),
		Reading: Readers - len(s.idle), Waited: s.waited.Load(),
	}
}
