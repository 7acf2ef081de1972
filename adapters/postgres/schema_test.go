package postgres

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/stdlib"
	"github.com/uptrace/bun"
	"github.com/uptrace/bun/dialect/pgdialect"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

func TestSchemaOfAURL(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", 63)
	for query, want := range map[string]string{
		"": "", "?": "", "?sslmode=disable": "", "?search_path=tracker": "",
		"?schema=tracker_a": "tracker_a", "?sslmode=disable&schema=user": "user", "?schema=_7": "_7", "?schema=" + long: long,
	} {
		if got, err := schemaOf("postgres://ann:hunter2@db/x" + query); got != want || err != nil {
			t.Errorf("%q has the schema %q, %v; want %q", query, got, err, want)
		}
	}
	for query, want := range map[string]string{
		"?schema=":                      "has a name such as tracker_a",
		"?schema=Tracker":               "has a name such as tracker_a",
		"?schema=7th":                   "has a name such as tracker_a",
		"?schema=a-b":                   "has a name such as tracker_a",
		"?schema=a,b":                   "has a name such as tracker_a",
		"?schema=a%22%3BDROP":           "has a name such as tracker_a",
		"?schema=%C3%A4":                "has a name such as tracker_a",
		"?schema=pg_toast":              "has a name such as tracker_a",
		"?schema=information_schema":    "has a name such as tracker_a",
		"?schema=" + long + "a":         "has a name such as tracker_a",
		"?schema=a&schema=b":            "more than once",
		"?schema=a&search_path=a":       "both schema and search_path",
		"?search_path=hunter2&schema=a": "both schema and search_path",
	} {
		if err := CheckURL("postgres://ann:hunter2@db/x" + query); err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%q: got %v; want %q, and no secret", query, err, want)
		}
	}
}

func TestSchemaOfTheDirectURL(t *testing.T) {
	t.Parallel()
	for direct, want := range map[string]string{
		"postgres://db/x":                        "",
		"postgres://db/x?schema=a":               "",
		"postgres://db/x?schema=b":               "it has the schema b, and the other URL a",
		"postgres://db/x?schema=a&search_path=a": "both schema and search_path",
	} {
		o, err := Options{URL: "postgres://db/x?schema=a", Direct: direct}.complete()
		switch {
		case want != "":
			wants(t, err, want)
		case err != nil || o.schema != "a":
			t.Errorf("%s: the schema is %q, %v", direct, o.schema, err)
		}
	}
	_, err := Options{URL: "postgres://db/x", Direct: "postgres://db/x?schema=b"}.complete()
	wants(t, err, "it has the schema b, and the other URL none")
}

func TestDSQLIsRefused(t *testing.T) {
	t.Parallel()
	for text, refused := range map[string]bool{
		"postgres://admin@abc0123456789.dsql.us-east-1.on.aws/postgres": true,
		"postgres://admin@db,abc.dsql-gamma.eu-west-1.on.aws:5432/x":    true,
		"postgres:///postgres?host=abc.dsql.us-east-1.on.aws":           true,
		"postgres://db.cluster-abc.eu-central-1.rds.amazonaws.com/x":    false,
		"postgres://dsql.example.org/x":                                 false,
		"postgres://db/dsql?application_name=on.aws":                    false,
	} {
		if err := CheckURL(text); (err != nil) != refused || refused && !strings.Contains(err.Error(), "Aurora DSQL. It has no READ COMMITTED") {
			t.Errorf("%s: %v; refused should be %t", text, err, refused)
		}
	}
}

// schemas returns the schemas of a database that PostgreSQL did not make.
func (d *database) schemas() []string {
	d.t.Helper()
	return d.strings("SELECT nspname::text FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname NOT IN ('public', 'information_schema') ORDER BY 1")
}

