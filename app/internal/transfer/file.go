package transfer

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// File is a file that appears under its name only once it is complete.
type File struct {
	*os.File // of another name, in the same directory
	path     string
	replace  bool
}

// CreateFile returns a new file, which only its owner can read and write. Unless
// it is to replace one, there must be none at the path.
func CreateFile(path string, replace bool) (*File, error) {
	if _, err := os.Lstat(path); err == nil && !replace {
		return nil, taken(path)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*") // with permissions 0600
	if err != nil {
		return nil, fmt.Errorf("%s cannot be written: %w", path, err)
	}
	return &File{f, path, replace}, nil
}

func taken(path string) error {
	return fmt.Errorf("%s is there already: take another name, or --force to replace it", path)
}

// Keep gives the file its name, once what was written is on the disk.
func (f *File) Keep() error {
	err := f.Sync()
	if err == nil {
		err = f.Close()
	}
	if err == nil {
		err = f.rename()
	}
	if err != nil {
		err = errors.Join(err, f.Discard())
	}
	return err
}

func (f *File) rename() error {
	if f.replace {
		return os.Rename(f.Name(), f.path)
	}
	// Unlike a rename, a link replaces nothing.
	switch err := os.Link(f.Name(), f.path); {
	case err == nil:
		return os.Remove(f.Name())
	case errors.Is(err, fs.ErrExist):
		return taken(f.path)
	}
	// A file system without links.
	if _, err := os.Lstat(f.path); err == nil {
		return taken(f.path)
	}
	return os.Rename(f.Name(), f.path)
}

// Discard removes the file, if it was not kept.
func (f *File) Discard() error {
	if err := f.Close(); err != nil && !errors.Is(err, fs.ErrClosed) {
		return err
	}
	if err := os.Remove(f.Name()); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}
