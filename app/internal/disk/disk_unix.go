//go:build linux || darwin

package disk

import (
	"fmt"

	"golang.org/x/sys/unix"
)

// Of returns the space on the disk of a file or directory. It fails with
// errors.ErrUnsupported where the system does not say.
func Of(path string) (Space, error) {
	var file unix.Stat_t
	if err := unix.Stat(path, &file); err != nil {
		return Space{}, fmt.Errorf("%s: %w", path, err)
	}
	var system unix.Statfs_t
	if err := unix.Statfs(path, &system); err != nil {
		return Space{}, fmt.Errorf("the disk of %s: %w", path, err)
	}
	block := uint64(system.Bsize)
	return Space{Free: system.Bavail * block, Size: system.Blocks * block, Device: uint64(file.Dev)}, nil
}

// Writable fails if this user cannot make a file in a folder.
func Writable(folder string) error {
	if err := unix.Access(folder, unix.W_OK|unix.X_OK); err != nil {
		return fmt.Errorf("%s: %w", folder, err)
	}
	return nil
}
