//go:build !linux

package postgrestest

// inMemory returns "": only on Linux is it known where to look.
func inMemory() string { return "" }
