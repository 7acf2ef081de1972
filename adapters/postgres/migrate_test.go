package postgres

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"
	"github.com/uptrace/bun"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

// database is a database of a test, with a connection of its own.
type database struct {
	t    *testing.T
	url  string
	conn *pgx.Conn
}

func newDatabase(t *testing.T, url string) *database {
	t.Helper()
	conn, err := pgx.Connect(t.Context(), url)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = conn.Close(context.Background()) })
	return &database{t, url, conn}
}

func (d *database) exec(statements string) {
	d.t.Helper()
	if _, err := d.conn.Exec(d.t.Context(), statements, pgx.QueryExecModeSimpleProtocol); err != nil {
		d.t.Fatal(err)
	}
}

// strings returns the only column of a query.
func (d *database) strings(query string) []string {
	d.t.Helper()
	rows, err := d.conn.Query(d.t.Context(), query)
	if err != nil {
		d.t.Fatal(err)
	}
	all, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		d.t.Fatal(err)
	}
	return all
}

// relations returns the names of everything in the schema.
func (d *database) relations() []string {
	d.t.Helper()
	return d.strings("SELECT relname::text FROM pg_class WHERE relnamespace = current_schema()::regnamespace ORDER BY 1")
}

// prepare is what Open does before anything else.
func (d *database) prepare(o Options) error {
	d.t.Helper()
	if o.URL == "" {
		o.URL = d.url
	}
	config, err := o.poolConfig()
	if err != nil {
		d.t.Fatal(err)
	}
	config.MaxConns, config.MinIdleConns = 1, 0 // it takes no more
	pool, err := pgxpool.NewWithConfig(d.t.Context(), config)
	if err != nil {
		d.t.Fatal(err)
	}
	defer pool.Close()
	_, err = prepare(d.t.Context(), o, pool)
	return err
}

// wants fails the test unless err has a text.
func wants(t *testing.T, err error, text string) {
	t.Helper()
	if err == nil || !strings.Contains(err.Error(), text) {
		t.Errorf("got %v; want %q", err, text)
	}
}

func TestMigrate(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Schema(t))
	o := Options{URL: d.url}
	check := func(name string, applied bool, all []Migration, err error) {
		t.Helper()
		if err != nil || len(all) == 0 || all[0].Name != "0100_initial" {
			t.Fatalf("%s: %v, %v", name, all, err)
		}
		if slices.ContainsFunc(all, func(m Migration) bool { return m.Applied != applied }) {
			t.Errorf("%s: got %v, want all applied: %t", name, all, applied)
		}
	}
	all, err := Status(t.Context(), o)
	check("Status before", false, all, err)
	if plan, err := Plan(t.Context(), o); err != nil || !strings.Contains(plan, "CREATE TABLE problems (") {
		t.Errorf("the plan is %q, %v", plan, err)
	}
	if got := d.relations(); len(got) > 0 {
		t.Errorf("looking has made %v", got)
	}
	for range 2 {
		all, err = Migrate(t.Context(), o)
		check("Migrate", true, all, err)
	}
	all, err = Status(t.Context(), o)
	check("Status after", true, all, err)
	if plan, err := Plan(t.Context(), o); plan != "" || err != nil {
		t.Errorf("with nothing to do the plan is %q, %v", plan, err)
	}
}

func TestPlanDoesWhatMigrateDoes(t *testing.T) {
	t.Parallel()
	byHand, byMigrate := newDatabase(t, postgrestest.Schema(t)), newDatabase(t, postgrestest.Schema(t))
	plan, err := Plan(t.Context(), Options{URL: byHand.url})
	if err != nil {
		t.Fatal(err)
	}
	byHand.exec(plan)
	if _, err := Migrate(t.Context(), Options{URL: byMigrate.url}); err != nil {
		t.Fatal(err)
	}
	if got, want := byHand.relations(), byMigrate.relations(); !slices.Equal(got, want) {
		t.Errorf("by hand there are %v; by Migrate %v", got, want)
	}
	const list = "SELECT concat_ws(' ', id, name, group_id) FROM problems_migrations ORDER BY id"
	if got, want := byHand.strings(list), byMigrate.strings(list); !slices.Equal(got, want) {
		t.Errorf("by hand the list is %v; by Migrate %v", got, want)
	}
	if err := byHand.prepare(Options{}); err != nil {
		t.Error(err)
	}
}

