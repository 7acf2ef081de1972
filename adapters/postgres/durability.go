package postgres

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/uptrace/bun"
)

// server describes a server and its database, as the server reports them.
type server struct {
	Version     int
	Encoding    string
	Recovering  bool
	Fsync       string
	FullPages   string
	Synchronous string
	// Standbys is true if standbys have to confirm commits.
	Standbys  bool
	Isolation string
	// Unlogged names a table or sequence of the service without a log, such as "TABLE log".
	Unlogged string `bun:"-"`
	// Schema is the schema of new tables; "" when there is none.
	Schema string
	// List is the schema of the list of migrations; "" when there is none.
	List string
	// Wanted is the schema of the URL; "" without one. There is true if it exists.
	Wanted string
	There  bool
	// Usable is true if the user may use that schema.
	Usable bool
	// Appeared is true if another process created it within the first question.
	Appeared bool `bun:"-"`
	// Cache is the largest cache of a sequence of the schema; 0 without sequences.
	Cache int64
	// Citus is true if the database has this extension. Worker is true if the server is
	// not the coordinator. Distributed names a table divided between servers, if any.
	Citus       bool
	Worker      bool   `bun:"-"`
	Distributed string `bun:"-"`
	// Folded is whether the texts are folded as this version compares them.
	Folded bool `bun:"-"`
	// Behind is whether background steps are left to do.
	Behind bool `bun:"-"`
}

// missing reports whether the schema of the URL is still to be created.
func (s server) missing() bool { return s.Wanted != "" && !s.There }

// pending returns the error for a schema without all its steps.
func (s server) pending() error {
	if s.missing() {
		return fmt.Errorf("the database has no schema %s: run \"problems migrate\" first, or let the service create it", s.Wanted)
	}
	return errors.New("the schema has steps left to do: run \"problems migrate\" first, or let the service do it")
}

// oldest is the server_version_num of the oldest server known to work.
const oldest = 130000

// ask asks the server. A setting is empty when another engine with the same protocol does
// not know it. Some settings differ by user or database: their values hold for this user
// in this database. wanted is the schema of the URL.
func ask(ctx context.Context, db bun.IDB, wanted string) (server, error) {
	s, err := askOnce(ctx, db, wanted)
	if err == nil && s.Schema == "" && s.Usable {
		// The schema was created within the statement, and the session had not noticed.
		s, err = askOnce(ctx, db, wanted)
		s.Appeared = true
	}
	return s, err
}

func askOnce(ctx context.Context, db bun.IDB, wanted string) (s server, err error) {
	err = db.NewRaw(`SELECT
		current_setting('server_version_num')::int AS version,
		current_setting('server_encoding') AS encoding,
		pg_is_in_recovery() AS recovering,
		coalesce(current_setting('fsync', true), '') AS fsync,
		coalesce(current_setting('full_page_writes', true), '') AS full_pages,
		coalesce(current_setting('synchronous_commit', true), '') AS synchronous,
		coalesce(current_setting('synchronous_standby_names', true), '') <> '' AS standbys,
		current_setting('default_transaction_isolation') AS isolation,
		coalesce(current_schema(), '') AS schema,
		coalesce((SELECT n.nspname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
			WHERE c.oid = to_regclass('problems_migrations')), '') AS list,
		? AS wanted,
		EXISTS (SELECT FROM pg_namespace WHERE nspname = ?) AS there,
		EXISTS (SELECT FROM pg_namespace WHERE nspname = ? AND has_schema_privilege(oid, 'USAGE')) AS usable,
		coalesce((SELECT max(seqcache) FROM pg_sequence WHERE seqrelid IN (to_regclass('positions'), to_regclass('problem_ids'))), 0) AS cache,
		to_regclass('pg_catalog.pg_dist_partition') IS NOT NULL AS citus`, wanted, wanted, wanted).Scan(ctx, &s)
	if err == nil && s.Citus {
		err = s.askCitus(ctx, db)
	}
	if err == nil {
		err = s.askUnlogged(ctx, db)
	}
	return s, err
}

// askUnlogged asks for tables of the service that PostgreSQL empties after a crash, and for
// sequences that it then sets back.
func (s *server) askUnlogged(ctx context.Context, db bun.IDB) error {
	tables, _, err := builtin.Created()
	if err != nil {
		return err
	}
	names := slices.Collect(maps.Keys(tables))
	return db.NewRaw(`SELECT coalesce(min(CASE relkind WHEN 'S' THEN 'SEQUENCE ' ELSE 'TABLE ' END || relname), '') FROM pg_class WHERE relpersistence = 'u' AND relkind IN ('r', 'S')
		AND relname IN (?) AND relnamespace = current_schema()::regnamespace`, bun.List(append(names, "positions", "problem_ids"))).Scan(ctx, &s.Unlogged)
}

