//go:build !linux

package sqlite

import "os"

// hold takes no lock: on some of these systems, SQLite could no longer lock the file
// itself. There the lock file and the number of hard links have to do.
func (f file) hold() (*os.File, error) { return os.Open(os.DevNull) }

// mounted reports false: these systems mount directories.
func mounted(string) bool { return false }

// writable leaves the answer to the first write.
func writable(string) error { return nil }

// lacks leaves the answer to the first write.
func lacks(string) bool { return false }

// release closes the file opened by hold.
func release(f *os.File) error { return f.Close() }

// spaceOf knows nothing: these systems tell in ways of their own.
func spaceOf(string) space { return space{} }
