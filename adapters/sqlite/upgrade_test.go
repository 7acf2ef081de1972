package sqlite

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/problemtracking/problems/adapters/internal/sqlstore/upgradetest"
	"github.com/problemtracking/problems/domain/predicate"
)

// foldedIn compares the texts of a file with their folded forms, and the version of the folding.
func foldedIn(t *testing.T, path string, many int) {
	t.Helper()
	db, err := pool(path, 1, forReading)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var texts []string
	if err := db.NewRaw(upgradetest.FoldedTexts).Scan(t.Context(), &texts); err != nil {
		t.Fatal(err)
	}
	upgradetest.Folded(t, texts, many)
	var version int
	if err := db.NewRaw("SELECT folding FROM versions").Scan(t.Context(), &version); err != nil || version != predicate.FoldVersion {
		t.Errorf("the texts are of version %d, %v; want %d", version, err, predicate.FoldVersion)
	}
}

// next are options for a file of this version, with Content, in a version after this one.
func next(t *testing.T, step string) Options {
	t.Helper()
	b := setup(t)
	_, err := b.writing.ExecContext(t.Context(), upgradetest.Content)
	b.must(err)
	b.must(b.Close())
	return Options{Path: b.path, steps: upgradetest.Next(t, builtin, "9998_next", step+"\nCREATE TABLE next (id INTEGER) STRICT;\n")}
}

// left reports whether the last step of a file is left to do, and it alone.
func left(all []Migration, err error) bool {
	last := len(all) - 1
	return err == nil && last > 0 && all[last-1].Applied && !all[last].Applied
}

