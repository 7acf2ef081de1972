package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"database/sql/driver"
	"embed"
	"errors"
	"fmt"
	"log/slog"
	"strconv"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
)

//go:embed migrations/*.up.sql
var files embed.FS

// builtin are the steps of this version.
var builtin = sqlstore.Steps{Files: files, Table: "problems_migrations", OneByOne: true, Concurrently: true}

// Migration is one step of the schema.
type Migration = sqlstore.Migration

// Migrate brings the schema up to date, with its background steps, and returns all steps in
// their order. Any number of processes may do it at once: each step is done once.
func Migrate(ctx context.Context, o Options) ([]Migration, error) {
	if err := o.bringUp(ctx); err != nil {
		return nil, err
	}
	if err := o.finish(ctx); err != nil {
		return nil, err
	}
	return Status(ctx, o)
}

// bringUp does the steps without which the schema cannot be used.
func (o Options) bringUp(ctx context.Context) error {
	_, err := o.directly(ctx, true, func(o Options, db *bun.DB) ([]Migration, error) {
		return nil, o.migrateUp(ctx, db)
	})
	return err
}

// Status returns all steps in their order, without changing anything. Behind them is the
// folding of the texts, while it is left to do.
func Status(ctx context.Context, o Options) ([]Migration, error) {
	return o.directly(ctx, false, func(o Options, db *bun.DB) ([]Migration, error) { return o.look(ctx, db) })
}

// Plan returns the statements of the steps that Migrate would do; "" when none is left.
// They do the same when run by hand, one at a time.
func Plan(ctx context.Context, o Options) (plan string, err error) {
	_, err = o.directly(ctx, false, func(o Options, db *bun.DB) ([]Migration, error) {
		var missing bool
		all, err := o.status(ctx, db, func(s server) error {
			missing = s.missing()
			return nil
		})
		if err != nil {
			return nil, err
		}
		within, after, err := o.steps.Plan(db, all)
		if within != "" {
			plan = "BEGIN;\n\nSET LOCAL lock_timeout = '" + strconv.FormatInt(o.lockWait().Milliseconds(), 10) + "ms';\n\n" + o.planSchema(missing) + within + "\nCOMMIT;\n"
		}
		if after != "" {
			plan += o.inSchema(after)
		}
		return all, err
	})
	return plan, err
}

// directly calls fn with the options as they are completed, and a connection to the
// database itself.
func (o Options) directly(ctx context.Context, migrating bool, fn func(Options, *bun.DB) ([]Migration, error)) ([]Migration, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	if o.Direct != "" {
		o.URL = o.Direct
	} else if o.Pooler && migrating {
		return nil, o.failure(errPooler)
	}
	config, err := pgx.ParseConfig(o.URL)
	if err != nil {
		return nil, unreadable(err)
	}
	o.configure(config)
	if o.unattended {
		neverCancel(config)
	}
	if o.Direct != "" || !o.Pooler {
		o.enterSchema(config)
	}
	config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol // nothing is used twice
	db := sql.OpenDB(&once{connector: stdlib.GetConnector(*config)})
	defer db.Close()
	db.SetMaxOpenConns(1)
	all, err := fn(o, bun.NewDB(db, pgdialect.New()))
	if err != nil {
		return nil, o.failure(unlessOver(ctx, err))
	}
	return all, nil
}

var errPooler = errors.New("a pooler cannot carry migrations: also give a direct URL of the database (--store-direct; for a copy --to-direct)")

// unlessOver returns the error, unless it is only the driver's report that ctx is over.
func unlessOver(ctx context.Context, err error) error {
	if ctx.Err() != nil {
		return &explained{text: "interrupted", cause: ctx.Err()}
	}
	return err
}

// prepare makes sure that the database is reliable and has the schema of this version. It
// migrates the database if o says so. When there is nothing to do, it takes one
// connection and no lock. It returns the server's answer about itself.
func prepare(ctx context.Context, o Options, pool *pgxpool.Pool) (found server, err error) {
	o, err = o.complete()
	if err != nil {
		return found, err
	}
	pooled := stdlib.OpenDBFromPool(pool)
	defer pooled.Close()
	pooled.SetMaxOpenConns(1)
	db := bun.NewDB(pooled, pgdialect.New())
	all, err := o.status(ctx, db, func(s server) error {
		found = s
		return cmp.Or(s.check(o.AcceptLoss, o.Logger), s.checkIsolation())
	})
	switch {
	case err != nil:
		return found, o.failure(unlessOver(ctx, err))
	case !sqlstore.Pending(all):
		found.Behind = len(sqlstore.Behind(all)) > 0
		if found.Folded, err = o.folded(ctx, db, all); err != nil {
			return found, o.failure(unlessOver(ctx, err))
		}
		return found, nil
	case !o.AutoMigrate:
		return found, o.failure(found.pending())
	}
	if err := o.bringUp(ctx); err != nil {
		return found, err
	}
	all, err = o.status(ctx, db, func(s server) error { return cmp.Or(s.unfit(), s.misbehaves()) })
	if err == nil && sqlstore.Pending(all) {
		err = errors.New("the direct URL leads to another database or schema: its steps are done, but they are not here")
	}
	if err == nil {
		found.Behind = len(sqlstore.Behind(all)) > 0
		found.Folded, err = o.folded(ctx, db, all)
	}
	if err != nil {
		return found, o.failure(unlessOver(ctx, err))
	}
	return found, nil
}

