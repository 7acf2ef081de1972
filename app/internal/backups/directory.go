// Package backups keeps copies of a store in a directory: it names them, thins them out, and
// leaves room on the disk.
package backups

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gofrs/flock"

	"github.com/problemtracking/problems/app/internal/disk"
)

// layout is the name of a copy: its time in UTC.
const layout = "2006-01-02T15:04:05.000Z.db"

// abandoned is how long nobody has written a file of a killed backup. A backup without a lock
// on the directory, by --to, writes all the time.
const abandoned = 10 * time.Minute

// Directory is a directory with copies. One process at a time has it.
type Directory struct {
	path string
	lock *flock.Flock
}

// Open returns the directory at a path. The caller has to Close it.
func Open(path string) (*Directory, error) {
	if info, err := os.Stat(path); err != nil || !info.IsDir() {
		return nil, fmt.Errorf("%s is no directory for backups: make it, and give it to the user of this command", path)
	}
	d := &Directory{path, flock.New(filepath.Join(path, ".lock"), flock.SetPermissions(0o600))}
	switch ours, err := d.lock.TryLock(); {
	case err != nil:
		return nil, fmt.Errorf("%s cannot be locked: %w", path, err)
	case !ours:
		return nil, fmt.Errorf("another backup to %s is still at work", path)
	}
	return d, nil
}

// Close lets another process have the directory.
func (d *Directory) Close() error { return d.lock.Close() }

// Next returns the path of a copy that begins now.
func (d *Directory) Next(now time.Time) string {
	return filepath.Join(d.path, now.UTC().Format(layout))
}

// Tidy removes what killed backups have left, and the copies that may go by [Thin]. It returns
// how many files it has removed. It touches no other files.
func (d *Directory) Tidy(now time.Time) (removed int, err error) {
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return 0, err
	}
	var paths []string
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && left(e.Name()) && now.Sub(info.ModTime()) > abandoned {
			paths = append(paths, filepath.Join(d.path, e.Name()))
		}
	}
	copies, _ := listed(entries)
	for _, t := range Thin(copies, now) {
		paths = append(paths, d.Next(t))
	}
	for _, path := range paths {
		if failed := os.Remove(path); failed != nil && !errors.Is(failed, fs.ErrNotExist) {
			err = errors.Join(err, failed)
			continue
		}
		removed++
	}
	return removed, err
}

// Room fails when the disk lacks room for a copy of a store. Beside the store, as much stays free
// as the store has, and its log can take.
func (d *Directory) Room(store string) error {
	to, err := disk.Of(d.path)
	if errors.Is(err, errors.ErrUnsupported) {
		return nil
	}
	if err != nil {
		return err
	}
	from, err := disk.Of(store)
	if err != nil {
		return nil // the backup says what is wrong with the store
	}
	size := sizeOf(store) + sizeOf(store+"-wal")
	needed, reserve := size, uint64(0)
	if from.Device == to.Device {
		reserve = size + log
		needed += reserve
	}
	if to.Free >= needed {
		return nil
	}
	entries, err := os.ReadDir(d.path)
	if err != nil {
		return err
	}
	copies, held := listed(entries)
	why, mend := fmt.Sprintf("%s for the copy", megabytes(size)), "make room"
	if reserve > 0 {
		why += fmt.Sprintf(", and %s that stay free for the store on the same disk", megabytes(reserve))
		mend += ", or name a directory on another disk"
	}
	return fmt.Errorf("the disk of %s has %s free, and a backup needs %s: %s. The %d copies there take %s: %s", d.path, megabytes(to.Free), megabytes(needed), why, len(copies), megabytes(held), mend)
}

// log is how large the write-ahead log of a store grows beside a long read, in bytes.
const log = 64 << 20

// Newest returns the time of the newest copy in a directory; the zero Time without one. It fails
// when there is no such directory.
func Newest(path string) (newest time.Time, err error) {
	entries, err := os.ReadDir(path)
	copies, _ := listed(entries)
	for _, c := range copies {
		if c.After(newest) {
			newest = c
		}
	}
	return newest, err
}

// listed returns the times of the copies among the files of a directory, and their bytes.
func listed(entries []fs.DirEntry) (copies []time.Time, held uint64) {
	for _, e := range entries {
		t, ours := parse(e.Name())
		if info, err := e.Info(); ours && err == nil && info.Mode().IsRegular() {
			copies, held = append(copies, t), held+uint64(info.Size())
		}
	}
	return copies, held
}

// parse returns the time in the name of a copy.
func parse(name string) (time.Time, bool) {
	t, err := time.Parse(layout, name)
	return t, err == nil && t.Format(layout) == name
}

// left reports whether a file with this name is a copy that was not completed, or its journal:
// .NAME.NUMBER, as transfer.CreateFile has it.
func left(name string) bool {
	name, hidden := strings.CutPrefix(strings.TrimSuffix(name, "-journal"), ".")
	end := strings.LastIndexByte(name, '.')
	if !hidden || end < 0 || strings.Trim(name[end+1:], "0123456789") != "" {
		return false
	}
	_, ours := parse(name[:end])
	return ours
}

func sizeOf(path string) uint64 {
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return uint64(info.Size())
}

// megabytes writes a number of bytes for people.
func megabytes(bytes uint64) string { return fmt.Sprintf("%.1f MB", float64(bytes)/1e6) }
