package postgres

import (
	"syscall"
	"time"
)

// silence is for how long the other end of a connection may leave unacknowledged what
// was sent to it. Keepalives notice a server that is gone only while nothing is under
// way.
const silence = 30 * time.Second

// userTimeout is TCP_USER_TIMEOUT, which package syscall lacks.
const userTimeout = 0x12

// boundSilence sets that bound. A system that does not know it has its own.
func boundSilence(network, _ string, c syscall.RawConn) error {
	if network == "unix" {
		return nil
	}
	return c.Control(func(fd uintptr) {
		_ = syscall.SetsockoptInt(int(fd), syscall.IPPROTO_TCP, userTimeout, int(silence.Milliseconds()))
	})
}
