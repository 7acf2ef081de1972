package postgres

import (
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/uptrace/bun"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
)

// Background steps are done by one process at a time. It has a connection of its own, and
// holds an advisory lock for as long as the session lasts. The others try the lock from
// time to time. They must not wait for it within a statement: CREATE INDEX CONCURRENTLY
// waits for all statements under way, and so for them.
//
// The server goes on with an index when the process with the connection dies or stops, and
// keeps the lock meanwhile. After that, another process goes on with the rest. An index
// that was not completed is unusable, and is dropped before it is made again.

// backgroundNumber is the number of the lock, made from the schema's name.
const backgroundNumber = "hashtextextended('problems: background steps of ' || current_schema(), 0)"

// errBusy means: another process does the background steps.
var errBusy = errors.New("another process does the background steps")

// neverCancel lets the server go on with a statement after the end of its context.
func neverCancel(config *pgx.ConnConfig) {
	var made atomic.Bool
	dial := config.DialFunc
	config.DialFunc = func(ctx context.Context, network, address string) (net.Conn, error) {
		if made.Load() { // a later dial is a cancel request
			return nil, errNoCancel
		}
		return dial(ctx, network, address)
	}
	config.AfterConnect = func(context.Context, *pgconn.PgConn) error {
		made.Store(true)
		return nil
	}
}

// finish does the background steps and the folding that are left, beside running services.
// It returns when nothing is left, whoever has done it.
func (o Options) finish(ctx context.Context) error {
	o, err := o.complete()
	if err != nil {
		return err
	}
	o.unattended = true
	for said := ""; ; {
		_, err := o.directly(ctx, true, func(o Options, db *bun.DB) ([]Migration, error) { return nil, o.work(ctx, db) })
		if !errors.Is(err, errBusy) {
			return err
		}
		if said, err = o.watch(ctx, said); err != nil {
			return err
		}
		select {
		case <-time.After(o.pause):
		case <-ctx.Done():
			return o.failure(unlessOver(ctx, ctx.Err()))
		}
	}
}

// watch logs how far another process has come, if that is not what was said.
func (o Options) watch(ctx context.Context, said string) (string, error) {
	all, err := Status(ctx, o)
	if err != nil {
		return said, err
	}
	for _, m := range sqlstore.Behind(all) {
		if !m.Progress.UnderWay {
			continue
		}
		if now := fmt.Sprint(m.Name, m.Progress); now != said {
			o.Logger.Info("another process is at work on a step of the schema", "step", m.Name, "percent", m.Progress.Percent, "waits_for", m.Progress.Waits)
			return now, nil
		}
	}
	return said, nil
}

// work does what is left, on a session of its own. It fails with errBusy when another
// process is at work.
func (o Options) work(ctx context.Context, db *bun.DB) error {
	all, err := o.look(ctx, db)
	if err != nil || len(sqlstore.Behind(all)) == 0 {
		return err
	}
	// A limit would end the wait for old transactions, and leave an unusable index.
	if _, err := db.ExecContext(ctx, "SET statement_timeout = 0; SET lock_timeout = 0"); err != nil {
		return err
	}
	var alone bool
	if err := db.NewRaw("SELECT pg_try_advisory_lock("+backgroundNumber+")").Scan(ctx, &alone); err != nil {
		return fmt.Errorf("the lock for background steps cannot be taken: %w", err)
	}
	if !alone {
		return errBusy
	}
	if all, err = o.look(ctx, db); err != nil { // another process may have been quicker
		return err
	}
	for _, m := range sqlstore.Behind(all) {
		do := o.makeIndexes
		if m.Name == sqlstore.FoldingStep {
			do = o.foldTexts
		}
		look := func(ctx context.Context) (Progress, error) { return o.progressOf(ctx, m.Name) }
		err := sqlstore.Reported(ctx, o.Logger, o.pause, m.Name, look, func(ctx context.Context) error { return do(ctx, db, m) })
		if err != nil {
			return fmt.Errorf("the background step %s: %w", m.Name, err)
		}
	}
	return nil
}

// makeIndexes makes and drops the indexes of a step, one after the other, and lists it.
func (o Options) makeIndexes(ctx context.Context, db *bun.DB, m Migration) error {
	indexes, err := o.steps.Indexes(m)
	if err != nil {
		return err
	}
	for _, index := range indexes {
		if err := o.dropUnusable(ctx, db, index.Name); err != nil {
			return err
		}
		if _, err := db.ExecContext(ctx, index.Statement); err != nil {
			return fmt.Errorf("the index %s: %w", index.Name, err)
		}
	}
	result, err := db.ExecContext(ctx, o.steps.ListIndexes(m, indexes))
	if err != nil {
		return fmt.Errorf("it cannot be listed: %w", err)
	}
	if listed, err := result.RowsAffected(); err != nil || listed == 0 {
		return errors.Join(errors.New("somebody has changed its indexes, or listed it, meanwhile"), err)
	}
	return nil
}

