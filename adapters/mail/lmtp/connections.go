package lmtp

import (
	"net"
	"strings"
	"sync"
	"time"
)

// connections are the open connections, up to a limit. A stopping server ends those without
// a mail under way. The library does neither.
type connections struct {
	most     int
	now      func() time.Time
	mu       sync.Mutex
	listener net.Listener // nil: none yet
	open     map[*connection]struct{}
	closed   bool
}

func newConnections(most int, now func() time.Time) *connections {
	return &connections{most: most, now: now, open: make(map[*connection]struct{})}
}

// limit returns a listener for the admitted connections.
func (s *connections) limit(l net.Listener) net.Listener {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.listener = l
	if s.closed {
		_ = l.Close()
	}
	return &limitedListener{l, s}
}

// past is a deadline in the past: reads fail at once.
var past = time.Unix(1, 0)

// close closes the listener, and ends each connection as soon as it has no mail under way.
func (s *connections) close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.closed = true
	if s.listener != nil {
		_ = s.listener.Close()
	}
	for c := range s.open {
		if !c.busy {
			_ = c.Conn.SetReadDeadline(past)
		}
	}
}

// cut closes all connections.
func (s *connections) cut() {
	s.mu.Lock()
	defer s.mu.Unlock()
	for c := range s.open {
		_ = c.Conn.Close()
	}
}

// limitedListener is a listener for admitted connections only.
type limitedListener struct {
	net.Listener
	connections *connections
}

// crowded is the answer to one connection too many. The mail server tries again later.
const crowded = "421 4.3.2 there are too many connections: try again later\r\n"

// Accept returns the next admitted connection.
func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if c := l.connections.admit(accepted); c != nil {
			return c, nil
		}
		if accepted.SetWriteDeadline(l.connections.now().Add(time.Second)) == nil {
			_, _ = accepted.Write([]byte(crowded))
		}
		_ = accepted.Close()
	}
}

func (s *connections) admit(accepted net.Conn) *connection {
	s.mu.Lock()
	defer s.mu.Unlock()
	if len(s.open) >= s.most {
		return nil
	}
	c := &connection{Conn: accepted, connections: s}
	s.open[c] = struct{}{}
	return c
}

// connection is an admitted connection.
type connection struct {
	net.Conn
	connections *connections
	busy        bool // a mail is under way; under the lock of connections
}

// chunking is the library's offer of mails in chunks, and sizes the start of its offer to read
// the size of a mail in advance. They always come, and each as one write.
const (
	chunking = "250-CHUNKING\r\n"
	sizes    = "250-SIZE "
)

// Write leaves out both offers. Mail servers send a mail as a whole then, and the library
// refuses none before its headers show whether it is automatic.
func (c *connection) Write(b []byte) (int, error) {
	if string(b) == chunking || strings.HasPrefix(string(b), sizes) {
		return len(b), nil
	}
	return c.Conn.Write(b)
}

// setBusy says whether a mail is under way.
func (c *connection) setBusy(busy bool) {
	c.connections.mu.Lock()
	defer c.connections.mu.Unlock()
	c.busy = busy
}

// SetReadDeadline is called before each command. Once connections is closed, no further command
// is read, and the library says goodbye.
func (c *connection) SetReadDeadline(t time.Time) error {
	c.connections.mu.Lock()
	defer c.connections.mu.Unlock()
	if c.connections.closed {
		t = past
	}
	return c.Conn.SetReadDeadline(t)
}

// Close closes the connection, and admits another one.
func (c *connection) Close() error {
	c.connections.mu.Lock()
	delete(c.connections.open, c)
	c.connections.mu.Unlock()
	return c.Conn.Close()
}
