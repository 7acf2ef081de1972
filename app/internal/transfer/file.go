package transfer

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
)

// File is a file that appears under its name only once it is complete.
type File struct {
	*os.File // of another name, in the same directory
	path     string
	replace  bool
}

// ErrTaken is the error of an existing file that must not be replaced.
var ErrTaken = errors.New("is there already: take another name")

// CreateFile returns a new file. Only its owner can read and write it. Symbolic links are
// followed. Unless the file is to replace one, there must be none at the path, and only a
// regular file is ever replaced: not a device, for example. The error is [ErrTaken]
// otherwise.
func CreateFile(path string, replace bool) (*File, error) {
	switch info, err := os.Stat(path); {
	case err == nil && (!replace || !info.Mode().IsRegular()):
		return nil, taken(path, info)
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s cannot be written: %w", path, err)
	}
	target := Follow(path)
	dir, name := filepath.Split(target)                      // filepath.Dir would take link/.. away
	f, err := os.CreateTemp(cmp.Or(dir, "."), "."+name+".*") // with permissions 0600
	if err != nil {
		return nil, fmt.Errorf("%s cannot be written: %w", path, err)
	}
	return &File{f, target, replace}, nil
}

// Follow returns where symbolic links lead to, be there something or not.
func Follow(path string) string {
	for range 40 { // no more than the system follows
		target, err := os.Readlink(path)
		if err != nil { // no link
			break
		}
		if !filepath.IsAbs(target) {
			dir, _ := filepath.Split(path)
			target = dir + target
		}
		path = target
	}
	return path
}

// taken explains the error of an existing file.
func taken(path string, info fs.FileInfo) error {
	if !info.Mode().IsRegular() {
		return fmt.Errorf("%s is not a regular file: write to standard output and redirect it", path)
	}
	return fmt.Errorf("%s %w", path, ErrTaken)
}

// Keep gives the file its name, once its content is on the disk. Then the name is there
// as well.
func (f *File) Keep() error {
	err := f.Sync()
	if err == nil {
		err = f.Close()
	}
	if err == nil {
		err = f.rename()
	}
	if err == nil {
		return syncDir(filepath.Dir(f.Name()))
	}
	return errors.Join(err, f.Discard())
}

// syncDir brings the names in a directory to the disk, where the system can do so.
func syncDir(path string) error {
	dir, err := os.Open(path)
	if err != nil {
		return nil // a directory can be one to write to, and not to read
	}
	err = dir.Sync()
	if errors.Is(err, errors.ErrUnsupported) || errors.Is(err, syscall.EINVAL) || runtime.GOOS == "windows" {
		err = nil
	}
	return errors.Join(err, dir.Close())
}

func (f *File) rename() error {
	if !f.replace {
		// Unlike a rename, a link replaces nothing.
		if os.Link(f.Name(), f.path) == nil {
			return os.Remove(f.Name())
		}
		// Something is there, or the file system has no links.
	}
	if info, err := os.Lstat(f.path); err == nil && (!f.replace || !info.Mode().IsRegular()) {
		return taken(f.path, info)
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
