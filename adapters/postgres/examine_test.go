package postgres

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

// examine returns the findings about a database, with the options of a service.
func (d *database) examine(o Options) []Finding {
	d.t.Helper()
	if o.URL == "" {
		o.URL = d.url
	}
	findings, err := Examine(d.t.Context(), o)
	if err != nil {
		d.t.Fatal(err)
	}
	return findings
}

// TestExamineFindsFaults plants each fault in a database of its own. Nothing else is
// found, and what the finding says mends it.
func TestExamineFindsFaults(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		plant string
		what  string
		mend  string // part of it
		grave bool
		runs  bool // mend is a statement that mends it
	}{
		"nothing":                 {"", "", "", false, false},
		"step left":               {"DELETE FROM problems_migrations WHERE name = '0100'", "the schema lacks 0100_initial", `run "problems migrate"`, true, false},
		"missing index":           {"DROP INDEX problems_assignee", "the index problems_assignee is missing", "CREATE INDEX CONCURRENTLY problems_assignee ON problems (assignee, state, id)", false, true},
		"unusable index":          {"UPDATE pg_index SET indisvalid = false WHERE indexrelid = 'problems_state_id'::regclass", "the index problems_state_id is not usable", "REINDEX INDEX CONCURRENTLY problems_state_id", false, true},
		"missing table":           {"DROP TABLE leases", "the table leases is missing", "restore a backup", true, false},
		"no primary key":          {"ALTER TABLE watchers DROP CONSTRAINT watchers_pkey", "the table watchers has no primary key", "ALTER TABLE watchers ADD", true, false},
		"sequence of numbers":     {"INSERT INTO feed (number, batch, size, body) VALUES (7, '00000000-0000-0000-0000-000000000000', 0, '')", "the feed is at entry 0, but entry 7 exists already", "UPDATE feed_head SET number = 7", true, true},
		"sequence behind":         {"INSERT INTO batches (id, position, at) VALUES ('00000000-0000-0000-0000-000000000000', 1000000, 0)", "the sequence positions gives 1 next, but 1000000 is used already", "SELECT setval('positions', 1000000)", true, true},
		"blocks of a restore":     {"INSERT INTO part_blocks VALUES (3, 0, 9, 0)", "the sequence titles_end is at 0, before the end of the blocks", "TRUNCATE parts, part_blocks", true, true},
		"numbers of an import":    {"INSERT INTO problems (id, title, created, modified, revision) VALUES (1, '', 0, 0, 1)", "", "", false, false},
		"table without a log":     {"ALTER TABLE log SET UNLOGGED", "TABLE log is unlogged, so that a crash of the server empties it", "ALTER TABLE log SET LOGGED, or accept the loss", true, false},
		"sequence in use":         {"INSERT INTO problems (id, title, created, modified, revision) SELECT nextval('problem_ids'), '', 0, 0, 1", "", "", false, false},
		"sequence with a cache":   {"ALTER SEQUENCE problem_ids CACHE 32", "the sequence problem_ids caches 32 numbers", "ALTER SEQUENCE problem_ids CACHE 1", true, true},
		"no trigger":              {"ALTER TABLE comments DISABLE TRIGGER comment_changed", "the trigger comment_changed of comments is missing or disabled", "CREATE TRIGGER comment_changed AFTER UPDATE OF text", true, true},
		"texts outside the index": {"INSERT INTO problems (id, title, created, modified, revision) VALUES (1, 'some', 0, 0, 1); INSERT INTO part_blocks VALUES (3, 0, 1, 1); SELECT setval('titles_end', 1)", "the index of parts lacks texts of problems", "TRUNCATE parts, part_blocks", true, true},
		"texts of an old version": {"UPDATE versions SET folding = 0", "nobody is at work on the background step folding_1", `run "problems migrate"`, false, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDatabase(t, postgrestest.Schema(t))
			if err := d.prepare(Options{AutoMigrate: true}); err != nil {
				t.Fatal(err)
			}
			if c.plant != "" {
				d.exec(c.plant)
			}
			findings := d.examine(Options{})
			if c.what == "" {
				if len(findings) > 0 {
					t.Errorf("in a sound database it finds %v", findings)
				}
				return
			}
			if len(findings) != 1 || !strings.Contains(findings[0].What, c.what) || !strings.Contains(findings[0].Mend, c.mend) || findings[0].Grave != c.grave {
				t.Fatalf("it finds %+v; want %q, grave: %t, mended by %q", findings, c.what, c.grave, c.mend)
			}
			if c.runs {
				d.exec(strings.TrimPrefix(findings[0].Mend, "stop the services, then: "))
				if again := d.examine(Options{}); len(again) > 0 {
					t.Errorf("after %s it finds %v", findings[0].Mend, again)
				}
			}
		})
	}
}

