package sqlite

import (
	"context"
	"embed"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"github.com/uptrace/bun"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
	"github.com/problemtracking/problems/domain/store"
)

//go:embed migrations/*.up.sql
var files embed.FS

// builtin are the steps of this version.
var builtin = sqlstore.Steps{Files: files, Table: "bun_migrations"}

// known returns the steps of this version, or those of a test.
func (o Options) known() sqlstore.Steps {
	if o.steps.Files == nil {
		return builtin
	}
	return o.steps
}

// Migration is one step of the schema.
type Migration = sqlstore.Migration

// Migrate brings the schema of the file up to date, as [Open] does. It returns all
// migrations in their order.
func Migrate(ctx context.Context, o Options) (all []Migration, err error) {
	f, err := locate(o)
	if err != nil {
		return nil, err
	}
	found, err := f.inspect(ctx, o)
	if err != nil {
		return nil, err
	}
	held, err := f.lockForFinal(ctx)
	if err != nil {
		return nil, err
	}
	if held != nil { // after SQLite has closed the file
		defer func() { err = errors.Join(err, held.Close()) }()
	}
	if found.unlogged {
		if err := f.fill(ctx); err != nil {
			return nil, err
		}
	}
	db, err := pool(f.path, 1, forWriting)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := f.bringUp(ctx, db, o.Logger); err != nil {
		return nil, f.failure(err)
	}
	if all, err = f.status(ctx, db); err != nil {
		return nil, err
	}
	c := &conn{pool: db.DB}
	defer c.drop()
	return all, c.removeLog(f)
}

// Status returns all migrations in their order. It creates and changes nothing.
func Status(ctx context.Context, o Options) ([]Migration, error) {
	f, err := find(o)
	if errors.Is(err, fs.ErrNotExist) {
		return o.known().Compare(nil, 0)
	}
	if err != nil {
		return nil, err
	}
	if _, err := f.inspect(ctx, o); err != nil {
		return nil, err
	}
	log, err := size(f.logPath())
	if err != nil {
		return nil, err
	}
	var all []Migration
	err = f.read(log >= 0, func(db *bun.DB) (err error) {
		all, err = f.status(ctx, db)
		return err
	})
	return all, err
}

// Plan returns the SQL of the pending migrations; "" when none is pending. The statements do
// the same as Migrate when run by hand.
func Plan(ctx context.Context, o Options) (string, error) {
	all, err := Status(ctx, o)
	if err != nil {
		return "", err
	}
	db, err := pool(o.Path, 1, forReading) // never connects
	if err != nil {
		return "", err
	}
	defer db.Close()
	plan, _, err := o.known().Plan(db, all)
	if plan == "" || err != nil {
		return "", err
	}
	return "BEGIN IMMEDIATE;\n\n" + plan + "\nCOMMIT;\n", nil
}

// status calls the function status, and adds the name of the file to its errors.
func (f file) status(ctx context.Context, db *bun.DB) ([]Migration, error) {
	all, err := status(ctx, db, f.steps)
	if err != nil {
		return nil, f.failure(err)
	}
	return all, nil
}

// bringUp brings the schema and the folded texts up to date. The texts can be many, and
// other processes may use the file meanwhile: so they take many transactions. bringUp
// copies the file before a final migration. A file has one service, and nobody can write
// beside an index: so all of this comes before the first request. The log says how far it
// has come.
func (f file) bringUp(ctx context.Context, db *bun.DB, logger *slog.Logger) error {
	if logger == nil {
		logger = slog.New(slog.DiscardHandler)
	}
	if err := f.keepCopy(ctx, db, logger); err != nil {
		return err
	}
	all, err := status(ctx, db, f.steps)
	if err != nil {
		return err
	}
	left := named(all)
	if left == "" || !slices.ContainsFunc(all, func(m Migration) bool { return m.Applied }) {
		err = f.migrateUp(ctx, db) // nothing to do, or no rows to do it for
	} else {
		err = sqlstore.Reported(ctx, logger, sqlstore.ReportInterval, left, nil, func(ctx context.Context) error { return f.migrateUp(ctx, db) })
	}
	if err != nil {
		return err
	}
	if all, err = status(ctx, db, f.steps); err != nil || sqlstore.Newer(all) { // the newer version folds the texts
		return err
	}
	if done, err := sqlstore.Folded(ctx, db); done || err != nil {
		return err
	}
	var percent atomic.Int64
	look := func(context.Context) (sqlstore.Progress, error) {
		return sqlstore.Progress{UnderWay: true, Percent: int(percent.Load())}, nil
	}
	return sqlstore.Reported(ctx, logger, sqlstore.ReportInterval, sqlstore.FoldingStep, look, func(ctx context.Context) error {
		return newDialect().Fold(ctx, db, "BEGIN IMMEDIATE", func(p int) { percent.Store(int64(p)) })
	})
}

