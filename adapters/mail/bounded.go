package mail

import (
	"errors"
	"net"
	"sync/atomic"
	"time"
)

// mostAnswer is the largest answer of a mail server to a command, in bytes, far above any
// true one.
const mostAnswer = 1 << 20

var errAnswer = errors.New("the answer is too long")

// boundedConn fails once a server sends more than mostAnswer between two commands. The library
// keeps a line without an end in memory, and the first answer comes before any encryption.
type boundedConn struct {
	net.Conn
	read atomic.Int64 // since the last write
	more atomic.Int64 // time added to all further deadlines
}

// SetDeadline adds time for an answer that may take long. The library has one deadline for all
// steps of a letter.
func (c *boundedConn) SetDeadline(t time.Time) error {
	if !t.IsZero() {
		t = t.Add(time.Duration(c.more.Load()))
	}
	return c.Conn.SetDeadline(t)
}

func (c *boundedConn) Read(p []byte) (int, error) {
	n, err := c.Conn.Read(p)
	if c.read.Add(int64(n)) > mostAnswer {
		return 0, errAnswer
	}
	return n, err
}

func (c *boundedConn) Write(p []byte) (int, error) {
	c.read.Store(0)
	return c.Conn.Write(p)
}
