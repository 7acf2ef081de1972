package limits

import (
	"bufio"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"sync"

	"github.com/jackc/pgx/v5/pgproto3"
)

// capturing is a proxy between the adapter and its database. It writes down the
// statements, and changes nothing.
type capturing struct {
	listener net.Listener
	through  string // the URL of the database, by way of the proxy
	target   string // host:port
	running  sync.WaitGroup

	mu      sync.Mutex
	changed *sync.Cond
	links   map[*link]bool
	writing bool
	trips   []rawTrip
	open    rawTrip // not yet ended
	err     error   // the error of an unreadable message
}

// rawTrip has the messages before a wait for the answer to a Sync, or to a simple Query.
type rawTrip struct{ statements []rawStatement }

// rawStatement is a statement with its arguments as they were sent.
type rawStatement struct {
	sql    string
	simple bool // sent as text, parsed by the server each time
	args   [][]byte
	format []int16
}

// formatOf returns the format of an argument: 0 text, 1 binary.
func (s rawStatement) formatOf(i int) int16 {
	switch len(s.format) {
	case 0:
		return 0
	case 1:
		return s.format[0]
	}
	return s.format[i]
}

// link is one connection.
type link struct {
	prepared map[string]string       // statements by name
	portals  map[string]rawStatement // by name
	pending  int                     // answers still to come
	status   byte                    // of the last answer: I idle, T in a transaction, E in a failed one
}

