//go:build unix && !linux

package postgrestest

import "syscall"

// endWithParent does nothing: only Linux can end a child whose parent was killed.
func endWithParent(*syscall.SysProcAttr) {}