func TestSchema(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Schema(t))
	if err := d.prepare(Options{AutoMigrate: true}); err != nil {
		t.Fatal(err)
	}
	if other := d.strings(`SELECT attrelid::regclass || '.' || attname FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
			WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND relname <> 'problems_migrations'
				AND atttypid = 'text'::regtype AND attcollation <> '"C"'::regcollation`); len(other) > 0 {
		t.Errorf("not compared byte by byte: %v", other)
	}
	keys := d.strings(`SELECT conname::text FROM pg_constraint WHERE connamespace = current_schema()::regnamespace AND contype IN ('p', 'u')`)
	for _, key := range chosenKeys {
		if !slices.Contains(keys, key) {
			t.Errorf("there is no key %s", key)
		}
	}
	// The longest name that there can be (D4), of the longest characters, all
	// different so that they do not compress.
	d.exec(`INSERT INTO keywords (problem, name) SELECT 1, string_agg(chr(65536 + (i * 7919) % 60000), '') FROM generate_series(1, 255) i`)
}

func TestManyStartAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-long runs it")
	}
	t.Parallel()
	d := newDatabase(t, postgrestest.Schema(t))
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			if err := d.prepare(Options{AutoMigrate: true}); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	all, err := Status(t.Context(), Options{URL: d.url})
	if err != nil {
		t.Fatal(err)
	}
	if got := d.strings("SELECT name::text FROM problems_migrations"); len(got) != len(all) {
		t.Errorf("the steps were done as %v; want each once of %v", got, all)
	}
}

func TestMigrationIsAllOrNothing(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Schema(t))
	d.exec("CREATE TABLE batches (in_the_way bigint)")
	before := d.relations()
	err := d.prepare(Options{AutoMigrate: true})
	wants(t, err, "tables of another program")
	wants(t, err, `relation "batches" already exists`)
	wants(t, err, "0100")
	if after := d.relations(); !slices.Equal(after, before) {
		t.Errorf("there are %v; want those from before: %v", after, before)
	}
	d.exec("ALTER TABLE batches RENAME TO others") // other tables are in nobody's way
	if err := d.prepare(Options{AutoMigrate: true}); err != nil {
		t.Error(err)
	}
}

// TestNewerSchemaIsRefused uses a schema after steps of a newer version, until one of them
// leaves no way back.
func TestNewerSchemaIsRefused(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Schema(t))
	if err := d.prepare(Options{AutoMigrate: true}); err != nil {
		t.Fatal(err)
	}
	d.exec("INSERT INTO problems_migrations (name, group_id) VALUES ('9998', 2), ('9999', 2)")
	all, err := Status(t.Context(), Options{URL: d.url})
	if last := len(all) - 1; err != nil || all[last].Name != "9999" || !all[last].Newer || !all[last].Applied || all[last-1].Name != "9998" {
		t.Errorf("beside steps of a newer version, the status is %v, %v", all, err)
	}
	d.exec("UPDATE versions SET folding = 12345") // by the newer version
	for _, o := range []Options{{}, {AutoMigrate: true}} {
		if err := d.prepare(o); err != nil {
			t.Errorf("beside steps of a newer version: %v", err)
		}
	}
	if got := d.strings("SELECT folding::text FROM versions"); !slices.Equal(got, []string{"12345"}) {
		t.Errorf("the texts of a newer version were folded: %v", got)
	}
	if findings := d.examine(Options{}); len(findings) > 0 {
		t.Errorf("beside steps of a newer version, it finds %+v", findings)
	}
	d.exec("UPDATE oldest_step SET step = 9999")
	d.refused("a version that knows 9999 is needed")
}

// TestEarlierSchemaIsRefused uses schemas of versions before the first release, the oldest of
// them without a list of final steps.
func TestEarlierSchemaIsRefused(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Schema(t))
	if err := d.prepare(Options{AutoMigrate: true}); err != nil {
		t.Fatal(err)
	}
	for _, earlier := range []string{
		"UPDATE oldest_step SET step = 5; UPDATE problems_migrations SET name = '0001'; INSERT INTO problems_migrations (name, group_id) VALUES ('0005', 1)",
		"DROP TABLE oldest_step; DELETE FROM problems_migrations WHERE name = '0005'",
	} {
		d.exec(earlier)
		d.refused(`nothing has changed: export the data by "problems export" of the older version`)
	}
}