// dropUnusable drops an index that somebody has begun to make, and has not completed. It
// waits while somebody makes it by hand.
func (o Options) dropUnusable(ctx context.Context, db *bun.DB, name string) error {
	for {
		var unusable, made bool
		err := db.NewRaw("SELECT EXISTS (SELECT FROM pg_index WHERE indexrelid = "+sqlstore.Regclass(name)+" AND NOT indisvalid), "+
			"EXISTS (SELECT FROM pg_stat_progress_create_index WHERE index_relid = "+sqlstore.Regclass(name)+")").Scan(ctx, &unusable, &made)
		switch {
		case err != nil:
			return err
		case !unusable:
			return nil
		case !made:
			_, err := db.ExecContext(ctx, "DROP INDEX CONCURRENTLY IF EXISTS "+name)
			return err
		}
		select {
		case <-time.After(o.pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// foldTexts folds the texts that another version has folded. A portion that has to wait for
// writers gives way to them: a writer may wait for the portion, too.
func (o Options) foldTexts(ctx context.Context, db *bun.DB, _ Migration) error {
	for {
		err := newDialect().Fold(ctx, db, "BEGIN; SET LOCAL lock_timeout = "+milliseconds(lockWait), func(int) {})
		if !lacksLock(err) {
			return err
		}
		select {
		case <-time.After(lockWait):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// Progress is how far the work on a background step has come.
type Progress = sqlstore.Progress

// look returns all steps, with the progress of those in the background. The folding is the
// last one while it is left to do.
func (o Options) look(ctx context.Context, db *bun.DB) ([]Migration, error) {
	all, err := o.status(ctx, db, anyServer)
	if err != nil || sqlstore.Pending(all) {
		return all, err
	}
	limited, cancel := context.WithTimeout(ctx, o.bound())
	defer cancel()
	if !sqlstore.Newer(all) { // the newer version folds the texts
		done, err := sqlstore.IsFolded(limited, db)
		if err != nil {
			return nil, err
		}
		if !done {
			all = append(all, Migration{Name: sqlstore.FoldingStep, Background: true, Final: true})
		}
	}
	if len(sqlstore.Behind(all)) == 0 {
		return all, nil
	}
	b, err := askBuilder(limited, db)
	if err != nil {
		return nil, err
	}
	for i, m := range all {
		if m.Applied || !m.Background {
			continue
		}
		if all[i].Progress, err = o.progress(limited, db, m, b); err != nil {
			return nil, err
		}
		b = builder{} // it does one step at a time
	}
	return all, nil
}

// progressOf returns the progress of a step, by a connection of its own.
func (o Options) progressOf(ctx context.Context, step string) (p Progress, err error) {
	all, err := Status(ctx, o)
	for _, m := range all {
		if m.Name == step {
			p = m.Progress
		}
	}
	return p, err
}

// builder is the session that does the background steps, as the server shows it; the zero
// builder: there is none.
type builder struct {
	PID   int
	Phase string // of CREATE INDEX; "": it makes none now
	Done  float64
	Waits string // the sessions that it waits for, with commas
}

// askBuilder asks the server for the session that does the background steps.
func askBuilder(ctx context.Context, db bun.IDB) (b builder, err error) {
	var found []builder
	err = db.NewRaw(`SELECT l.pid, coalesce(p.phase, '') AS phase, array_to_string(pg_blocking_pids(l.pid), ', ') AS waits,
			coalesce(CASE WHEN p.blocks_total > 0 THEN p.blocks_done::float8 / p.blocks_total WHEN p.tuples_total > 0 THEN p.tuples_done::float8 / p.tuples_total END, 0) AS done
		FROM `+holders+` LEFT JOIN pg_stat_progress_create_index p ON p.pid = l.pid, (SELECT `+backgroundNumber+` AS number) n WHERE `+holds).Scan(ctx, &found)
	if err != nil || len(found) == 0 {
		return builder{}, err
	}
	return found[0], nil
}

// phases are the parts of CREATE INDEX CONCURRENTLY: how much of the whole is done at the
// beginning of one, and how much it adds, in percent.
var phases = []struct {
	name       string
	begin, add float64
}{
	{"initializing", 0, 0},
	{"waiting for writers before build", 0, 0},
	{"building index: scanning table", 0, 50},
	{"building index: sorting", 50, 0},
	{"building index: loading", 50, 20},
	{"building index", 0, 50},
	{"waiting for writers before validation", 70, 0},
	{"index validation: scanning index", 70, 5},
	{"index validation: sorting", 75, 0},
	{"index validation: scanning table", 75, 24},
	{"waiting", 99, 0},
}

// percent returns how much of its index the session has made.
func (b builder) percent() float64 {
	for _, p := range phases {
		if strings.HasPrefix(b.Phase, p.name) {
			return p.begin + p.add*min(1, b.Done)
		}
	}
	return 0
}

// progress returns how far the session has come with a step, if it is at work on it.
func (o Options) progress(ctx context.Context, db *bun.DB, m Migration, b builder) (Progress, error) {
	p := Progress{UnderWay: b.PID != 0}
	if b.Waits != "" {
		p.Waits = "process " + b.Waits + " of the server"
	}
	if m.Name == sqlstore.FoldingStep {
		var err error
		p.Percent, err = sqlstore.FoldingProgress(ctx, db)
		return p, err
	}
	indexes, err := o.steps.Indexes(m)
	if err != nil || !p.UnderWay {
		return p, err
	}
	done := b.percent() / 100
	for _, index := range indexes {
		condition := "SELECT EXISTS (SELECT FROM pg_index WHERE indexrelid = " + sqlstore.Regclass(index.Name) + " AND indisvalid)"
		var there bool
		if err := db.NewRaw(condition).Scan(ctx, &there); err != nil {
			return p, err
		}
		if there != index.Drop {
			done++
		}
	}
	p.Percent = int(100 * done / float64(max(1, len(indexes))))
	return p, nil
}
