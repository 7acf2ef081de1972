//go:build !linux

package postgres

import "syscall"

// boundSilence leaves the bound to the system.
func boundSilence(string, string, syscall.RawConn) error { return nil }
