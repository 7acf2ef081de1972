package sqlite

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/problemtracking/problems/adapters/internal/sqlstore/upgradetest"
	"github.com/problemtracking/problems/domain/problem"
)

// backup backs up the file.
func (b *bench) backup() (to *bench, problems int) {
	b.Helper()
	to = &bench{T: b.T, path: filepath.Join(b.TempDir(), "backup.db")}
	problems, err := Backup(b.Context(), Options{Path: b.path}, to.path)
	b.must(err)
	return to, problems
}

// names returns what is in the directory of the file.
func (b *bench) names() (names []string) {
	b.Helper()
	entries, err := os.ReadDir(filepath.Dir(b.path))
	b.must(err)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

// A backup is a store by itself, also when it is backed up again.
func TestBackup(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.commit(b.create(1, "first"))
	b.commit(b.create(2, "second"))
	first, problems := b.backup()
	if problems != 2 {
		t.Errorf("the backup has %d problems, want 2", problems)
	}
	second, _ := first.backup()
	for _, backup := range []*bench{first, second} {
		if names := backup.names(); len(names) != 1 {
			t.Errorf("beside the backup there is %v", names)
		}
		backup.holds(Options{Existing: true}, true, true)
		backup.holds(Options{Exclusive: true}, true, true)
	}
}

// While others write, a backup has all that was acknowledged before, and each change
// with all before it.
func TestBackupBesideWriters(t *testing.T) {
	t.Parallel()
	b := setup(t)
	var acknowledged atomic.Int64
	var group sync.WaitGroup
	ctx, cancel := context.WithCancel(t.Context())
	group.Go(func() {
		for id := problem.ID(1); ctx.Err() == nil; id++ {
			if _, err := b.Commit(t.Context(), b.create(id, "again")); err != nil {
				t.Error(err)
				return
			}
			acknowledged.Store(int64(id))
		}
	})
	for range 5 {
		before := acknowledged.Load()
		backup, problems := b.backup()
		if int64(problems) < before {
			t.Errorf("the backup has %d problems, and %d were acknowledged before", problems, before)
		}
		s := backup.open(Options{})
		next, err := s.Reserve(t.Context())
		if err != nil || int(next) != problems+1 {
			t.Errorf("after %d problems the next one is %d (%v)", problems, next, err)
		}
	}
	cancel()
	group.Wait()
}

// Backing up changes nothing, and leaves nothing behind.
func TestBackupLeavesTheFileAlone(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.commit(b.create(1, "first"))
	killed := b.duplicate("", "-wal")
	b.must(b.Close())
	before, err := os.ReadFile(b.path)
	b.must(err)
	b.backup()
	after, err := os.ReadFile(b.path)
	b.must(err)
	if names := b.names(); len(names) != 1 || !bytes.Equal(before, after) {
		t.Errorf("beside the file there is %v; it is the same: %t", names, bytes.Equal(before, after))
	}
	backup, problems := killed.backup()
	if problems != 1 {
		t.Errorf("of a store with a log %d problems are backed up, want 1", problems)
	}
	backup.holds(Options{Existing: true}, true)
	killed.holds(Options{Existing: true}, true)
}

// A file of an earlier version is backed up as it is.
func TestBackupBeforeAnUpgrade(t *testing.T) {
	t.Parallel()
	newer := next(t, upgradetest.Final)
	backup := &bench{T: t, path: filepath.Join(t.TempDir(), "backup.db")}
	if problems, err := Backup(t.Context(), newer, backup.path); err != nil || problems != 2 {
		t.Errorf("%d problems are backed up, %v; want 2", problems, err)
	}
	for _, path := range []string{newer.Path, backup.path} {
		newer.Path = path
		if all, err := Status(t.Context(), newer); !left(all, err) {
			t.Errorf("%s has the steps %v, %v; want the last one left to do", path, all, err)
		}
	}
	backup.holds(newer, true, true)
}

// A backup that is put beside the log of another file would be mixed with it.
func TestBackupBesideAnotherLog(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.commit(b.create(1, "before"))
	backup, _ := b.backup()
	b.commit(b.create(2, "after"))
	killed := b.duplicate("", "-wal")
	b.must(copyOver(backup.path, killed.path))
	for _, o := range []Options{{Exclusive: true}, {Existing: true}} {
		o.Path = killed.path
		if err := opened(t, o); err == nil || !strings.Contains(err.Error(), "belongs to another file") {
			t.Errorf("%+v is opened: %v", o, err)
		}
	}
	b.must(os.Remove(killed.path + "-wal"))
	killed.holds(Options{Exclusive: true}, true, false)
}

func TestBackupFails(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.commit(b.create(1, "first"))
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	dir := t.TempDir()
	foreign := filepath.Join(dir, "foreign.db")
	b.must(os.WriteFile(foreign, []byte(strings.Repeat("This is not a database. ", 100)), 0o600))
	for name, c := range map[string]struct {
		ctx      context.Context
		from, to string
		want     string
	}{
		"nothing there":   {t.Context(), filepath.Join(dir, "none.db"), filepath.Join(dir, "to.db"), "there is no store at"},
		"no database":     {t.Context(), foreign, filepath.Join(dir, "to.db"), "not a database"},
		"no directory":    {t.Context(), b.path, filepath.Join(dir, "none", "to.db"), "cannot be written to"},
		"already a file":  {t.Context(), b.path, foreign, "cannot be written to"},
		"told to give up": {ended, b.path, filepath.Join(dir, "to.db"), "canceled"},
	} {
		if _, err := Backup(c.ctx, Options{Path: c.from}, c.to); err == nil || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "none.db")); !os.IsNotExist(err) {
		t.Errorf("a store was made: %v", err)
	}
}

// copyOver puts a copy of one file in the place of another.
func copyOver(from, to string) error {
	content, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if err := os.WriteFile(to+".new", content, 0o600); err != nil {
		return err
	}
	return os.Rename(to+".new", to)
}