// TestSchemaIsCreated brings schemas up to date that are not there: by Migrate, by hand,
// and by eight services at once. Looking creates nothing.
func TestSchemaIsCreated(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Database(t))
	in := func(schema string) Options { return Options{URL: d.url + "&schema=" + schema} }
	all, err := Status(t.Context(), in("user"))
	if err != nil || len(all) == 0 || slices.ContainsFunc(all, func(m Migration) bool { return m.Applied }) {
		t.Errorf("before, the status is %v, %v", all, err)
	}
	wants(t, d.prepare(in("user")), `the database has no schema user: run "problems migrate" first`)
	if findings := d.examine(in("user")); len(findings) != 1 || !strings.Contains(findings[0].What, "the schema lacks 0100_initial") {
		t.Errorf("before, it finds %+v", findings)
	}
	plan, err := Plan(t.Context(), in("by_hand"))
	if err != nil {
		t.Fatal(err)
	}
	const creates = `CREATE SCHEMA IF NOT EXISTS "by_hand"`
	if !strings.Contains(plan, creates) {
		t.Errorf("the plan does not create the schema: %s", plan)
	}
	if got := d.schemas(); len(got) > 0 {
		t.Errorf("looking has made %v", got)
	}
	// Who may not create schemas runs the plan in one that is there.
	d.exec("CREATE SCHEMA by_hand")
	if plan, err = Plan(t.Context(), in("by_hand")); err != nil || strings.Contains(plan, creates) {
		t.Errorf("the plan creates the schema that is there, %v: %s", err, plan)
	}
	d.exec("DROP SCHEMA by_hand")
	if plan, err = Plan(t.Context(), in("by_hand")); err != nil {
		t.Fatal(err)
	}
	d.exec(plan)
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			o := in("user") // a word of SQL
			o.AutoMigrate = true
			if err := d.prepare(o); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if _, err := Migrate(t.Context(), in("by_migrate")); err != nil {
		t.Fatal(err)
	}
	if got, want := d.schemas(), []string{"by_hand", "by_migrate", "user"}; !slices.Equal(got, want) {
		t.Errorf("the schemas are %v; want %v", got, want)
	}
	relations := func(schema string) []string {
		return d.strings("SELECT relname::text FROM pg_class WHERE relnamespace = '" + schema + "'::regnamespace ORDER BY 1")
	}
	want := relations("by_migrate")
	if len(want) < 20 {
		t.Errorf("there are only %v", want)
	}
	for _, schema := range []string{"by_hand", `"user"`} {
		if got := relations(schema); !slices.Equal(got, want) {
			t.Errorf("in %s there are %v; want %v", schema, got, want)
		}
	}
	if got := relations("public"); len(got) > 0 {
		t.Errorf("outside of the schemas there are %v", got)
	}
	for _, schema := range []string{"by_hand", "by_migrate", "user"} {
		if err := d.prepare(in(schema)); err != nil {
			t.Errorf("%s: %v", schema, err)
		}
	}
}

// TestSchemaAppears asks a server again and again while another service creates the schema:
// within one statement, the session may not have noticed it yet.
func TestSchemaAppears(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Database(t))
	for i := range 40 {
		schema := fmt.Sprintf("tracker_%d", i)
		config, err := pgx.ParseConfig(d.url + "&search_path=" + schema)
		if err != nil {
			t.Fatal(err)
		}
		config.DefaultQueryExecMode = pgx.QueryExecModeSimpleProtocol
		pool := stdlib.OpenDB(*config)
		pool.SetMaxOpenConns(1)
		db, asking := bun.NewDB(pool, pgdialect.New()), make(chan error, 1)
		begun := make(chan struct{})
		go func() {
			for n := 0; ; n++ {
				s, err := ask(t.Context(), db, schema)
				if n == 3 {
					close(begun)
				}
				if err = cmp.Or(err, s.unfit()); err != nil || s.There {
					asking <- err
					return
				}
			}
		}()
		<-begun
		d.exec("CREATE SCHEMA " + schema)
		if err := <-asking; err != nil {
			t.Errorf("%s: %v", schema, err)
		}
		pool.Close()
	}
}

