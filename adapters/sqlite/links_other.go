//go:build !unix

package sqlite

import "io/fs"

// links returns 1: this system does not tell how many names a file has.
func links(fs.FileInfo) uint64 { return 1 }

// owner knows nobody: these systems have other rights.
func owner(fs.FileInfo) (account, bool) { return account{}, false }
