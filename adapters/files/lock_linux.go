package files

import (
	"errors"
	"os"
	"syscall"
)

// lock locks a folder until the returned file is closed. It makes no file: that would be one on the
// wrong disk if the folder's is not mounted. Not all file systems can: then there is no lock.
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
