//go:build !linux

package limits

import "os"

// syncData makes durable what was written.
func syncData(file *os.File) error { return file.Sync() }