// check fails for a server without the needed guarantees.
func (s server) check(acceptLoss bool, logger *slog.Logger) error {
	if err := cmp.Or(s.unfit(), s.misbehaves()); err != nil {
		return err
	}
	for _, l := range s.losses(acceptLoss) {
		if !acceptLoss {
			return fmt.Errorf("%s, so that %s: %s, or accept the loss (--store-accept-loss; for a copy --from-accept-loss or --to-accept-loss)", l.what, l.loses, l.mend)
		}
		logger.Warn("the database may lose what it has confirmed", "setting", l.setting, "because", l.loses)
	}
	return nil
}

// unfit fails for an unusable server.
func (s server) unfit() error {
	switch {
	case s.Version < oldest:
		return fmt.Errorf("the server is version %d.%d of PostgreSQL: version 13 or newer is needed", s.Version/10000, s.Version%10000)
	case s.Encoding != "UTF8":
		return fmt.Errorf("the database has the encoding %s: create one with ENCODING 'UTF8'", s.Encoding)
	case s.Recovering:
		return passing("the server is a standby, whose data may be old: name the primary, or all servers of the cluster with target_session_attrs=primary")
	case s.missing():
		return nil // migrations create it
	case s.Wanted != "" && s.Schema == "":
		return fmt.Errorf("the user may not use the schema %s: as its owner, GRANT USAGE, CREATE ON SCHEMA %[1]s to the user", s.Wanted)
	case s.Wanted != "" && s.Schema != s.Wanted:
		return fmt.Errorf("sessions begin in the schema %s instead of %s: a pooler cannot carry a schema, so let it begin them there (connect_query of PgBouncer, or ALTER ROLE … SET search_path)", s.Schema, s.Wanted)
	case s.Schema == "":
		return errors.New("none of the schemas in the search_path exists, or none may be used by this user: create one, grant USAGE and CREATE on it, or name another in the URL")
	case s.List != "" && s.List != s.Schema:
		return fmt.Errorf("the tables are in the schema %s, but %s comes first in the search_path: put %s first", s.List, s.Schema, s.List)
	}
	return nil
}

// loss is a danger for confirmed writes.
type loss struct{ setting, what, loses, mend string }

// losses returns the dangers for confirmed writes. With accepted losses, the service leaves
// synchronous_commit as it is: see promising.
func (s server) losses(accepted bool) (all []loss) {
	off := func(name, value, loses string) {
		if value == "off" {
			all = append(all, loss{name, name + " is off", loses, "set it to on"})
		}
	}
	off("fsync", s.Fsync, "a crash of the machine can destroy the database")
	off("full_page_writes", s.FullPages, "a crash of the machine can destroy the database")
	if s.Unlogged != "" {
		all = append(all, loss{"UNLOGGED", s.Unlogged + " is unlogged", "a crash of the server empties it", "ALTER " + s.Unlogged + " SET LOGGED"})
	}
	if !accepted {
		return all
	}
	off("synchronous_commit", s.Synchronous, "a crash of the server loses changes that were confirmed")
	if s.Standbys && (s.Synchronous == "local" || s.Synchronous == "remote_write") {
		all = append(all, loss{"synchronous_commit", "synchronous_commit is " + s.Synchronous, "a fail-over loses changes that were confirmed", "set it to on"})
	}
	return all
}

// The statements of promising. They only raise: remote_apply stays. The server confirms a
// commit with the settings of its transaction.
const (
	// raiseCommit lets the commit wait for the disk, and for the standbys that have to
	// confirm it. Another engine may not know the setting.
	raiseCommit = "CASE WHEN current_setting('synchronous_commit', true) IN ('off', 'local', 'remote_write') THEN set_config('synchronous_commit', 'on', true) END"
	// raiseNotices lets the server warn when the wait for a standby is cancelled.
	raiseNotices = "CASE WHEN current_setting('client_min_messages', true) = 'error' THEN set_config('client_min_messages', 'warning', true) END"
)

// promising returns a batch for a write. Its first statement raises the settings of this
// transaction to what the service promises. The role, the database, the configuration and
// the session of a pooler can have lower ones at any time. With accepted losses, the
// commit stays as they have it.
func (s *Store) promising() *pgx.Batch {
	batch := &pgx.Batch{}
	if s.options.AcceptLoss {
		batch.Queue("SELECT " + raiseNotices)
	} else {
		batch.Queue("SELECT " + raiseCommit + ", " + raiseNotices)
	}
	return batch
}

// writeRow makes a write of one statement, which returns one row.
func (s *Store) writeRow(ctx context.Context, conn *pgxpool.Conn, sql string, args []any, into ...any) error {
	batch := s.promising()
	batch.Queue(sql, args...).QueryRow(func(row pgx.Row) error { return row.Scan(into...) })
	return conn.SendBatch(ctx, batch).Close()
}

// checkIsolation fails when transactions lack the isolation needed by Commit: see locks.
// Each session sets it, except behind a pooler.
func (s server) checkIsolation() error {
	if s.Isolation == "read committed" {
		return nil
	}
	return fmt.Errorf("default_transaction_isolation is %q for this user in this database: set it to 'read committed'", s.Isolation)
}