// TestSchemaNeedsRights opens a tracker as a user who may not create its schema, may
// then not use it, and may at last do both.
func TestSchemaNeedsRights(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Database(t))
	role := d.strings("SELECT 'r_' || md5(random()::text)")[0]
	d.exec("CREATE ROLE " + role)
	t.Cleanup(func() {
		if _, err := d.conn.Exec(context.Background(), "DROP OWNED BY "+role+"; DROP ROLE "+role, pgx.QueryExecModeSimpleProtocol); err != nil {
			t.Error(err)
		}
	})
	asRole := Options{URL: d.url + "&schema=tracker&role=" + role, AutoMigrate: true}
	wants(t, d.prepare(asRole), `the user may not create the schema "tracker": as the owner of the database, CREATE SCHEMA "tracker" AUTHORIZATION`)
	d.exec("CREATE SCHEMA tracker")
	wants(t, d.prepare(asRole), "the user may not use the schema tracker")
	d.exec("DROP SCHEMA tracker; CREATE SCHEMA tracker AUTHORIZATION " + role)
	if err := d.prepare(asRole); err != nil {
		t.Error(err)
	}
}

// TestPoolerCannotCarryASchema opens a tracker through a pooler, which begins sessions
// where the database says.
func TestPoolerCannotCarryASchema(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Database(t))
	pooler := postgrestest.NewPooler(t, d.url)
	o := Options{URL: pooler.URL(d.url) + "&schema=tracker", Direct: d.url, Pooler: true, AutoMigrate: true}
	wants(t, d.prepare(o), "sessions begin in the schema public instead of tracker: a pooler cannot carry a schema")
	d.exec("DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path TO tracker', current_database()); END $$")
	pooler.Kill()
	pooler.Start()
	if err := d.prepare(o); err != nil {
		t.Error(err)
	}
}

// standIn makes the tables by which a database with Citus is known. Citus itself
// distributes nothing here.
const standIn = `SET allow_system_table_mods = on;
	CREATE TABLE pg_catalog.pg_dist_local_group (groupid int); INSERT INTO pg_dist_local_group VALUES (0);
	CREATE TABLE pg_catalog.pg_dist_partition (logicalrelid regclass, partmethod "char")`

func TestCitusIsKnown(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Database(t))
	o := Options{URL: d.url + "&schema=tracker", AutoMigrate: true}
	if err := d.prepare(o); err != nil {
		t.Fatal(err)
	}
	d.exec(standIn + "; INSERT INTO pg_dist_partition VALUES ('tracker.log', 'n'), ('tracker.problems', 'n')")
	s, err := Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	if !s.citus {
		t.Error("the store does not know of it")
	}
	err = s.View(t.Context(), func(r store.Reader) error {
		_, err := r.Problem(t.Context(), 1, ident.None, snapshot.Keywords|snapshot.Comments)
		if err == nil {
			t.Error("there is a problem in an empty store")
		}
		if page, err := r.Audit(t.Context(), 0, 1); len(page) > 0 || err != nil {
			t.Errorf("the audit log of an empty store has %v, %v", page, err)
		}
		_, err = r.Versions(t.Context())
		return err
	})
	if err != nil {
		t.Error(err)
	}
	d.exec("UPDATE pg_dist_partition SET partmethod = 'h' WHERE logicalrelid = 'tracker.log'::regclass")
	wants(t, d.prepare(o), "the table log is distributed by Citus")
	_, err = Examine(t.Context(), o)
	wants(t, err, "the table log is distributed by Citus")
	other := o
	other.URL = d.url + "&schema=other"
	if err := d.prepare(other); err != nil {
		t.Errorf("the table of another schema matters: %v", err)
	}
	d.exec("UPDATE pg_dist_local_group SET groupid = 2")
	wants(t, d.prepare(other), "the server is a worker of Citus")
}

// TestCachedSequenceIsRefused alters a sequence as some engines make it.
func TestCachedSequenceIsRefused(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Schema(t))
	o := Options{AutoMigrate: true}
	if err := d.prepare(o); err != nil {
		t.Fatal(err)
	}
	d.exec("ALTER SEQUENCE positions CACHE 100")
	wants(t, d.prepare(o), "a sequence gives each session 100 numbers at a time")
	d.exec("ALTER SEQUENCE positions CACHE 1")
	if err := d.prepare(o); err != nil {
		t.Error(err)
	}
}