// TestFinalStepNeedsItsCopy opens a file of an older version where the copy has no place.
func TestFinalStepNeedsItsCopy(t *testing.T) {
	t.Parallel()
	newer := next(t, upgradetest.Final)
	path := newer.Path
	inTheWay := path + ".before-9998_next"
	if err := os.MkdirAll(filepath.Join(inTheWay, "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), newer)
	if err == nil || !strings.Contains(err.Error(), "before an irreversible step, so nothing was changed") {
		t.Errorf("without a place for the copy: %v", err)
	}
	if all, err := Status(t.Context(), newer); !left(all, err) {
		t.Errorf("the file has the steps %v, %v; want the last one left to do", all, err)
	}
	if copies, err := filepath.Glob(path + ".before-*"); err != nil || len(copies) != 1 {
		t.Errorf("beside the file there are %q, %v", copies, err)
	}
	if err := os.RemoveAll(inTheWay); err != nil {
		t.Fatal(err)
	}
	if _, err := Migrate(t.Context(), newer); err != nil {
		t.Fatal(err)
	}
	keptCopy(t, newer)
}

// keptCopy looks for the copy from before the final step. It is a store of the version before,
// and for its owner alone.
func keptCopy(t *testing.T, newer Options) {
	t.Helper()
	path := newer.Path
	kept := path + ".before-9998_next"
	info, err := os.Stat(kept)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the copy is %v, %v", info, err)
	}
	newer.Path = kept
	if all, err := Status(t.Context(), newer); !left(all, err) {
		t.Errorf("the copy has the steps %v, %v; want the last one left to do", all, err)
	}
	db, err := pool(kept, 1, forReading)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	var titles []string
	if err := db.NewRaw("SELECT title FROM problems ORDER BY id").Scan(t.Context(), &titles); err != nil || !slices.Equal(titles, []string{"Crème BRÛLÉE", "plain"}) {
		t.Errorf("the copy has the problems %q, %v", titles, err)
	}
	copies, err := filepath.Glob(path + ".before-*")
	if err != nil || len(copies) != 1 {
		t.Errorf("beside the file there are %q, %v", copies, err)
	}
}

// Texts that another version has folded are folded anew, more of them than fit into
// one transaction, and those that were corrected before stay.
func TestFoldedByAnotherVersion(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.writing.ExecContext(t.Context(), upgradetest.Content+`;
		UPDATE problems SET title_c = 'wrong', title_cd = 'wrong'; UPDATE keywords SET name_cd = 'wrong', value_c = 'wrong';
		UPDATE comments SET text_c = 'it''s été? no' WHERE position = 7;
		INSERT INTO problems (id, title, title_c, created, modified, revision)
			SELECT value, 'Many', 'wrong', 1000, 2000, 1 FROM (WITH RECURSIVE n(value) AS (SELECT 3 UNION ALL SELECT value + 1 FROM n LIMIT 1200) SELECT value FROM n);
		UPDATE versions SET folding = 12345`)
	b.must(err)
	b.open(Options{})
	foldedIn(t, b.path, 1200)
}

func TestFoldingTakesLargeTextsOneByOne(t *testing.T) {
	t.Parallel()
	db, err := pool(setup(t).path, 1, forWriting)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	upgradetest.FoldsInPortions(t, newDialect(), db, "BEGIN IMMEDIATE")
}

func TestFoldingHasAFinalStep(t *testing.T) {
	t.Parallel()
	upgradetest.FoldingIsFinal(t, builtin)
}

// A service of an older version has the lock. A command of this version leaves its file
// alone: the service could not go on after a final step.
func TestFinalStepNeedsTheLock(t *testing.T) {
	t.Parallel()
	newer := next(t, upgradetest.Final)
	f, err := find(newer)
	if err != nil {
		t.Fatal(err)
	}
	service, err := f.lock()
	if err != nil {
		t.Fatal(err)
	}
	const want = "stop the service first: it could not go on after step 9998_next"
	if _, err := Migrate(t.Context(), newer); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Migrate beside the service: %v, want %q", err, want)
	}
	if s, err := Open(t.Context(), newer); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Open beside the service: %v, want %q", err, want)
		if err == nil {
			_ = s.Close()
		}
	}
	if all, err := Status(t.Context(), newer); !left(all, err) {
		t.Errorf("the file has the steps %v, %v; want the last one left to do", all, err)
	}
	if err := service.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Migrate(t.Context(), newer); err != nil {
		t.Fatal(err)
	}
	exclusive := newer
	exclusive.Exclusive = true
	s, err := Open(t.Context(), exclusive)
	if err != nil {
		t.Fatalf("the lock is left behind: %v", err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
}

// A file that is busy at the moment of the check says nothing about a service. The check
// waits, and finds the service once it can read.
func TestFinalStepOfABusyFile(t *testing.T) {
	t.Parallel()
	newer := next(t, upgradetest.Final)
	synctest.Test(t, func(t *testing.T) {
		f, err := find(newer)
		if err != nil {
			t.Fatal(err)
		}
		service, err := f.lock()
		if err != nil {
			t.Fatal(err)
		}
		defer service.Close()
		db, err := pool(newer.Path, 1, forWriting)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		do := func(statement string) {
			t.Helper()
			if _, err := db.ExecContext(t.Context(), statement); err != nil {
				t.Fatal(err)
			}
		}
		do("PRAGMA locking_mode = EXCLUSIVE")
		do("BEGIN EXCLUSIVE")
		check := func() error {
			held, err := f.lockForFinal(t.Context())
			if held != nil {
				err = held.Close()
			}
			return err
		}
		if err := check(); err == nil || !strings.Contains(err.Error(), "other processes keep the file busy") {
			t.Errorf("the check of a busy file ends with %v", err)
		}
		done := make(chan error)
		go func() { done <- check() }()
		time.Sleep(time.Second) // of the bubble
		do("PRAGMA locking_mode = NORMAL")
		do("COMMIT")
		if err := <-done; err == nil || !strings.Contains(err.Error(), "stop the service first") {
			t.Errorf("the check of a file that is busy no more ends with %v", err)
		}
	})
}

func TestAuditOfAnOlderFileIsNumbered(t *testing.T) {
	t.Parallel()
	b := setup(t)
	_, err := b.writing.ExecContext(t.Context(), `DROP TRIGGER audit_numbered; DROP INDEX audit_number; ALTER TABLE audit DROP COLUMN number;
		DELETE FROM bun_migrations WHERE name = '0120';`+upgradetest.Audit)
	b.must(err)
	upgradetest.Numbered(t, b.open(Options{}))
}
