package sqlite

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/uptrace/bun"
	"github.com/uptrace/bun/migrate"
)

// TestNewerSchemaIsRefused uses a file after a step of a newer version, until the step
// leaves no way back.
func TestNewerSchemaIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.writing.ExecContext(t.Context(), "INSERT INTO bun_migrations (name, group_id) VALUES ('9999', 2); UPDATE versions SET folding = 12345")
	b.must(err)
	all, err := Status(t.Context(), Options{Path: b.path})
	if last := len(all) - 1; err != nil || all[last].Name != "9999" || !all[last].Newer || !all[last].Applied {
		t.Errorf("beside a step of a newer version, the status is %v, %v", all, err)
	}
	b.open(Options{})
	var folding int
	b.must(b.writing.NewRaw("SELECT folding FROM versions").Scan(t.Context(), &folding))
	if folding != 12345 {
		t.Errorf("the texts of a newer version were folded, by version %d", folding)
	}
	_, err = b.writing.ExecContext(t.Context(), "UPDATE oldest_step SET step = 9999")
	b.must(err)
	b.refused("a version that knows 9999 is needed")
}

// TestEarlierSchemaIsRefused uses files of versions before the first release, the oldest of
// them without a list of final steps.
func TestEarlierSchemaIsRefused(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for _, earlier := range []string{
		"UPDATE oldest_step SET step = 5; UPDATE bun_migrations SET name = '0001'; INSERT INTO bun_migrations (name, group_id) VALUES ('0005', 1)",
		"DROP TABLE oldest_step; DELETE FROM bun_migrations WHERE name = '0005'",
	} {
		_, err := b.writing.ExecContext(t.Context(), earlier)
		b.must(err)
		b.refused(`nothing has changed: export the data by "problems export" of the older version`)
	}
}

// refused tries all uses of a file, each of which has to fail with a text.
func (b *bench) refused(text string) {
	b.Helper()
	for name, use := range map[string]func() error{
		"Open":    func() error { return opened(b.T, Options{Path: b.path}) },
		"Migrate": func() error { _, err := Migrate(b.Context(), Options{Path: b.path}); return err },
		"Status":  func() error { _, err := Status(b.Context(), Options{Path: b.path}); return err },
	} {
		if err := use(); err == nil || !strings.Contains(err.Error(), text) {
			b.Errorf("%s: got %v; want %q", name, err, text)
		}
	}
}

func TestMigrate(t *testing.T) {
	t.Parallel()
	o := Options{Path: filepath.Join(t.TempDir(), "problems.db")}
	check := func(name string, applied bool, all []Migration, err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		if len(all) == 0 || all[0].Name != "0100_initial" {
			t.Errorf("%s: got %v", name, all)
		}
		if slices.ContainsFunc(all, func(m Migration) bool { return m.Applied != applied }) {
			t.Errorf("%s: got %v, want all applied: %t", name, all, applied)
		}
	}
	all, err := Status(t.Context(), o)
	check("Status before", false, all, err)
	if _, err := os.Stat(o.Path); !os.IsNotExist(err) {
		t.Errorf("Status has made the file: %v", err)
	}
	for range 2 {
		all, err = Migrate(t.Context(), o)
		check("Migrate", true, all, err)
	}
	all, err = Status(t.Context(), o)
	check("Status after", true, all, err)
}

func TestPlanDoesWhatMigrateDoes(t *testing.T) {
	t.Parallel()
	byHand, byMigrate := newPool(t), newPool(t)
	o := Options{Path: filepath.Join(t.TempDir(), "problems.db")}
	plan, err := Plan(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(o.Path); !os.IsNotExist(err) {
		t.Errorf("Plan has made the file: %v", err)
	}
	if _, err := byHand.ExecContext(t.Context(), plan); err != nil {
		t.Fatal(err)
	}
	if err := byMigrate.migrateUp(); err != nil {
		t.Fatal(err)
	}
	for _, query := range []string{
		"SELECT name || coalesce(sql, '') FROM sqlite_schema ORDER BY 1",
		"SELECT id || ' ' || name || ' ' || group_id FROM bun_migrations ORDER BY id",
	} {
		var got, want []string
		if err := byHand.NewRaw(query).Scan(t.Context(), &got); err != nil {
			t.Fatal(err)
		}
		if err := byMigrate.NewRaw(query).Scan(t.Context(), &want); err != nil {
			t.Fatal(err)
		}
		if len(want) == 0 || !slices.Equal(got, want) {
			t.Errorf("by hand there is %v; by Migrate %v", got, want)
		}
	}
	if _, err := Migrate(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	if plan, err := Plan(t.Context(), o); plan != "" || err != nil {
		t.Errorf("with nothing to do the plan is %q, %v", plan, err)
	}
}

// empty is a pool on a file that is yet to be migrated.
type empty struct {
	*bun.DB
	migrateUp func() error
}

func newPool(t *testing.T) empty {
	t.Helper()
	f, err := locate(Options{Path: filepath.Join(t.TempDir(), "problems.db")})
	if err != nil {
		t.Fatal(err)
	}
	db, err := pool(f.path, 1, forWriting)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = db.Close() })
	return empty{db, func() error { return f.migrateUp(t.Context(), db) }}
}

func count(t *testing.T, db empty) (tables int) {
	t.Helper()
	if err := db.NewRaw("SELECT count(*) FROM sqlite_schema WHERE type = 'table'").Scan(t.Context(), &tables); err != nil {
		t.Fatal(err)
	}
	return tables
}

func TestMigrationIsAllOrNothing(t *testing.T) {
	t.Parallel()
	db := newPool(t)
	if err := migrate.NewMigrator(db.DB, migrate.NewMigrations()).Init(t.Context()); err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE batches (in_the_way)"); err != nil {
		t.Fatal(err)
	}
	before := count(t, db)
	if err := db.migrateUp(); err == nil || !strings.Contains(err.Error(), "0100") {
		t.Errorf("got %v, want an error that names the step", err)
	}
	if after := count(t, db); after != before {
		t.Errorf("there are %d tables, want the %d from before", after, before)
	}
	if _, err := db.ExecContext(t.Context(), "DROP TABLE batches"); err != nil {
		t.Fatal(err)
	}
	if err := db.migrateUp(); err != nil {
		t.Error(err)
	}
}

func TestDatabaseOfAnotherProgramIsLeftAlone(t *testing.T) {
	t.Parallel()
	db := newPool(t)
	if _, err := db.ExecContext(t.Context(), "CREATE TABLE orders (id INTEGER PRIMARY KEY)"); err != nil {
		t.Fatal(err)
	}
	if err := db.migrateUp(); err == nil || !strings.Contains(err.Error(), "another program") {
		t.Errorf("got %v", err)
	}
	if after := count(t, db); after != 1 {
		t.Errorf("there are %d tables, want the one from before", after)
	}
}