// folded reports whether the texts are folded as this version compares them. Those of an
// empty database are from then on.
func (o Options) folded(ctx context.Context, db *bun.DB, all []Migration) (bool, error) {
	limited, cancel := context.WithTimeout(ctx, o.bound())
	defer cancel()
	if sqlstore.Newer(all) { // the newer version folds the texts
		return sqlstore.IsFolded(limited, db)
	}
	return sqlstore.Folded(limited, db)
}

// status asks the server about itself, and check judges the answer, before status
// compares the steps with those of the database. Connecting has a limit of its own. After
// that the server has as long for all of this as for a statement.
func (o Options) status(ctx context.Context, db *bun.DB, check func(server) error) ([]Migration, error) {
	conn, err := db.Conn(ctx)
	if err != nil {
		return nil, err
	}
	defer func() { _ = conn.Close() }() // gives it back
	limited, cancel := context.WithTimeout(ctx, o.bound())
	defer cancel()
	s, err := ask(limited, conn, o.schema)
	if err == nil {
		err = check(s)
	}
	var applied []string
	if err == nil && s.List != "" && !s.missing() {
		if err = conn.NewRaw("SELECT name FROM ?", bun.Ident(o.steps.Table)).Scan(limited, &applied); err != nil {
			err = fmt.Errorf("the list of migrations cannot be read: %w", err)
		}
	}
	oldest := 0
	if err == nil {
		oldest, err = o.steps.Oldest(limited, conn, applied)
	}
	switch {
	case err == nil:
		return o.steps.Compare(applied, oldest)
	case limited.Err() != nil:
		return nil, &explained{text: fmt.Sprintf("the database has connected, and then did not answer for %s", o.bound()), cause: err}
	}
	return nil, err
}

// anyServer is the check of callers that do not rely on the server.
func anyServer(server) error { return nil }

// migrateUp does the steps that are left, except those of the background, and records the
// folding of an empty database. It waits for other processes, whether they migrate too or
// use the changed tables, for at most the time of o.
func (o Options) migrateUp(ctx context.Context, db *bun.DB) error {
	// A loss is harmless here: after a crash the next start migrates.
	all, err := o.status(ctx, db, func(s server) error { return s.check(true, slog.New(slog.DiscardHandler)) })
	if err != nil {
		return err
	}
	if sqlstore.Pending(all) {
		if err := o.createSchema(ctx, db); err != nil {
			return err
		}
		if err := o.lock(ctx, db); err != nil {
			return err
		}
		if err := o.apply(ctx, db); err != nil {
			return err
		}
	}
	_, err = o.folded(ctx, db, all)
	return err
}

// apply does the steps that are left, each in a transaction of its own: the locks of a step
// end with it.
func (o Options) apply(ctx context.Context, db *bun.DB) error {
	all, err := o.status(ctx, db, anyServer) // a newer process may have been quicker
	if err != nil {
		return err
	}
	if err := o.excludeOlder(ctx, db, all); err != nil {
		return err
	}
	var group int64 // 0: nothing is done yet
	for _, m := range all {
		if m.Applied || m.Background {
			continue
		}
		next := group
		err := o.alone(ctx, db, func() (err error) {
			if next = group; next == 0 {
				if next, err = o.steps.Begin(ctx, db, all); err != nil {
					return err
				}
			}
			return o.steps.Do(ctx, db, m, next)
		})
		if err != nil {
			return err
		}
		group = next
	}
	return nil
}

// lockWait is for how long a step waits for a table at a time. All later statements on the
// table wait behind it.
const lockWait = 250 * time.Millisecond

func (o Options) lockWait() time.Duration { return min(lockWait, o.MigrationTimeout) }