// TestExamineJudgesSettings looks at settings of the session, of the service, and of the
// user.
func TestExamineJudgesSettings(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Schema(t))
	if err := d.prepare(Options{AutoMigrate: true}); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		options Options
		what    string
		grave   bool
	}{
		"raised":          {Options{URL: d.url + "&synchronous_commit=off"}, "", false},
		"accepted loss":   {Options{URL: d.url + "&synchronous_commit=off", AcceptLoss: true}, "the settings accept this", false},
		"isolation":       {Options{URL: d.url + "&default_transaction_isolation=serializable", Pooler: true, Direct: d.url + "&default_transaction_isolation=serializable"}, `default_transaction_isolation is "serializable"`, true},
		"too many":        {Options{Connections: 100_000}, "a service takes up to 100000 connections", true},
		"many by pooling": {Options{Connections: 100_000, Pooler: true}, "", false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if c.options.URL == "" {
				c.options.URL = d.url
			}
			findings, err := Examine(t.Context(), c.options)
			if err != nil {
				t.Fatal(err)
			}
			if c.what == "" {
				if len(findings) > 0 {
					t.Errorf("it finds %+v", findings)
				}
				return
			}
			if len(findings) != 1 || !strings.Contains(findings[0].What, c.what) || findings[0].Grave != c.grave || findings[0].Mend == "" {
				t.Errorf("it finds %+v; want %q, grave: %t, and the way to mend it", findings, c.what, c.grave)
			}
		})
	}
	// The bounds are those of a database with old transactions.
	d.exec("BEGIN; SELECT FROM problems")
	defer d.exec("ROLLBACK")
	for what, most := range map[string]bounds{"transactions are open for more than 0s": {0, 1 << 40, 1 << 40}, "transactions old: at 2,000 million": {time.Hour, -1, 1 << 40}} {
		findings, err := examine(t.Context(), Options{URL: d.url}, most)
		if err != nil || len(findings) != 1 || !strings.Contains(findings[0].What, what) {
			t.Errorf("it finds %+v, %v; want %q", findings, err, what)
		}
	}
	for name, c := range map[string]struct{ url, want string }{
		"no schema":   {strings.Replace(d.url, "search_path=", "search_path=nowhere_", 1), "none of the schemas in the search_path exists"},
		"no database": {"postgres://nobody@127.0.0.1:1/nothing", "connect"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := Examine(t.Context(), Options{URL: c.url})
			wants(t, err, c.want)
		})
	}
}

// TestExamineMissesRights looks as a user with fewer rights than a service needs. What
// the findings say gives it the rest.
func TestExamineMissesRights(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Database(t))
	if err := d.prepare(Options{AutoMigrate: true}); err != nil {
		t.Fatal(err)
	}
	role := d.strings("SELECT 'r_' || md5(random()::text)")[0]
	d.exec("CREATE ROLE " + role + "; GRANT USAGE ON SCHEMA public TO " + role + "; GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO " + role +
		"; GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA public TO " + role)
	t.Cleanup(func() {
		if _, err := d.conn.Exec(context.Background(), "DROP OWNED BY "+role+"; DROP ROLE "+role, pgx.QueryExecModeSimpleProtocol); err != nil {
			t.Error(err)
		}
	})
	asRole := Options{URL: d.url + "&role=" + role}
	if findings := d.examine(asRole); len(findings) > 0 {
		t.Errorf("with the rights of a service it finds %+v", findings)
	}
	s := d.opened(asRole)
	d.add(s, "Crème")
	if err := s.FillParts(t.Context()); err != nil {
		t.Errorf("the service cannot fill the index of parts: %v", err)
	}
	d.exec("INSERT INTO problems (id, title, created, modified, revision) VALUES (2000, 'of somebody else', 0, 0, 1)")
	if id, err := s.Reserve(t.Context()); err != nil || id != 2001 {
		t.Errorf("after an unreserved number the service reserves %d, %v", id, err)
	}
	d.exec("REVOKE ALL ON SEQUENCE titles_end FROM " + role + "; TRUNCATE parts_due")
	_, err := d.conn.Exec(t.Context(), "SET ROLE "+role+"; INSERT INTO problems (id, title, created, modified, revision) VALUES (1000, 'late', 0, 0, 1)", pgx.QueryExecModeSimpleProtocol)
	d.exec("RESET ROLE; GRANT USAGE, SELECT, UPDATE ON SEQUENCE titles_end TO " + role)
	if due := d.strings("SELECT key::text FROM parts_due"); err == nil && !slices.Equal(due, []string{"1000"}) {
		t.Errorf("without a look at the end of the blocks, a title leaves the entries %v", due)
	}
	d.exec("REVOKE UPDATE ON problems FROM " + role + "; REVOKE USAGE ON SEQUENCE positions FROM " + role)
	findings := d.examine(asRole)
	if len(findings) != 2 || !strings.Contains(findings[0].What, "lacks USAGE, SELECT, UPDATE on positions") || !strings.Contains(findings[1].What, "lacks UPDATE on problems") {
		t.Errorf("it finds %+v", findings)
	}
	for _, f := range findings {
		d.exec(strings.TrimPrefix(f.Mend, "as the owner: "))
	}
	if findings := d.examine(asRole); len(findings) > 0 {
		t.Errorf("with the rights it finds %+v", findings)
	}
}

