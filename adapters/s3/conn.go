package s3

import (
	"net"
	"time"
)

const (
	// pause is the longest time without a byte in either direction (D48).
	pause = 30 * time.Second
	// piece is how many bytes are written at once: a slow server that takes them has moved.
	piece = 4 << 10
)

// conn is a connection that fails after a pause. A byte in one direction keeps the other one
// open, too: the answer to an upload is awaited while its bytes go out.
type conn struct {
	net.Conn

	now func() time.Time
}

func (c conn) Read(p []byte) (int, error) {
	c.moved()
	n, err := c.Conn.Read(p)
	c.moved()
	return n, err
}

func (c conn) Write(p []byte) (n int, err error) {
	for err == nil && n < len(p) {
		c.moved()
		var written int
		written, err = c.Conn.Write(p[n:min(n+piece, len(p))])
		n += written
	}
	c.moved()
	return n, err
}

// moved begins the time anew. A connection that cannot have a deadline is closed, and fails.
func (c conn) moved() { _ = c.SetDeadline(c.now().Add(pause)) }
