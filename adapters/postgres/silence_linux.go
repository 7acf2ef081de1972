package postgres

import (
	"syscall"
	"time"
)

// silence limits how long the other end of a connection may leave sent bytes
// unacknowledged. Keepalives notice a dead server only while nothing is under way.
const silence = 30 * time.Second

// userTimeout is TCP_USER_TIMEOUT: package syscall lacks it.
const userTimeout = 0x12

// boundSilence sets that limit. A system without it has its own.
func boundSilence(network, _ string, c syscall.RawConn) error {
	if network == "unix" {
		return nil
	}
	return c.Control(func(fd uintptr) {
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, userTimeout, int(silence.Milliseconds()))
	})
}
