package postgres

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/uptrace/bun"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
)

// Finding is a fault of a database, and the way to mend it.
type Finding = sqlstore.Finding

// Examine finds faults of a database, beside its services. It changes nothing, and takes
// one connection. It fails when it cannot look.
func Examine(ctx context.Context, o Options) ([]Finding, error) {
	return examine(ctx, o, bounds{transaction: time.Hour, age: 1_000_000_000, retained: 1 << 30})
}

// bounds are the limits of an examination.
type bounds struct {
	// transaction is how long a transaction of somebody may be open.
	transaction time.Duration
	// age is how many transactions old a row may be. Autovacuum freezes rows at 200
	// million, and PostgreSQL takes no writes at 2,000 million.
	age int64
	// retained is how many bytes of the log an unused replication slot may keep.
	retained int64
}

func examine(ctx context.Context, o Options, most bounds) (findings []Finding, err error) {
	_, err = o.directly(ctx, false, func(o Options, db *bun.DB) ([]Migration, error) {
		limited, cancel := context.WithTimeout(ctx, o.bound())
		defer cancel()
		e := examination{ctx: limited, options: o, most: most, db: db}
		err := e.run()
		findings = e.findings
		return nil, err
	})
	return findings, err
}

// examination is one call of Examine.
type examination struct {
	ctx      context.Context
	options  Options
	most     bounds
	db       *bun.DB
	server   server
	made     []string // the indexes of background steps
	findings []Finding
}

func (e *examination) grave(mend, what string, args ...any) {
	e.findings = append(e.findings, Finding{Grave: true, What: fmt.Sprintf(what, args...), Mend: mend})
}

func (e *examination) warn(mend, what string, args ...any) {
	e.findings = append(e.findings, Finding{What: fmt.Sprintf(what, args...), Mend: mend})
}

func (e *examination) run() (err error) {
	if e.server, err = ask(e.ctx, e.db, e.options.schema); err != nil {
		return err
	}
	if err := cmp.Or(e.server.unfit(), e.server.distribution()); err != nil {
		return err // the rest would mislead
	}
	for _, l := range e.server.losses(e.options.AcceptLoss) {
		if e.options.AcceptLoss {
			e.warn(l.mend, "%s, so that %s: the settings accept this", l.what, l.loses)
			continue
		}
		e.grave(l.mend+", or accept the loss with --store-accept-loss", "%s, so that %s", l.what, l.loses)
	}
	if err := e.server.checkIsolation(); err != nil {
		e.grave(fmt.Sprintf("ALTER ROLE %s SET default_transaction_isolation TO 'read committed'", e.user()), "default_transaction_isolation is %q for this user in this database", e.server.Isolation)
	}
	all, err := e.options.status(e.ctx, e.db, anyServer)
	if err != nil {
		return err
	}
	if left := sqlstore.Left(all); left != nil {
		e.findings = append(e.findings, left...)
		return nil // nobody knows what the schema should have
	}
	if whole, err := e.tables(); err != nil || !whole {
		return err
	}
	if err := e.behind(); err != nil {
		return err
	}
	for _, look := range []func() error{e.indexes, e.rights, e.sequences, e.connections, e.standbys, e.slots, e.archive, e.transactions, e.parts} {
		if err := look(); err != nil {
			return err
		}
	}
	return nil
}

// behind looks for background steps that have not ended.
func (e *examination) behind() error {
	all, err := e.options.look(e.ctx, e.db)
	if err != nil {
		return err
	}
	for _, m := range sqlstore.Behind(all) {
		slow := "lists and searches are slow without it"
		if indexes, err := e.options.steps.Indexes(m); m.Name != sqlstore.FoldingStep && err == nil {
			for _, index := range indexes {
				e.made = append(e.made, index.Name)
			}
		}
		if !m.Progress.UnderWay && e.options.Pooler && e.options.Direct == "" {
			e.warn("set PROBLEMS_STORE_DIRECT to the URL of the database itself", "nobody is at work on the background step %s, because a pooler cannot carry it, and %s", m.Name, slow)
			continue
		}
		if !m.Progress.UnderWay {
			e.warn(`start a service of this version with PROBLEMS_AUTO_MIGRATE=true, or run "problems migrate": both work beside other services`, "nobody is at work on the background step %s, and %s", m.Name, slow)
			continue
		}
		mend := `wait: "problems migrate --status" shows how far it has come`
		if m.Progress.Waits != "" {
			mend = "wait, or end the transaction that it waits for: of " + m.Progress.Waits
		}
		e.warn(mend, "the background step %s is under way, at %d %%, and %s", m.Name, m.Progress.Percent, slow)
	}
	return nil
}

// named is a name with a value, as several queries have it.
type named struct {
	Name  string
	Value string
}