// capture starts a proxy in front of the database of a URL.
func capture(databaseURL string) (*capturing, error) {
	u, err := url.Parse(databaseURL)
	if err != nil || u.Hostname() == "" {
		return nil, errors.New("capture: the URL of the database has to name a host, as in postgres://user@127.0.0.1:5432/database")
	}
	target := u.Host
	if u.Port() == "" {
		target = net.JoinHostPort(u.Hostname(), "5432")
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	query := u.Query()
	query.Set("sslmode", "disable") // or there were nothing to read
	u.Host, u.RawQuery = listener.Addr().String(), query.Encode()
	c := &capturing{listener: listener, through: u.String(), target: target, links: make(map[*link]bool)}
	c.changed = sync.NewCond(&c.mu)
	c.running.Go(c.accept)
	return c, nil
}

// Close ends the proxy. All connections through it have to be closed before.
func (c *capturing) Close() error {
	err := c.listener.Close()
	c.running.Wait()
	return err
}

// record returns the messages from the run of fn, up to the end of the last transaction.
// It is for one connection at a time.
func (c *capturing) record(ctx context.Context, fn func() error) ([]rawTrip, error) {
	c.mu.Lock()
	c.writing, c.trips, c.open = true, nil, rawTrip{}
	c.mu.Unlock()
	err := fn()

	stop := context.AfterFunc(ctx, func() { c.mu.Lock(); defer c.mu.Unlock(); c.changed.Broadcast() })
	defer stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	for err == nil && c.busy() && ctx.Err() == nil && c.err == nil {
		c.changed.Wait()
	}
	c.writing = false
	switch {
	case err != nil:
		return nil, err
	case c.err != nil:
		return nil, fmt.Errorf("capture: %w", c.err)
	case len(c.open.statements) > 0:
		return nil, errors.New("capture: statements were sent without an end")
	}
	return c.trips, ctx.Err()
}

// busy reports whether an answer or the end of a transaction is still to come.
func (c *capturing) busy() bool {
	for l := range c.links {
		if l.pending > 0 || l.status != 'I' {
			return true
		}
	}
	return false
}

func (c *capturing) accept() {
	for {
		client, err := c.listener.Accept()
		if err != nil {
			return // closed
		}
		c.running.Go(func() { c.serve(client) })
	}
}

// serve forwards a connection until one of its ends closes it.
func (c *capturing) serve(client net.Conn) {
	defer func() { _ = client.Close() }() // nobody is left to tell
	server, err := net.Dial("tcp", c.target)
	if err != nil {
		c.fail(err)
		return
	}
	defer func() { _ = server.Close() }()
	from := bufio.NewReader(client)
	if err := start(from, client, server); err != nil {
		c.fail(err)
		return
	}
	l := &link{prepared: make(map[string]string), portals: make(map[string]rawStatement), status: 'I'}
	c.mu.Lock()
	c.links[l] = true
	c.mu.Unlock()
	answers := make(chan struct{})
	go func() {
		defer close(answers)
		c.forward(bufio.NewReader(server), client, func(kind byte, body []byte) error { return c.answered(l, kind, body) })
		_ = client.Close()
	}()
	c.forward(from, server, func(kind byte, body []byte) error { return c.sent(l, kind, body) })
	_ = server.Close()
	<-answers
	c.mu.Lock()
	delete(c.links, l)
	c.changed.Broadcast()
	c.mu.Unlock()
}

// The codes in the place of a protocol version. They ask for encryption.
const (
	wantsTLS = 80877103
	wantsGSS = 80877104
)

// start forwards the first message, the only one without a kind, and refuses encryption.
func start(from io.Reader, client, server io.Writer) error {
	for {
		head := make([]byte, 8)
		if _, err := io.ReadFull(from, head); err != nil {
			return err
		}
		switch binary.BigEndian.Uint32(head[4:]) {
		case wantsTLS, wantsGSS:
			if _, err := client.Write([]byte{'N'}); err != nil {
				return err
			}
			continue
		}
		rest := make([]byte, binary.BigEndian.Uint32(head)-8)
		if _, err := io.ReadFull(from, rest); err != nil {
			return err
		}
		_, err := server.Write(append(head, rest...))
		return err
	}
}

// forward passes messages on after seen has looked at them.
func (c *capturing) forward(from *bufio.Reader, to io.Writer, seen func(kind byte, body []byte) error) {
	head := make([]byte, 5)
	for {
		if _, err := io.ReadFull(from, head); err != nil {
			return // closed
		}
		message := make([]byte, 1+binary.BigEndian.Uint32(head[1:]))
		copy(message, head)
		if _, err := io.ReadFull(from, message[len(head):]); err != nil {
			return
		}
		if err := seen(message[0], message[len(head):]); err != nil {
			c.fail(err)
		}
		if _, err := to.Write(message); err != nil {
			return
		}
	}
}

func (c *capturing) fail(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.err == nil {
		c.err = err
	}
	c.changed.Broadcast()
}

// sent notes the messages of the adapter.
func (c *capturing) sent(l *link, kind byte, body []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	switch kind {
	case 'P':
		var parse pgproto3.Parse
		if err := parse.Decode(body); err != nil {
			return err
		}
		l.prepared[parse.Name] = parse.Query
	case 'B':
		var bind pgproto3.Bind
		if err := bind.Decode(body); err != nil {
			return err
		}
		sql, ok := l.prepared[bind.PreparedStatement]
		if !ok {
			return fmt.Errorf("the statement %q was prepared by nobody", bind.PreparedStatement)
		}
		l.portals[bind.DestinationPortal] = rawStatement{sql: sql, args: bind.Parameters, format: bind.ParameterFormatCodes}
	case 'E':
		var execute pgproto3.Execute
		if err := execute.Decode(body); err != nil {
			return err
		}
		c.write(l.portals[execute.Portal])
	case 'Q':
		var query pgproto3.Query
		if err := query.Decode(body); err != nil {
			return err
		}
		c.write(rawStatement{sql: query.String, simple: true})
		c.endTrip(l)
	case 'S':
		c.endTrip(l)
	}
	return nil
}

func (c *capturing) write(s rawStatement) {
	if c.writing {
		c.open.statements = append(c.open.statements, s)
	}
}

func (c *capturing) endTrip(l *link) {
	l.pending++
	if c.writing {
		c.trips = append(c.trips, c.open)
		c.open = rawTrip{}
	}
}

// answered notes the finished messages of the server.
func (c *capturing) answered(l *link, kind byte, body []byte) error {
	if kind != 'Z' {
		return nil
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.changed.Broadcast()
	var ready pgproto3.ReadyForQuery
	if err := ready.Decode(body); err != nil {
		return err
	}
	l.pending, l.status = max(0, l.pending-1), ready.TxStatus // the first one answers the start
	return nil
}
