package sqlite

import (
	"bytes"
	"database/sql"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/problemtracking/problems/domain/fault"
)

// A file that is deleted or replaced under the store takes no more writes: they
// would be lost, or destroy what stands there now.
func TestFileIsMissed(t *testing.T) {
	t.Parallel()
	for name, lose := range map[string]func(*bench) error{
		"deleted": func(b *bench) error { return os.Remove(b.path) },
		"moved":   func(b *bench) error { return os.Rename(b.path, b.path+".old") },
		"replaced": func(b *bench) error {
			other := b.path + ".new"
			if err := os.WriteFile(other, nil, 0o600); err != nil {
				return err
			}
			return os.Rename(other, b.path)
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			b := setup(t)
			b.commit(b.create(1, "before"))
			b.must(lose(b))
			_, err := b.Commit(t.Context(), b.create(2, "after"))
			if !fault.Is(err, fault.Unavailable) || !strings.Contains(err.Error(), "moved, replaced or deleted") {
				t.Errorf("a write is answered with %v", err)
			}
			if _, err := b.Versions(t.Context()); !fault.Is(err, fault.Unavailable) {
				t.Errorf("Versions, by which the service is ready, is answered with %v", err)
			}
		})
	}
}

// A log without its file is not taken for a new store.
func TestLogWithoutFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "problems.db")
	if err := os.WriteFile(path+"-wal", []byte("what was acknowledged"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(t.Context(), Options{Path: path}); err == nil || !strings.Contains(err.Error(), "write-ahead log") {
		t.Errorf("the store is opened: %v", err)
	}
	if _, err := os.Stat(path); !os.IsNotExist(err) {
		t.Errorf("a file is left: %v", err)
	}
}

func TestReadOnlyFile(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.must(b.Close())
	b.must(os.Chmod(b.path, 0o400))
	if _, err := Open(t.Context(), Options{Path: b.path}); err == nil || !strings.Contains(err.Error(), "read-only") {
		t.Errorf("a read-only file is opened: %v", err)
	}
}

// The database of another program is refused, and nothing in it or beside it is
// changed.
func TestForeignFile(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "other.db")
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec("CREATE TABLE theirs (x)"); err != nil {
		t.Fatal(err)
	}
	if err := db.Close(); err != nil {
		t.Fatal(err)
	}
	foreign(t, path)
}

// Likewise with one in WAL mode, whose log was left behind.
func TestForeignFileWithLog(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	db, err := sql.Open("sqlite", filepath.Join(dir, "origin.db")+"?_pragma=journal_mode(WAL)")
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	if _, err := db.Exec("CREATE TABLE theirs (x)"); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(dir, "copy", "other.db")
	if err := os.Mkdir(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(filepath.Join(dir, "origin.db"+suffix))
		if err == nil {
			err = os.WriteFile(path+suffix, content, 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	foreign(t, path)
}

// foreign checks that the file is refused, and that it and its log are as before.
func foreign(t *testing.T, path string) {
	t.Helper()
	content := func() (all [][]byte) {
		for _, suffix := range []string{"", "-wal"} {
			b, _ := os.ReadFile(path + suffix) // not all have a log
			all = append(all, b)
		}
		return all
	}
	before := content()
	_, openErr := Open(t.Context(), Options{Path: path, Exclusive: true})
	_, migrateErr := Migrate(t.Context(), Options{Path: path})
	for _, err := range []error{openErr, migrateErr} {
		if err == nil || !strings.Contains(err.Error(), "another program") || !strings.Contains(err.Error(), path) {
			t.Errorf("the error is %v", err)
		}
	}
	if !slices.EqualFunc(before, content(), bytes.Equal) {
		t.Error("the file or its log was changed")
	}
	if _, err := os.Stat(path + ".lock"); !os.IsNotExist(err) {
		t.Errorf("it was locked: %v", err)
	}
}