// rows returns the rows of a query for names and values.
func (e *examination) rows(query string, args ...any) (rows []named, err error) {
	err = e.db.NewRaw(query, args...).Scan(e.ctx, &rows)
	return rows, err
}

// tables looks for missing tables, and for tables without a primary key. It reports whether
// all tables are there.
func (e *examination) tables() (whole bool, err error) {
	want, _, err := builtin.Created()
	if err != nil {
		return false, err
	}
	have, err := e.rows(`SELECT c.relname AS name, CASE WHEN i.indexrelid IS NULL THEN 'none' ELSE '' END AS value
		FROM pg_class c LEFT JOIN pg_index i ON i.indrelid = c.oid AND i.indisprimary
		WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace`)
	if err != nil {
		return false, err
	}
	whole = true
	for _, name := range slices.Sorted(maps.Keys(want)) {
		at := slices.IndexFunc(have, func(n named) bool { return n.Name == name })
		switch {
		case at < 0:
			whole = false
			e.grave("stop the services, and restore a backup", "the table %s is missing", name)
		case have[at].Value != "":
			e.grave(fmt.Sprintf("add the one of this statement, by %s ADD: %s", e.options.inSchema("ALTER TABLE "+name), oneLine(want[name])), "the table %s has no primary key", name)
		}
	}
	return whole, nil
}

