//go:build !linux

package limits

import "os"

// syncData makes written data durable.
func syncData(file *os.File) error { return file.Sync() }
