package backups

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// Only copies, and what killed backups have left, are ever removed.
func TestTidyRemovesOnlyItsOwn(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	write := func(name string, age time.Duration) {
		path := filepath.Join(dir, name)
		if err := errors.Join(os.WriteFile(path, nil, 0o600), os.Chtimes(path, noon.Add(-age), noon.Add(-age))); err != nil {
			t.Fatal(err)
		}
	}
	for i := range last {
		write(noon.Add(-time.Duration(i)*time.Minute).Format(layout), 0)
	}
	stay := []string{
		"2029-01-01.db", "2029-01-01T00:00:00Z.db", "2029-13-01T00:00:00.000Z.db", "2029-01-01T00:00:00.000Z.db.old", "before-the-upgrade.db",
		".2029-01-01T00:00:00.000Z.db", ".2029-01-01T00:00:00.000Z.db.swp", ".mine.db.123", ".config.1", "2029-01-01T00:00:00.000Z.db.123",
	}
	for _, name := range stay {
		write(name, 400*24*time.Hour)
	}
	write(".2030-01-30T11:59:00.000Z.db.77", time.Minute) // perhaps still written to
	stay = append(stay, ".2030-01-30T11:59:00.000Z.db.77", ".lock")
	gone := []string{"2029-01-01T00:00:00.000Z.db", ".2029-01-01T00:00:00.000Z.db.123", ".2030-01-30T11:00:00.000Z.db.77-journal"}
	for _, name := range gone {
		write(name, time.Hour)
	}
	if err := os.Mkdir(filepath.Join(dir, "2028-01-01T00:00:00.000Z.db"), 0o700); err != nil {
		t.Fatal(err)
	}
	stay = append(stay, "2028-01-01T00:00:00.000Z.db")

	d, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if _, err := Open(dir); err == nil || !strings.Contains(err.Error(), "still at work") {
		t.Errorf("a second backup begins: %v", err)
	}
	if removed, err := d.Tidy(noon); removed != len(gone) || err != nil {
		t.Errorf("%d files are removed (%v), want %d", removed, err, len(gone))
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	var left []string
	for _, e := range entries {
		left = append(left, e.Name())
	}
	if len(left) != last+len(stay) {
		t.Errorf("%d files are left, want %d: %q", len(left), last+len(stay), left)
	}
	for _, name := range stay {
		if !slices.Contains(left, name) {
			t.Errorf("%s is gone", name)
		}
	}
	if newest, err := Newest(dir); err != nil || !newest.Equal(noon) {
		t.Errorf("the newest copy is of %v (%v), want %v", newest, err, noon)
	}
	if _, err := Newest(filepath.Join(dir, "none")); err == nil {
		t.Error("a missing directory has a newest copy")
	}
}

// A store that the disk cannot hold twice is a sparse file here.
func TestRoom(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	store := filepath.Join(dir, "problems.db")
	d, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	if err := errors.Join(os.WriteFile(store, nil, 0o600), d.Room(store)); err != nil {
		t.Errorf("a small store has no room: %v", err)
	}
	if err := errors.Join(os.Truncate(store, 1<<43), os.WriteFile(d.Next(noon), make([]byte, 1_500_000), 0o600)); err != nil {
		t.Fatal(err)
	}
	err = d.Room(store)
	for _, want := range []string{"a backup needs 17592253.2 MB: 8796093.0 MB for the copy, and 8796160.1 MB that stay free", "The 1 copies there take 1.5 MB", "another disk"} {
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("the error is %v, want %q", err, want)
		}
	}
}
