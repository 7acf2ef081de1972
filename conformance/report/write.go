package report

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

// The names of the files of [Write].
const (
	JSONFile = "report.json"
	PageFile = "report.md"
)

// Write writes the report into a directory, and makes the directory if necessary: as
// JSON and as a page. Each file is there as a whole or not at all. Files of an earlier report
// are replaced. report.json goes first and comes last: the page beside it is of the same
// report.
func Write(dir string, r *Report) error {
	asJSON, err := r.JSON()
	if err != nil {
		return fmt.Errorf("%s: %w", filepath.Join(dir, JSONFile), err)
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("the directory of the report: %w", err)
	}
	if err := Clear(dir); err != nil {
		return err
	}
	for _, file := range []struct {
		name string
		text []byte
	}{
		{PageFile, []byte(r.Markdown())},
		{JSONFile, asJSON},
	} {
		path := filepath.Join(dir, file.name)
		if err := replace(path, file.text); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
	}
	return nil
}

// Clear removes an earlier report.json from a directory. Call it when a run begins: an
// aborted run then leaves no report behind.
func Clear(dir string) error {
	path := filepath.Join(dir, JSONFile)
	if info, err := os.Lstat(path); err != nil || info.IsDir() {
		return nil // nothing is there, or no report
	}
	if err := os.Remove(path); err != nil {
		return fmt.Errorf("the earlier report: %w", err)
	}
	return nil
}

// replace writes a file beside the old one, and then takes its place.
func replace(path string, text []byte) (err error) {
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, os.Remove(f.Name()))
		}
	}()
	if err := fill(f, text); err != nil {
		return err
	}
	return os.Rename(f.Name(), path)
}

func fill(f *os.File, text []byte) error {
	_, err := f.Write(text)
	return errors.Join(err, f.Chmod(0o644), f.Sync(), f.Close())
}
