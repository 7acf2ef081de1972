//go:build unix && !linux

package postgrestest

import "syscall"

// endWithParent does nothing: only Linux can end the child of a killed parent.
func endWithParent(*syscall.SysProcAttr) {}