// refused tries all uses of a schema, each of which has to fail with a text.
func (d *database) refused(text string) {
	d.t.Helper()
	for name, use := range map[string]func() error{
		"prepare": func() error { return d.prepare(Options{AutoMigrate: true}) },
		"Migrate": func() error { _, err := Migrate(d.t.Context(), Options{URL: d.url}); return err },
		"Status":  func() error { _, err := Status(d.t.Context(), Options{URL: d.url}); return err },
		"Plan":    func() error { _, err := Plan(d.t.Context(), Options{URL: d.url}); return err },
	} {
		d.t.Run(name, func(t *testing.T) { wants(t, use(), text) })
	}
}

func TestStepsAreLeftToTheOperator(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Schema(t))
	wants(t, d.prepare(Options{}), `run "problems migrate" first`)
	if got := d.relations(); len(got) > 0 {
		t.Errorf("looking has made %v", got)
	}
}

func TestPoolerCannotMigrate(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Schema(t))
	wants(t, d.prepare(Options{Pooler: true, AutoMigrate: true}), "give a direct URL")
	if err := d.prepare(Options{Pooler: true, AutoMigrate: true, Direct: d.url}); err != nil {
		t.Error(err)
	}
	if err := d.prepare(Options{Pooler: true, AutoMigrate: true}); err != nil {
		t.Errorf("though there is nothing to do: %v", err)
	}
	elsewhere := newDatabase(t, postgrestest.Schema(t))
	wants(t, elsewhere.prepare(Options{Direct: d.url, AutoMigrate: true}), "leads to another database or schema")
}

func TestWhoHoldsTheLock(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Schema(t))
	d.exec("SET application_name = 'slow'; SELECT pg_advisory_lock(" + lockNumber + ")")
	err := d.prepare(Options{AutoMigrate: true, MigrationTimeout: 50 * time.Millisecond})
	wants(t, err, `for longer than 50ms: process `+fmt.Sprint(d.conn.PgConn().PID())+` of the server, application "slow", from `)
	other := newDatabase(t, postgrestest.Schema(t))
	if err := other.prepare(Options{AutoMigrate: true, MigrationTimeout: 10 * time.Second}); err != nil {
		t.Errorf("another schema waits as well: %v", err)
	}
	d.exec("SELECT pg_advisory_unlock_all()")
	if err := d.prepare(Options{AutoMigrate: true}); err != nil {
		t.Error(err)
	}
}

// A connection that is lost ends the migration: what would come after it would be
// without the lock and the transaction.
func TestConnectionIsLostWhileMigrating(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Schema(t))
	watching := newDatabase(t, d.url)
	d.exec("CREATE TABLE in_the_way (x bigint)")
	d.exec("BEGIN; LOCK TABLE in_the_way")
	failed := make(chan error, 1)
	go func() {
		_, err := Options{URL: d.url + "&application_name=lost"}.directly(context.Background(), true, func(_ Options, db *bun.DB) ([]Migration, error) {
			if _, err := db.ExecContext(context.Background(), "BEGIN; CREATE TABLE made (x bigint)"); err != nil {
				return nil, err
			}
			if _, err := db.ExecContext(context.Background(), "LOCK TABLE in_the_way"); err == nil {
				return nil, fmt.Errorf("the statement has outlived its connection")
			}
			_, err := db.ExecContext(context.Background(), "CREATE TABLE made_alone (x bigint)")
			return nil, err
		})
		failed <- err
	}()
	terminated := func() bool {
		return len(watching.strings("SELECT pg_terminate_backend(pid)::text FROM pg_stat_activity WHERE application_name = 'lost' AND wait_event_type = 'Lock'")) > 0
	}
	for !terminated() {
		select {
		case err := <-failed:
			t.Fatalf("nothing waits for the table: %v", err)
		default:
		}
	}
	wants(t, <-failed, "the connection to the database was lost")
	d.exec("ROLLBACK")
	if got := d.relations(); !slices.Equal(got, []string{"in_the_way"}) {
		t.Errorf("there are %v", got)
	}
}

