package postgres

import (
	"slices"
	"testing"

	"github.com/uptrace/bun"

	"github.com/problemtracking/problems/adapters/internal/sqlstore/upgradetest"
	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

// Texts that another version has folded are folded anew, more of them than fit into
// one transaction, by whoever may migrate.
func TestFoldedByAnotherVersion(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Schema(t))
	if err := d.prepare(Options{AutoMigrate: true}); err != nil {
		t.Fatal(err)
	}
	d.exec(upgradetest.Content + `;
		UPDATE problems SET title_c = 'wrong', title_cd = 'wrong'; UPDATE keywords SET name_cd = 'wrong', value_c = 'wrong';
		INSERT INTO problems (id, title, title_c, created, modified, revision) SELECT n, 'Many', 'wrong', 1000, 2000, 1 FROM generate_series(3, 1202) n;
		UPDATE versions SET folding = 12345`)
	if _, err := Migrate(t.Context(), Options{URL: d.url}); err != nil {
		t.Fatal(err)
	}
	upgradetest.Folded(t, d.strings(upgradetest.FoldedTexts), 1200)
	if err := d.prepare(Options{}); err != nil {
		t.Errorf("something is left to do: %v", err)
	}
}

func TestFoldingTakesLargeTextsOneByOne(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Schema(t))
	if err := d.prepare(Options{AutoMigrate: true}); err != nil {
		t.Fatal(err)
	}
	if _, err := (Options{URL: d.url}).directly(t.Context(), true, func(_ Options, db *bun.DB) ([]Migration, error) {
		upgradetest.FoldsInPortions(t, newDialect(), db, "BEGIN")
		return nil, nil
	}); err != nil {
		t.Fatal(err)
	}
}

// A server deletes the only text of a portion meanwhile. The folding goes on behind it.
func TestFoldingGoesOnBehindADeletedText(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Schema(t))
	if err := d.prepare(Options{AutoMigrate: true}); err != nil {
		t.Fatal(err)
	}
	d.exec(`INSERT INTO problems (id, title, created, modified, revision) VALUES (1, 'plain', 1000, 2000, 1);
		INSERT INTO keywords (problem, name, value) VALUES (1, 'a', repeat('A', 9000000)), (1, 'b', 'B')`)
	server := newDatabase(t, d.url)
	server.exec("BEGIN; DELETE FROM keywords WHERE name = 'a'")
	blocked := "SELECT pid::text FROM pg_stat_activity WHERE " + server.strings("SELECT pg_backend_pid()::text")[0] + " = ANY (pg_blocking_pids(pid))"
	done := make(chan error, 1)
	go func() {
		_, err := Options{URL: d.url}.directly(t.Context(), true, func(_ Options, db *bun.DB) ([]Migration, error) {
			return nil, newDialect().Fold(t.Context(), db, "BEGIN", func(int) {})
		})
		done <- err
	}()
	d.until("the folding waits for the server", func() bool {
		return len(d.strings(blocked)) > 0
	})
	server.exec("COMMIT")
	if err := <-done; err != nil {
		t.Fatal(err)
	}
	if got := d.strings("SELECT name || coalesce(value_c, '') FROM keywords"); !slices.Equal(got, []string{"bb"}) {
		t.Errorf("the keywords with their folded values are %q; want bb", got)
	}
}

func TestFoldingHasAFinalStep(t *testing.T) {
	t.Parallel()
	upgradetest.FoldingIsFinal(t, builtin)
}

func TestAuditOfAnOlderDatabaseIsNumbered(t *testing.T) {
	t.Parallel()
	d := newDatabase(t, postgrestest.Schema(t))
	if err := d.prepare(Options{AutoMigrate: true}); err != nil {
		t.Fatal(err)
	}
	d.exec("DROP FUNCTION number_audit CASCADE; ALTER TABLE audit DROP COLUMN number; DELETE FROM problems_migrations WHERE name = '0120';" + upgradetest.Audit)
	upgradetest.Numbered(t, d.opened(Options{URL: d.url, AutoMigrate: true}))
}
