package sqlite

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/problemtracking/problems/adapters/internal/sqlstore"
	"github.com/problemtracking/problems/domain/store"
)

// Close gives back every descriptor of the file, so that the lock on it is free
// and the WAL is moved into it.
func TestCloseLeavesNothingOpen(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "problems.db")
	s, err := Open(t.Context(), Options{Path: path, Exclusive: true})
	if err != nil {
		t.Fatal(err)
	}
	err = s.View(t.Context(), func(r store.Reader) error {
		_, err := r.Catalogue(t.Context())
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := s.Reserve(t.Context()); err != nil {
		t.Fatal(err)
	}
	if open := descriptors(t, path); open == 0 {
		t.Fatal("an open store has no descriptor: the test is blind")
	}
	if err := s.Close(); err != nil {
		t.Fatal(err)
	}
	if open := descriptors(t, path); open > 0 {
		t.Errorf("%d descriptors are open after Close", open)
	}
	if _, err := os.Stat(path + "-wal"); !os.IsNotExist(err) {
		t.Errorf("the WAL is still there after Close: %v", err)
	}
}

// A panic while a row is read leaves nothing open either, and takes no connection away
// from others.
func TestPanicLeavesNothingOpen(t *testing.T) {
	t.Parallel()
	b := setup(t)
	for range 3 * Readers {
		func() {
			defer func() {
				if got := recover(); got != "in a row" {
					t.Errorf("the panic became %v", got)
				}
			}()
			b.must(b.View(t.Context(), func(r store.Reader) error {
				return r.(sqlstore.Reader).Read(t.Context(), sqlstore.Query{
					SQL: "SELECT catalogue FROM versions",
					Row: func(func(...any) error) error { panic("in a row") },
				})
			}))
		}()
	}
	b.commit(b.create(1, "afterwards"))
	if !b.exists(1) {
		t.Error("what was stored afterwards is not seen")
	}
	b.must(b.Close())
	if open := descriptors(t, b.path); open > 0 {
		t.Errorf("%d descriptors are open after Close", open)
	}
}

// descriptors counts the open descriptors of the file and of those beside it.
func descriptors(t *testing.T, path string) (open int) {
	t.Helper()
	entries, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatalf("this test needs a /proc file system: %v", err)
	}
	for _, e := range entries {
		target, err := os.Readlink("/proc/self/fd/" + e.Name())
		if err == nil && strings.HasPrefix(target, path) {
			open++
		}
	}
	return open
}