// indexes looks for missing and for unusable indexes.
func (e *examination) indexes() error {
	_, want, err := builtin.Created()
	if err != nil {
		return err
	}
	have, err := e.rows(`SELECT c.relname AS name, CASE WHEN i.indisvalid AND i.indisready THEN '' ELSE 'unusable' END AS value
		FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid WHERE c.relnamespace = current_schema()::regnamespace`)
	if err != nil {
		return err
	}
	for _, index := range have {
		if index.Value != "" && !slices.Contains(e.made, index.Name) {
			e.warn(e.options.inSchema("REINDEX INDEX CONCURRENTLY "+index.Name), "the index %s is not usable: its creation has failed, or is under way", index.Name)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(want)) {
		if !slices.Contains(e.made, name) && !slices.ContainsFunc(have, func(n named) bool { return n.Name == name }) {
			e.warn(e.options.inSchema(strings.Replace(oneLine(want[name]), "INDEX ", "INDEX CONCURRENTLY ", 1)), "the index %s is missing, so that searches are slow", name)
		}
	}
	return nil
}

// oneLine returns a statement without its layout.
func oneLine(statement string) string {
	return strings.TrimSuffix(strings.Join(strings.Fields(statement), " "), ";")
}

// rights looks for missing rights of the user.
func (e *examination) rights() error {
	missing, err := e.rows(`SELECT r.privilege AS value, c.relname AS name FROM pg_class c
			CROSS JOIN (VALUES ('SELECT'), ('INSERT'), ('UPDATE'), ('DELETE')) r (privilege)
			WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace AND NOT has_table_privilege(c.oid, r.privilege)
		UNION ALL
		SELECT 'USAGE, SELECT, UPDATE', c.relname FROM pg_class c
			WHERE c.relkind = 'S' AND c.relnamespace = current_schema()::regnamespace
			AND NOT (has_sequence_privilege(c.oid, 'USAGE') AND has_sequence_privilege(c.oid, 'SELECT') AND has_sequence_privilege(c.oid, 'UPDATE'))
		ORDER BY 2, 1`)
	if err != nil {
		return err
	}
	user := e.user()
	for _, right := range missing {
		kind := "TABLE"
		if strings.Contains(right.Value, "USAGE") {
			kind = "SEQUENCE"
		}
		e.grave("as the owner: "+e.options.inSchema(fmt.Sprintf("GRANT %s ON %s %s TO %s", right.Value, kind, right.Name, user)), "the user %s lacks %s on %s", user, right.Value, right.Name)
	}
	return nil
}

// user returns the name of the user, as SQL has it.
func (e *examination) user() (name string) {
	if err := e.db.NewRaw("SELECT quote_ident(current_user)").Scan(e.ctx, &name); err != nil {
		return "CURRENT_USER"
	}
	return name
}

// sequences looks for sequences with used numbers ahead, or without order. A dump without
// its sequences and a logical replica leave such ones.
func (e *examination) sequences() error {
	positions, err := builtin.HighestPosition()
	if err != nil {
		return err
	}
	for _, s := range []struct{ name, highest string }{
		{"positions", positions},
		{"problem_ids", "SELECT coalesce(max(id), 0) FROM problems"},
	} {
		var next, highest, cache int64
		err := e.db.NewRaw("SELECT CASE WHEN s.is_called THEN s.last_value + 1 ELSE s.last_value END, (?), (SELECT seqcache FROM pg_sequence WHERE seqrelid = to_regclass(?)) FROM ? AS s",
			bun.Safe(s.highest), s.name, bun.Ident(s.name)).Scan(e.ctx, &next, &highest, &cache)
		if err != nil {
			return err
		}
		if next <= highest && s.name != "problem_ids" { // Reserve moves that one
			e.grave("stop the services, then: "+e.options.inSchema(fmt.Sprintf("SELECT setval('%s', %d)", s.name, highest)), "the sequence %s gives %d next, but %d is used already: a restore has left it behind", s.name, next, highest)
		}
		if cache > 1 {
			e.grave(e.options.inSchema(fmt.Sprintf("ALTER SEQUENCE %s CACHE 1", s.name)), "the sequence %s caches %d numbers for each session, so that they are out of order", s.name, cache)
		}
	}
	var head, newest int64
	if err := e.db.NewRaw("SELECT (SELECT number FROM feed_head), coalesce((SELECT max(number) FROM feed), 0)").Scan(e.ctx, &head, &newest); err != nil {
		return err
	}
	if head < newest {
		e.grave("stop the services, then: "+e.options.inSchema(fmt.Sprintf("UPDATE feed_head SET number = %d", newest)), "the feed is at entry %d, but entry %d exists already", head, newest)
	}
	return nil
}

// connections compares the number of connections with the limits of the server.
func (e *examination) connections() error {
	if e.options.Pooler {
		return nil
	}
	var most int
	err := e.db.NewRaw(`SELECT least(current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int,
		nullif((SELECT rolconnlimit FROM pg_roles WHERE rolname = current_user), -1),
		nullif((SELECT datconnlimit FROM pg_database WHERE datname = current_database()), -1))`).Scan(e.ctx, &most)
	if err == nil && e.options.Connections > most {
		e.grave(fmt.Sprintf("set PROBLEMS_STORE_CONNECTIONS to at most %d for all services together, or raise the limit of the server", most),
			"a service takes up to %d connections, and the server allows this user %d", e.options.Connections, most)
	}
	return err
}

// standbys looks for the standby of synchronous writes. Only some users may see the state of
// a standby.
func (e *examination) standbys() error {
	unconfirmed := e.options.AcceptLoss && (e.server.Synchronous == "off" || e.server.Synchronous == "local")
	if !e.server.Standbys || unconfirmed {
		return nil
	}
	var connected int
	err := e.db.NewRaw("SELECT count(*) FROM pg_stat_replication WHERE coalesce(sync_state, '') <> 'async'").Scan(e.ctx, &connected)
	if err == nil && connected == 0 {
		e.grave("start the standby, or change synchronous_standby_names", "a standby has to confirm each write, and none is connected: no write ends")
	}
	return err
}

// slots looks for replication slots that nobody uses. PostgreSQL keeps the log for them
// until the disk is full.
func (e *examination) slots() error {
	// Some engines have no position in a log. They have no slots either, so that nothing
	// asks for it.
	unused, err := e.rows(`SELECT slot_name AS name, pg_size_pretty(retained) AS value FROM (
			SELECT slot_name, pg_wal_lsn_diff(CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() ELSE pg_current_wal_lsn() END, restart_lsn) AS retained
			FROM pg_replication_slots WHERE NOT active AND restart_lsn IS NOT NULL) AS slots
		WHERE retained > ? ORDER BY slot_name`, e.most.retained)
	for _, slot := range unused {
		e.warn(fmt.Sprintf("start its standby or consumer; if there is none any more: SELECT pg_drop_replication_slot('%s')", slot.Name),
			"nobody uses the replication slot %s, and PostgreSQL keeps %s of its log for it, until the disk is full", slot.Name, slot.Value)
	}
	return err
}

// archive looks for an archive of the log that takes nothing.
func (e *examination) archive() error {
	var mode, command, failed string
	err := e.db.NewRaw(`SELECT current_setting('archive_mode'), current_setting('archive_command') || coalesce(current_setting('archive_library', true), ''),
		(SELECT CASE WHEN last_failed_time > coalesce(last_archived_time, '-infinity') THEN last_failed_wal ELSE '' END FROM pg_stat_archiver)`).
		Scan(e.ctx, &mode, &command, &failed)
	const until = "there is no way back to a moment from now on, and PostgreSQL keeps its log until the disk is full"
	switch {
	case err != nil || mode == "off":
	case command == "" || command == "(disabled)":
		e.warn("set archive_command, or archive_mode to off", "archive_mode is %s, and there is no archive_command: %s", mode, until)
	case failed != "":
		e.warn("the log of PostgreSQL says why archive_command fails", "the archive does not take the file %s of the log: %s", failed, until)
	}
	return err
}

// transactions looks for obstacles of the vacuum.
func (e *examination) transactions() error {
	var long, age int64
	err := e.db.NewRaw(`SELECT (SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND xact_start < now() - ?::interval),
		(SELECT age(datfrozenxid) FROM pg_database WHERE datname = current_database())`, fmt.Sprintf("%d seconds", int(e.most.transaction.Seconds()))).Scan(e.ctx, &long, &age)
	if err != nil {
		return err
	}
	if long > 0 {
		e.warn("find and end them: SELECT pid, state, xact_start, query FROM pg_stat_activity ORDER BY xact_start", "%d transactions are open for more than %s: PostgreSQL cannot clean up behind them", long, e.most.transaction)
	}
	if age > e.most.age {
		e.grave("VACUUM FREEZE, and find out what keeps autovacuum from it", "the oldest row is %d transactions old: at 2,000 million PostgreSQL takes no writes", age)
	}
	return nil
}

// refill has the services make the index of parts anew.
const refill = "TRUNCATE parts, part_blocks; INSERT INTO part_blocks (kind, low, high) VALUES (1, -1, -1)"

// parts looks for the latest indexed texts in the index of parts, and for the triggers that keep it.
func (e *examination) parts() error {
	if e.server.Citus {
		return nil
	}
	made, err := partsTriggers()
	if err != nil {
		return err
	}
	for _, trigger := range made {
		var there bool
		if err := e.db.NewRaw("SELECT EXISTS (SELECT FROM pg_trigger WHERE tgname = ? AND tgenabled IN ('O', 'A') AND tgrelid = to_regclass(?))", trigger[1], trigger[2]).Scan(e.ctx, &there); err != nil {
			return err
		}
		if !there {
			e.grave(e.options.inSchema(fmt.Sprintf("DROP TRIGGER IF EXISTS %s ON %s; %s; %s", trigger[1], trigger[2], oneLine(trigger[0]), refill)),
				"the trigger %s of %s is missing or disabled, so that searches do not find new texts", trigger[1], trigger[2])
			return nil
		}
	}
	var end int64
	err = e.db.NewRaw("SELECT last_value FROM titles_end WHERE is_called AND last_value < (SELECT max(high) FROM part_blocks WHERE kind = 3)").Scan(e.ctx, &end)
	switch {
	case err == nil:
		e.grave(e.options.inSchema(refill), "the sequence titles_end is at %d, before the end of the blocks, so that searches may miss new titles: a restore has left it behind", end)
	case !errors.Is(err, sql.ErrNoRows):
		return err
	}
	for _, p := range []parted{partedTitles, partedComments} {
		var texts []struct {
			Key, Low int64
			Text     string
		}
		if err := e.db.NewRaw(p.statement("SELECT {key} AS key, b.low, {text} AS text FROM {table} JOIN part_blocks b ON b.kind = {kind} AND {key} BETWEEN b.low AND b.high "+
			"WHERE {key} > {last} - 100 AND b.rows IS NOT NULL AND NOT EXISTS (SELECT FROM parts_due d WHERE d.kind = {kind} AND d.key = {key})")).Scan(e.ctx, &texts); err != nil {
			return err
		}
		for _, t := range texts {
			want := map[int16]bool{}
			eachPart(t.Text, func(part int16) { want[part] = true })
			var lists [][]byte
			if err := e.db.NewRaw(p.statement("SELECT rows FROM parts WHERE block = ? AND kind = {kind} AND part IN (?)"), t.Low, bun.List(slices.Collect(maps.Keys(want)))).Scan(e.ctx, &lists); err != nil {
				return err
			}
			if len(lists) < len(want) || slices.ContainsFunc(lists, func(list []byte) bool { return !slices.Contains(keysIn(t.Low, list), t.Key) }) {
				e.grave(e.options.inSchema(refill), "the index of parts lacks texts of %s, so that searches do not find them: somebody has written to the database without its triggers", p.table)
				return nil
			}
		}
	}
	return nil
}

// partsTriggers returns the latest statements that make the triggers of the index of parts, each with
// the name and the table.
func partsTriggers() (latest [][]string, err error) {
	for _, step := range []string{"0119_titles", "0118_parts"} {
		text, err := fs.ReadFile(builtin.Files, "migrations/"+step+".up.sql")
		if err != nil {
			return nil, err
		}
		for _, trigger := range partsTrigger.FindAllStringSubmatch(string(text), -1) {
			if !slices.ContainsFunc(latest, func(later []string) bool { return later[1] == trigger[1] }) {
				latest = append(latest, trigger)
			}
		}
	}
	return latest, nil
}

var partsTrigger = regexp.MustCompile(`CREATE TRIGGER (\w+) AFTER [A-Z]+ (?:OF [a-z_, ]+ )?ON (\w+) [^;]+`)
