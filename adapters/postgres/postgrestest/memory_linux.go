package postgrestest

import "syscall"

// memory is where Linux has a file system in memory.
const memory = "/dev/shm"

// memoryNeeded is how much a server for many tests takes at most: its log, its tables, and
// as much again.
const memoryNeeded = 4 << 30

// inMemory returns a directory in memory with enough room for a server; "" when there is
// none.
func inMemory() string {
	const tmpfs = 0x01021994
	var found syscall.Statfs_t
	if err := syscall.Statfs(memory, &found); err != nil || int64(found.Type) != tmpfs || uint64(found.Bavail)*uint64(found.Bsize) < memoryNeeded {
		return ""
	}
	return memory
}
