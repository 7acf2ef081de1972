package files

import (
	"errors"
	"os"
	"syscall"
)

// lock locks the folder itself until the returned file is closed. A file for the lock could land
// on the wrong disk, while the right one is not mounted. A file system without locks gives none.
func lock(root *os.Root) (*os.File, error) {
	folder, err := root.Open(".")
	if err != nil {
		return nil, err
	}
	if errors.Is(syscall.Flock(int(folder.Fd()), syscall.LOCK_EX|syscall.LOCK_NB), syscall.EWOULDBLOCK) {
		return nil, errors.Join(errInUse, folder.Close())
	}
	return folder, nil
}
