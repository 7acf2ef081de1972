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

// A file of the first version keeps what it has, and its texts are folded.
func TestUpgradeFromTheFirstStep(t *testing.T) {
	t.Parallel()
	path := firstStep(t)
	s, err := Open(t.Context(), Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	keptCopy(t, path)
	upgradetest.Kept(t, s)
	upgradetest.GoesOn(t, s, func() {
		other, err := pool(path, 1, forWriting)
		if err != nil {
			t.Fatal(err)
		}
		defer other.Close()
		if _, err := other.ExecContext(t.Context(), upgradetest.OlderServer); err != nil {
			t.Fatal(err)
		}
	})
	foldedIn(t, path, 0)
}

// firstStep makes the file of a version with one step.
func firstStep(t *testing.T) (path string) {
	t.Helper()
	path = filepath.Join(t.TempDir(), "problems.db")
	f, err := locate(path)
	if err != nil {
		t.Fatal(err)
	}
	db, err := pool(f.path, 1, forWriting)
	if err != nil {
		t.Fatal(err)
	}
	first := upgradetest.First(t, steps)
	all, err := first.Compare(nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	if err := first.Apply(t.Context(), db, all); err != nil {
		t.Fatal(err)
	}
	if _, err := db.ExecContext(t.Context(), upgradetest.Content); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

// TestFinalStepNeedsItsCopy opens a file of an older version where the copy has no place.
func TestFinalStepNeedsItsCopy(t *testing.T) {
	t.Parallel()
	path := firstStep(t)
	inTheWay := path + ".before-0002_search"
	if err := os.MkdirAll(filepath.Join(inTheWay, "full"), 0o700); err != nil {
		t.Fatal(err)
	}
	_, err := Open(t.Context(), Options{Path: path})
	if err == nil || !strings.Contains(err.Error(), "before an irreversible step, so nothing was changed") {
		t.Errorf("without a place for the copy: %v", err)
	}
	all, err := Status(t.Context(), Options{Path: path})
	if err != nil || !all[0].Applied || all[1].Applied {
		t.Errorf("the file has the steps %v, %v; want the first one alone", all, err)
	}
	if left, err := filepath.Glob(path + ".before-*"); err != nil || len(left) != 1 {
		t.Errorf("beside the file there are %q, %v", left, err)
	}
	if err := os.RemoveAll(inTheWay); err != nil {
		t.Fatal(err)
	}
	if _, err := Migrate(t.Context(), Options{Path: path}); err != nil {
		t.Fatal(err)
	}
	keptCopy(t, path)
}

// keptCopy looks for the copy from before the first final step. It is a store of the version
// before, and for its owner alone.
func keptCopy(t *testing.T, path string) {
	t.Helper()
	kept := path + ".before-0002_search"
	info, err := os.Stat(kept)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("the copy is %v, %v", info, err)
	}
	all, err := Status(t.Context(), Options{Path: kept})
	if err != nil || !all[0].Applied || all[1].Applied {
		t.Errorf("the copy has the steps %v, %v; want the first one done alone", all, err)
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
	left, err := filepath.Glob(path + ".before-*")
	if err != nil || len(left) != 1 {
		t.Errorf("beside the file there are %q, %v", left, err)
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
	upgradetest.FoldingIsFinal(t, steps)
}

// A service of an older version has the lock. A command of this version leaves its file
// alone: the service could not go on after a final step.
func TestFinalStepNeedsTheLock(t *testing.T) {
	t.Parallel()
	path := firstStep(t)
	f, err := find(path)
	if err != nil {
		t.Fatal(err)
	}
	service, err := f.lock()
	if err != nil {
		t.Fatal(err)
	}
	const want = "stop the service first: it could not go on after step 0002_search"
	if _, err := Migrate(t.Context(), Options{Path: path}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Migrate beside the service: %v, want %q", err, want)
	}
	if s, err := Open(t.Context(), Options{Path: path}); err == nil || !strings.Contains(err.Error(), want) {
		t.Errorf("Open beside the service: %v, want %q", err, want)
		if err == nil {
			_ = s.Close()
		}
	}
	all, err := Status(t.Context(), Options{Path: path})
	if err != nil || !all[0].Applied || all[1].Applied {
		t.Errorf("the file has the steps %v, %v; want the first one alone", all, err)
	}
	if err := service.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Migrate(t.Context(), Options{Path: path}); err != nil {
		t.Fatal(err)
	}
	s, err := Open(t.Context(), Options{Path: path, Exclusive: true})
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
	path := firstStep(t)
	synctest.Test(t, func(t *testing.T) {
		f, err := find(path)
		if err != nil {
			t.Fatal(err)
		}
		service, err := f.lock()
		if err != nil {
			t.Fatal(err)
		}
		defer service.Close()
		db, err := pool(path, 1, forWriting)
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