// lockForFinal takes the server's lock before a final step: a service of an older version
// could not go on after it. It returns nil when no such step is left to do, or when the
// file has no steps yet. It has to come before all connections: see hold.
func (f file) lockForFinal(ctx context.Context) (*lock, error) {
	log, err := size(f.logPath())
	if err != nil {
		return nil, err
	}
	var all []Migration
	err = patiently(ctx, func() error {
		return f.read(log >= 0, func(db *bun.DB) (err error) {
			all, err = status(ctx, db, f.steps)
			return err
		})
	})
	if err != nil {
		return nil, f.failure(err)
	}
	next := slices.IndexFunc(all, func(m Migration) bool { return m.Final && !m.Applied })
	if next < 0 || !slices.ContainsFunc(all, func(m Migration) bool { return m.Applied }) {
		return nil, nil
	}
	held, err := f.lock()
	if err != nil {
		return nil, fmt.Errorf("%w; stop the service first: it could not go on after step %s", err, all[next].Name)
	}
	return held, nil
}

// named returns the names of the steps that are left to do.
func named(all []Migration) string {
	var names []string
	for _, m := range all {
		if !m.Applied {
			names = append(names, m.Name)
		}
	}
	return strings.Join(names, ", ")
}

// migrateUp applies the pending migrations. db has one connection, so all of the
// migrator's work happens in the transaction started here. Of several processes, one
// migrates and the others wait. A migration is applied and recorded, or neither.
func (f file) migrateUp(ctx context.Context, db *bun.DB) (err error) {
	if err := connectFirst(ctx, db); err != nil {
		return err
	}
	all, err := status(ctx, db, f.steps)
	if err != nil || !sqlstore.Pending(all) {
		return err
	}
	ctx = context.WithoutCancel(ctx) // a cancelled statement would take the connection with it
	if _, err := db.ExecContext(ctx, "BEGIN IMMEDIATE"); err != nil {
		return fmt.Errorf("the schema cannot be locked: %w", err)
	}
	defer func() {
		if err != nil {
			_, _ = db.ExecContext(ctx, "ROLLBACK")
		}
	}()
	if all, err = status(ctx, db, f.steps); err != nil { // a newer process may have been quicker
		return err
	}
	if err := f.steps.Apply(ctx, db, all); err != nil {
		return err
	}
	if _, err := db.ExecContext(ctx, "COMMIT"); err != nil {
		return fmt.Errorf("the migrations cannot be committed: %w", err)
	}
	return nil
}

// connectFirst makes the first connection. It brings a new file into WAL mode.
func connectFirst(ctx context.Context, db *bun.DB) error {
	return patiently(ctx, func() error {
		if err := db.PingContext(ctx); err != nil {
			return fmt.Errorf("the file cannot be opened: %w", err)
		}
		return nil
	})
}

// patiently tries again while other processes keep the file busy, for five seconds. SQLite
// can refuse at once, despite the busy timeout, such as while another process brings a new
// file into WAL mode.
func patiently(ctx context.Context, try func() error) error {
	limited, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	for pause := 0; ; pause++ {
		if err := try(); !busy(err) {
			return err
		}
		select {
		case <-time.After(time.Duration(pause) * time.Millisecond):
		case <-limited.Done():
			if ctx.Err() != nil {
				return store.Ended(ctx)
			}
			return errors.New("other processes keep the file busy")
		}
	}
}

// status compares the migrations of this version with the file. It fails for a database of
// another program.
func status(ctx context.Context, db *bun.DB, steps sqlstore.Steps) ([]Migration, error) {
	var tables, lists int
	err := db.NewRaw("SELECT count(*), count(*) FILTER (WHERE name = 'bun_migrations') FROM sqlite_schema WHERE type = 'table'").
		Scan(ctx, &tables, &lists)
	switch {
	case err != nil:
		return nil, fmt.Errorf("the file cannot be read: %w", err)
	case tables == 0:
		return steps.Compare(nil, 0)
	case lists == 0:
		return nil, errors.New("the file is the database of another program")
	}
	var applied []string
	if err := db.NewRaw("SELECT name FROM bun_migrations").Scan(ctx, &applied); err != nil {
		return nil, fmt.Errorf("the list of migrations cannot be read: %w", err)
	}
	oldest, err := steps.Oldest(ctx, db, applied)
	if err != nil {
		return nil, err
	}
	return steps.Compare(applied, oldest)
}
