//go:build unix

package sqlite

import (
	"io/fs"
	"syscall"
)

// owner returns whose file it is.
func owner(info fs.FileInfo) (account, bool) {
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return account{}, false
	}
	return account{stat.Uid, stat.Gid}, true
}

// links returns how many names a file has.
func links(info fs.FileInfo) uint64 {
	if stat, ok := info.Sys().(*syscall.Stat_t); ok {
		return uint64(stat.Nlink)
	}
	return 1
}