// Who is told to end does so soon, whatever it waits for.
func TestInterruptedWhileWaiting(t *testing.T) {
	t.Parallel()
	migrate := func(ctx context.Context, o Options) error { _, err := Migrate(ctx, o); return err }
	open := func(ctx context.Context, o Options) error { _, err := Open(ctx, o); return err }
	const (
		soon    = 3 * time.Second // less than any limit
		lock    = "SELECT pg_advisory_lock(" + lockNumber + ")"
		table   = "BEGIN; CREATE TABLE problems_migrations (name text); COMMIT; BEGIN; LOCK TABLE problems_migrations"
		waiting = "SELECT pid::text FROM pg_locks WHERE database = (SELECT oid FROM pg_database WHERE datname = current_database()) AND NOT granted"
	)
	for name, c := range map[string]struct {
		do     func(context.Context, Options) error
		hold   string
		silent bool // the server falls silent while it makes wait
	}{
		"Migrate":                    {migrate, lock, false},
		"Migrate, silence":           {migrate, lock, true},
		"Open, migrating":            {open, lock, false},
		"Open, migrating, silence":   {open, lock, true},
		"Open, looking":              {open, table, false},
		"Open, looking, and silence": {open, table, true},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			d := newDatabase(t, postgrestest.Database(t))
			proxy := postgrestest.NewProxy(t, d.url)
			d.exec(c.hold)
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			failed := make(chan error, 1)
			go func() {
				failed <- c.do(ctx, Options{URL: proxy.URL(), Timeout: time.Hour, AutoMigrate: true, MigrationTimeout: time.Hour})
			}()
			for len(d.strings(waiting)) == 0 {
				select {
				case err := <-failed:
					t.Fatalf("it does not wait: %v", err)
				default:
				}
			}
			proxy.Stall(c.silent)
			defer proxy.Stall(false)
			cancel()
			select {
			case err := <-failed:
				if wants(t, err, "interrupted"); !errors.Is(err, context.Canceled) {
					t.Errorf("%v is not %v", err, context.Canceled)
				}
			case <-time.After(soon):
				t.Fatalf("still waiting after %s", soon)
			}
		})
	}
}

// Whoever waits for a table makes all others wait who come after.
func TestTableIsInUseWhileMigrating(t *testing.T) {
	if testing.Short() {
		t.Skip("long: make test-long runs it")
	}
	t.Parallel()
	d := newDatabase(t, postgrestest.Schema(t))
	plan, err := Plan(t.Context(), Options{URL: d.url})
	if err != nil {
		t.Fatal(err)
	}
	list, _, _ := strings.Cut(plan[strings.Index(plan, "CREATE TABLE"):], ";")
	d.exec(list)
	d.exec("BEGIN; LOCK TABLE problems_migrations IN SHARE MODE") // it can be read
	wants(t, d.prepare(Options{AutoMigrate: true, MigrationTimeout: 50 * time.Millisecond}), "somebody uses a table that is to be changed for longer than 50ms")
	d.exec("COMMIT")
	if got := d.relations(); slices.Contains(got, "problems") {
		t.Errorf("something was done: there are %v", got)
	}
	if err := d.prepare(Options{AutoMigrate: true}); err != nil {
		t.Error(err)
	}
}

func TestSilentServerIsNotWaitedForLong(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Schema(t))
	proxy := postgrestest.NewProxy(t, d.url)
	o := Options{URL: proxy.URL(), Timeout: time.Second}
	config, err := o.poolConfig()
	if err != nil {
		t.Fatal(err)
	}
	pool, err := pgxpool.NewWithConfig(t.Context(), config)
	if err != nil {
		t.Fatal(err)
	}
	defer pool.Close()
	if err := pool.Ping(t.Context()); err != nil {
		t.Fatal(err)
	}
	proxy.Stall(true)
	defer proxy.Stall(false)
	_, err = prepare(t.Context(), o, pool)
	wants(t, err, "the database has connected, and then did not answer for 3s")
}
