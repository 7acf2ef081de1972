package lmtp

import (
	"net"
	"sync"
	"time"
)

// door limits the number of connections. When the server stops, it ends the connections
// without a mail under way. The library does neither.
type door struct {
	most     int
	now      func() time.Time
	mu       sync.Mutex
	listener net.Listener // nil: none yet
	open     map[*connection]struct{}
	closed   bool
}

func newDoor(most int, now func() time.Time) *door {
	return &door{most: most, now: now, open: make(map[*connection]struct{})}
}

// guard returns a listener for the admitted connections.
func (d *door) guard(l net.Listener) net.Listener {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.listener = l
	if d.closed {
		_ = l.Close()
	}
	return &guarded{l, d}
}

// past is a deadline in the past: reads fail at once.
var past = time.Unix(1, 0)

// close closes the listener, and ends each connection as soon as it has no mail under way.
func (d *door) close() {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.closed = true
	if d.listener != nil {
		_ = d.listener.Close()
	}
	for c := range d.open {
		if !c.busy {
			_ = c.Conn.SetReadDeadline(past)
		}
	}
}

// cut closes all connections.
func (d *door) cut() {
	d.mu.Lock()
	defer d.mu.Unlock()
	for c := range d.open {
		_ = c.Conn.Close()
	}
}

// guarded is a listener behind a door.
type guarded struct {
	net.Listener
	door *door
}

// crowded is the answer to one connection too many. The mail server tries again later.
const crowded = "421 4.3.2 there are too many connections: try again later\r\n"

// Accept returns the next admitted connection.
func (g *guarded) Accept() (net.Conn, error) {
	for {
		accepted, err := g.Listener.Accept()
		if err != nil {
			return nil, err
		}
		if c := g.door.admit(accepted); c != nil {
			return c, nil
		}
		if accepted.SetWriteDeadline(g.door.now().Add(time.Second)) == nil {
			_, _ = accepted.Write([]byte(crowded))
		}
		_ = accepted.Close()
	}
}

func (d *door) admit(accepted net.Conn) *connection {
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.open) >= d.most {
		return nil
	}
	c := &connection{Conn: accepted, door: d}
	d.open[c] = struct{}{}
	return c
}

// connection is an admitted connection.
type connection struct {
	net.Conn
	door *door
	busy bool // a mail is under way; under the lock of the door
}

// chunking is the library's offer of mails in chunks. It always comes, and as one write.
const chunking = "250-CHUNKING\r\n"

// Write leaves out the offer of chunks. Mail servers send a mail as a whole then.
func (c *connection) Write(b []byte) (int, error) {
	if string(b) == chunking {
		return len(b), nil
	}
	return c.Conn.Write(b)
}

// setBusy says whether a mail is under way.
func (c *connection) setBusy(busy bool) {
	c.door.mu.Lock()
	defer c.door.mu.Unlock()
	c.busy = busy
}

// SetReadDeadline is called before each command. Once the door is closed, no further command
// is read, and the library says goodbye.
func (c *connection) SetReadDeadline(t time.Time) error {
	c.door.mu.Lock()
	defer c.door.mu.Unlock()
	if c.door.closed {
		t = past
	}
	return c.Conn.SetReadDeadline(t)
}

// Close closes the connection, and admits another one.
func (c *connection) Close() error {
	c.door.mu.Lock()
	delete(c.door.open, c)
	c.door.mu.Unlock()
	return c.Conn.Close()
}
