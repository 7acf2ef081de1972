package sqlite

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

func TestExclusive(t *testing.T) {
	t.Parallel()
	b := setup(t)
	server := b.open(Options{Exclusive: true}) // setup has opened the file without the lock
	_, err := Open(t.Context(), Options{Path: b.path, Exclusive: true})
	if err == nil || !strings.Contains(err.Error(), "another `problems serve` uses") {
		t.Errorf("a second server: got %v", err)
	}
	b.must(server.Close())
	b.open(Options{Exclusive: true})
}

func TestFiles(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.open(Options{Exclusive: true})
	b.commit(b.create(1, "something"))
	entries, err := os.ReadDir(filepath.Dir(b.path))
	b.must(err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
		info, err := e.Info()
		b.must(err)
		if got := info.Mode().Perm(); got != 0o600 {
			t.Errorf("%s has the mode %v", e.Name(), got)
		}
	}
	if want := []string{"problems.db", "problems.db-shm", "problems.db-wal", "problems.db.lock"}; !slices.Equal(names, want) {
		t.Errorf("the files are %v, want %v", names, want)
	}
}

func TestOpenFails(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	text := filepath.Join(dir, "text")
	if err := os.WriteFile(text, []byte(strings.Repeat("This is not a database. ", 100)), 0o600); err != nil {
		t.Fatal(err)
	}
	for path, want := range map[string]string{
		"":                               "has no path",
		filepath.Join(dir, "none", "db"): "directory of",
		text:                             "file is not a database",
	} {
		s, err := Open(t.Context(), Options{Path: path})
		if err == nil {
			_ = s.Close()
			t.Errorf("%q was opened", path)
		} else if !strings.Contains(err.Error(), want) {
			t.Errorf("%q: got %v, want something with %q", path, err, want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "none")); !os.IsNotExist(err) {
		t.Errorf("the directory was made: %v", err)
	}
}

func TestPathWithSpecialCharacters(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "what? #1 %41&mode=memory.db")
	s, err := Open(t.Context(), Options{Path: path})
	if err != nil {
		t.Fatal(err)
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() == 0 {
		t.Errorf("the file is not where it should be: %v", err)
	}
}
