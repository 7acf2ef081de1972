//go:build unix

package serve

import "syscall"

// openFiles returns how many files the process can have open; 0 if nothing tells.
func openFiles() uint64 {
	var limit syscall.Rlimit
	if syscall.Getrlimit(syscall.RLIMIT_NOFILE, &limit) != nil {
		return 0
	}
	return uint64(limit.Cur) // signed on some systems
}