// TestExamineMissesStandby looks at a server that waits for a standby in vain. What a session
// has does not matter: each write waits, unless the settings accept the loss.
func TestExamineMissesStandby(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.New(t, "synchronous_standby_names=absent").URL())
	local := d.url + "&synchronous_commit=local"
	if err := d.prepare(Options{URL: local, AutoMigrate: true}); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		options Options
		grave   bool
		what    string
	}{
		"on":       {Options{}, true, "a standby has to confirm each write, and none is connected"},
		"raised":   {Options{URL: local}, true, "a standby has to confirm each write, and none is connected"},
		"accepted": {Options{URL: local, AcceptLoss: true}, false, "synchronous_commit is local, so that a fail-over loses changes that were confirmed"},
	} {
		if findings := d.examine(c.options); len(findings) != 1 || findings[0].Grave != c.grave || !strings.Contains(findings[0].What, c.what) {
			t.Errorf("%s: it finds %+v; want %q", name, findings, c.what)
		}
	}
}

// TestExamineKnowsAllPositions puts a high position into each table with positions, by the
// catalogue of the database.
func TestExamineKnowsAllPositions(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Schema(t))
	if err := d.prepare(Options{AutoMigrate: true}); err != nil {
		t.Fatal(err)
	}
	tables := d.strings("SELECT table_name FROM information_schema.columns WHERE table_schema = current_schema() AND column_name = 'position' ORDER BY 1")
	if len(tables) < 10 || !slices.Contains(tables, "webhooks") {
		t.Fatalf("the tables with positions are %q", tables)
	}
	for _, table := range tables {
		row := d.strings(`SELECT string_agg(CASE WHEN column_name = 'position' THEN '1000000' WHEN data_type IN ('bigint', 'smallint', 'integer') THEN '0'
				WHEN data_type = 'boolean' THEN 'false' WHEN data_type = 'uuid' THEN '''00000000-0000-0000-0000-000000000000''' ELSE '''''' END, ', ' ORDER BY ordinal_position)
			FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = '` + table + "'")[0]
		d.exec("SET session_replication_role = replica; INSERT INTO " + table + " VALUES (" + row + "); SET session_replication_role = DEFAULT")
		findings := d.examine(Options{})
		if len(findings) != 1 || !strings.Contains(findings[0].What, "but 1000000 is used already") {
			t.Errorf("with a high position in %s it finds %+v", table, findings)
		}
		d.exec("DELETE FROM " + table)
	}
}

// archiveHas waits until an expression about pg_stat_archiver is true.
func (d *database) archiveHas(expression string) {
	d.t.Helper()
	for end := time.Now().Add(2 * time.Minute); d.strings("SELECT coalesce((" + expression + ")::text, '') FROM pg_stat_archiver")[0] != "true"; {
		if time.Now().After(end) {
			d.t.Fatalf("after two minutes the archive has not: %s", expression)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

// TestExamineFindsKeptLog looks at a server that keeps its log: for a replication slot
// without a standby, and for an archive that takes nothing.
func TestExamineFindsKeptLog(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.New(t, "archive_mode=on", "archive_command=test -f works").URL()) // in the directory of the data
	if err := d.prepare(Options{AutoMigrate: true}); err != nil {
		t.Fatal(err)
	}
	empty := newDatabase(t, postgrestest.New(t, "archive_mode=on").URL())
	if err := empty.prepare(Options{AutoMigrate: true}); err != nil {
		t.Fatal(err)
	}
	if findings := empty.examine(Options{}); len(findings) != 1 || findings[0].Grave || !strings.Contains(findings[0].What, "archive_mode is on, and there is no archive_command") {
		t.Errorf("without a command it finds %+v", findings)
	}
	look := func(want string) (found Finding) {
		t.Helper()
		findings, err := examine(t.Context(), Options{URL: d.url}, bounds{time.Hour, 1 << 40, 8 << 20})
		switch {
		case want == "" && (err != nil || len(findings) > 0):
			t.Errorf("it finds %+v, %v", findings, err)
		case want != "" && (err != nil || len(findings) != 1 || findings[0].Grave || !strings.Contains(findings[0].What, want)):
			t.Fatalf("it finds %+v, %v; want a warning with %q", findings, err, want)
		case want != "":
			found = findings[0]
		}
		return found
	}
	nextFile := "CREATE TABLE passing (); DROP TABLE passing; SELECT pg_switch_wal()" // of 16 MiB
	look("")
	d.exec(nextFile)
	d.archiveHas("failed_count > 0")
	look("the archive does not take the file 0000000100000000")
	d.exec("DO $$ BEGIN EXECUTE format('COPY (SELECT) TO %L', current_setting('data_directory') || '/works'); END $$")
	d.exec(nextFile)
	d.archiveHas("last_archived_time > last_failed_time")
	d.exec("CHECKPOINT") // a slot keeps the log from the last one on
	d.exec("SELECT pg_create_physical_replication_slot('gone', true)")
	look("") // the slot of a standby that restarts, for example
	d.exec(nextFile)
	_, drop, _ := strings.Cut(look("nobody uses the replication slot gone, and PostgreSQL keeps ").Mend, ": ")
	d.exec(drop)
	look("")
}