// alone calls do within a transaction. While somebody uses a table that is to be changed,
// it gives way and tries again, for the time of o.
func (o Options) alone(ctx context.Context, db *bun.DB, do func() error) error {
	limited, cancel := context.WithTimeout(ctx, o.MigrationTimeout)
	defer cancel()
	for pause := o.lockWait(); ; pause = min(2*pause, 8*lockWait) {
		// Without a COMMIT nothing is done: the connection ends with its caller.
		_, err := db.ExecContext(ctx, "BEGIN; SET LOCAL lock_timeout = "+milliseconds(o.lockWait()))
		if err == nil {
			err = do()
		}
		if err == nil {
			if _, err = db.ExecContext(ctx, "COMMIT"); err != nil {
				return fmt.Errorf("a migration cannot be committed: %w", err)
			}
			return nil
		}
		if !lacksLock(err) {
			return err
		}
		if _, failure := db.ExecContext(ctx, "ROLLBACK"); failure != nil {
			return failure
		}
		select {
		case <-time.After(pause):
		case <-limited.Done():
			if ctx.Err() != nil {
				return ctx.Err()
			}
			return passing("somebody uses a table that is to be changed for longer than %s, so the step was not done: end what pg_locks shows, or wait longer (--migration-timeout): %v", o.MigrationTimeout, err)
		}
	}
}

// milliseconds returns a limit as a setting of the server, where 0 would be no limit.
func milliseconds(d time.Duration) string { return strconv.FormatInt(max(1, d.Milliseconds()), 10) }

// The lock of migrations: one for each schema, for as long as the session lasts. Its
// number is made from the schema's name.
const lockNumber = "hashtextextended('problems: migrations of ' || current_schema(), 0)"

// lock waits for the lock. When that takes too long, the error names the holder.
func (o Options) lock(ctx context.Context, db *bun.DB) error {
	wait := o.MigrationTimeout
	limited, cancel := context.WithTimeout(ctx, wait+o.bound()) // for a server that falls silent
	defer cancel()
	_, err := db.ExecContext(limited, "SET statement_timeout = 0; SET lock_timeout = "+milliseconds(wait))
	if err == nil {
		_, err = db.ExecContext(limited, "SELECT pg_advisory_lock("+lockNumber+")")
	}
	switch {
	case lacksLock(err):
		return holder(limited, db, wait)
	case err != nil:
		return fmt.Errorf("the lock for migrations cannot be taken: %w", err)
	}
	return nil
}

// lacksLock reports whether the server has given up waiting for a lock.
func lacksLock(err error) bool {
	answer, ok := errors.AsType[*pgconn.PgError](err)
	return ok && answer.Code == lockNotAvailable
}

// The sessions with an advisory lock, and which of them hold the one of n.number.
const (
	holders = "pg_locks l JOIN pg_stat_activity a ON a.pid = l.pid"
	holds   = `l.locktype = 'advisory' AND l.granted AND l.objsubid = 1
			AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
			AND l.classid::bigint = (n.number >> 32) & 4294967295 AND l.objid::bigint = n.number & 4294967295`
)

// holder returns the error that names the holder of the lock.
func holder(ctx context.Context, db *bun.DB, wait time.Duration) error {
	var who struct {
		PID         int
		Application string
		Client      string
		Since       time.Time
	}
	err := db.NewRaw(`SELECT a.pid, coalesce(a.application_name, '') AS application,
			coalesce(host(a.client_addr), 'the same machine') AS client, coalesce(a.xact_start, a.backend_start, now()) AS since
		FROM `+holders+`, (SELECT `+lockNumber+` AS number) n WHERE `+holds).Scan(ctx, &who)
	switch {
	case errors.Is(err, sql.ErrNoRows):
		return passing("another process has migrated the database for longer than %s, and has just ended: try again", wait)
	case err != nil:
		return fmt.Errorf("another process migrates the database for longer than %s: %w", wait, err)
	}
	return passing("another process migrates the database for longer than %s: process %d of the server, application %q, from %s, since %s; wait for it, or end it with SELECT pg_terminate_backend(%[2]d)",
		wait, who.PID, who.Application, who.Client, who.Since.UTC().Format(time.RFC3339))
}

// once connects a single time. A second connection would be without the lock and
// the transaction of the first, and database/sql makes it without a word.
type once struct {
	connector driver.Connector
	done      atomic.Bool
}

func (o *once) Connect(ctx context.Context) (driver.Conn, error) {
	if o.done.Swap(true) {
		return nil, passing("the connection to the database was lost")
	}
	c, err := o.connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	conn, ok := c.(*stdlib.Conn)
	if !ok {
		return nil, fmt.Errorf("the driver makes a %T", c)
	}
	return kept{conn}, nil
}

func (o *once) Driver() driver.Driver { return o.connector.Driver() }

// kept is a connection with one transaction for all statements. The migrator itself knows
// of none.
type kept struct{ *stdlib.Conn }

// ResetSession is called by database/sql before each use but the first.
func (kept) ResetSession(context.Context) error { return nil }
