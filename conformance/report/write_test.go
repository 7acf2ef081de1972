package report

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestWrite(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "reports", "boltstore")
	for _, r := range []*Report{example(plain), conformant()} { // the second replaces the first
		if err := Write(dir, r); err != nil {
			t.Fatal(err)
		}
		checkFiles(t, dir, r)
	}
}

func checkFiles(t *testing.T, dir string, r *Report) {
	t.Helper()
	f, err := os.Open(filepath.Join(dir, JSONFile))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	read, err := Read(f)
	if err != nil || !reflect.DeepEqual(read, asRead(r)) {
		t.Errorf("report.json is %+v (%v) where %+v was expected", read, err, asRead(r))
	}
	if got, err := os.ReadFile(filepath.Join(dir, PageFile)); err != nil || string(got) != r.Markdown() {
		t.Errorf("%s is %q (%v) where %q was expected", PageFile, got, err, r.Markdown())
	}
	if got, want := files(t, dir), []string{"report.json", "report.md"}; !slices.Equal(got, want) {
		t.Errorf("the directory has %v where %v was expected", got, want)
	}
}

func files(t *testing.T, dir string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names
}

func TestWriteSaysWhatFailed(t *testing.T) {
	t.Parallel()
	occupied := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(occupied, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := Write(occupied, conformant()); err == nil || !strings.Contains(err.Error(), occupied) {
		t.Errorf("where a file is in the place of the directory, the error is %v; one that names it was expected", err)
	}

	for _, name := range []string{JSONFile, PageFile} {
		dir := t.TempDir()
		inTheWay := filepath.Join(dir, name)
		if err := os.Mkdir(inTheWay, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := Write(dir, conformant()); err == nil || !strings.Contains(err.Error(), inTheWay+": ") {
			t.Errorf("where a directory is in the place of %s, the error is %v; one that names it was expected", name, err)
		}
		for _, left := range files(t, dir) {
			if strings.HasPrefix(left, ".") {
				t.Errorf("after %s could not be written, %s is left behind", name, left)
			}
		}
	}
}

// What cannot be told is not written at all: an earlier report stays as it was.
func TestWriteAllOrNothing(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "new")
	if err := Write(dir, new(Report)); err == nil || !strings.Contains(err.Error(), JSONFile) {
		t.Errorf("a report that was not concluded is written with the error %v where one that names %s was expected", err, JSONFile)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("a directory was made for it (%v)", err)
	}
}

// A report that cannot be written as a whole leaves no earlier report.json behind.
func TestWriteMixesNoReports(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	r := &Report{Cases: []Case{{ID: "COM-001", Profile: "port", Level: Core, Status: Passed}}}
	r.Conclude()
	if err := Write(dir, r); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(dir, PageFile)); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(dir, PageFile), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := Write(dir, r); err == nil {
		t.Error("a report was written over a directory")
	}
	if _, err := os.Stat(filepath.Join(dir, JSONFile)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the earlier %s is still there: %v", JSONFile, err)
	}
}

func TestClear(t *testing.T) {
	t.Parallel()
	if err := Clear(filepath.Join(t.TempDir(), "not", "there")); err != nil {
		t.Errorf("nothing to clear: %v", err)
	}
}
