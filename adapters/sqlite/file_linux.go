package sqlite

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// lockByte is the byte of a database that a server locks, far beyond all bytes that
// SQLite locks or stores.
const lockByte = 1 << 62

// hold takes the lock on the file itself, and returns nil when another process has it.
// The lock belongs to the inode, so it is the same under every name, and nobody can
// remove it or put another in its place.
//
// SQLite has locks on the same file. A process loses those when it closes any descriptor
// of the file. So this one must be opened before SQLite's and closed after them. It must
// not be a POSIX lock: such a lock ends with any of SQLite's descriptors.
func (f file) hold() (held *os.File, err error) {
	opened, err := os.OpenFile(f.path, os.O_RDWR, 0)
	if err != nil {
		return nil, err
	}
	defer func() {
		if held == nil {
			err = errors.Join(err, opened.Close())
		}
	}()
	if info, err := opened.Stat(); err != nil || !os.SameFile(f.info, info) {
		return nil, errors.Join(errors.New("the file was replaced meanwhile"), err)
	}
	err = lockPart(opened)
	if errors.Is(err, unix.EINVAL) { // a kernel without such locks, as some sandboxes have
		err = lockWhole(opened)
	}
	switch {
	case errors.Is(err, unix.EAGAIN), errors.Is(err, unix.EACCES):
		return nil, nil
	case err != nil:
		return nil, fmt.Errorf("the file cannot be locked: %w", err)
	}
	return opened, nil
}

// lockPart also works on network file systems: there, a lock on the whole file would
// keep SQLite from its own.
func lockPart(f *os.File) error {
	return unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, &unix.Flock_t{Type: unix.F_WRLCK, Start: lockByte, Len: 1})
}

// release ends the lock, and closes the file. Closing alone would leave the lock to a
// child of this process before its program begins.
func release(f *os.File) error {
	unlocked := unix.FcntlFlock(f.Fd(), unix.F_OFD_SETLK, &unix.Flock_t{Type: unix.F_UNLCK, Start: lockByte, Len: 1})
	if errors.Is(unlocked, unix.EINVAL) {
		unlocked = unix.Flock(int(f.Fd()), unix.LOCK_UN)
	}
	return errors.Join(unlocked, f.Close())
}

func lockWhole(f *os.File) error { return unix.Flock(int(f.Fd()), unix.LOCK_EX|unix.LOCK_NB) }

// mounted reports whether a file, not a directory above it, is mounted at the path. The
// write-ahead log would then be beside the mount, and another one beside the origin.
// Kernels before 5.8 do not tell.
func mounted(path string) bool {
	var stat unix.Statx_t
	err := unix.Statx(unix.AT_FDCWD, path, 0, unix.STATX_TYPE, &stat)
	return err == nil && stat.Attributes&stat.Attributes_mask&unix.STATX_ATTR_MOUNT_ROOT != 0
}

// writable fails when nobody can write to the path.
func writable(path string) error { return unix.Access(path, unix.W_OK) }

// lacks reports whether this process may not write to a file, or not make files in a directory.
func lacks(path string) bool {
	mode := uint32(unix.R_OK | unix.W_OK)
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		mode = unix.W_OK | unix.X_OK
	}
	return errors.Is(unix.Access(path, mode), unix.EACCES)
}

// networks are the file systems of other machines, by their numbers in statfs(2).
var networks = map[int64]string{0x6969: "NFS", 0xff534d42: "CIFS", 0xfe534d42: "SMB", 0x00c36400: "Ceph", 0x01021997: "9P"}

// spaceOf describes the file system of a directory.
func spaceOf(directory string) space {
	var stat unix.Statfs_t
	if unix.Statfs(directory, &stat) != nil {
		return space{}
	}
	return space{known: true, free: int64(stat.Bavail) * int64(stat.Bsize), network: networks[int64(stat.Type)]}
}
