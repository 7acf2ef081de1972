package postgrestest

import (
	"errors"
	"io"
	"net"
	"net/url"
	"sync"
	"time"
)

// dialLimit is how long a proxy tries to reach its target.
const dialLimit = 10 * time.Second

// Direction is one of the two directions of bytes through a [Proxy].
type Direction int

// The directions.
const (
	ToServer Direction = iota
	ToClient
)

// Traffic counts the bytes of one connection forwarded by a [Proxy]. Bytes count once an
// end has received them.
type Traffic struct {
	ToServer, ToClient int64
	Open               bool // false once either end has closed it, or the proxy has cut it
}

// Proxy forwards TCP connections on 127.0.0.1 to a server, and disturbs them when
// it is told to. Its methods may be called by any goroutine.
type Proxy struct {
	t        T
	url      url.URL
	listener net.Listener
	running  sync.WaitGroup

	mu      sync.Mutex
	wake    *sync.Cond // the moment at which a delayed connection may go on
	target  string     // host:port
	refuse  bool
	stalled bool
	closed  bool
	cut     *cut // nil: none is to come
	links   []*link
}

// cut is an order to cut a connection.
type cut struct {
	direction Direction
	left      int64 // bytes to forward before
	done      chan struct{}
}

// link is one connection.
type link struct {
	client, server *net.TCPConn // server is nil until it is reached
	forwarded      [2]int64     // by direction
	cut            bool         // later bytes are dropped
	over           bool
}

// NewProxy returns a proxy in front of the server of a URL. It ends with the test.
func NewProxy(t T, targetURL string) *Proxy {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatalf("a proxy for tests: %v", err)
	}
	target, err := url.Parse(targetURL)
	if err != nil || target.Host == "" {
		t.Fatalf("a proxy for tests: the target has to be a URL with a host and a port")
	}
	p := &Proxy{t: t, url: *target, listener: listener, target: target.Host}
	p.url.Host = listener.Addr().String()
	p.wake = sync.NewCond(&p.mu)
	p.running.Go(p.accept)
	t.Cleanup(p.close)
	return p
}

// URL is that of the target, but through the proxy.
func (p *Proxy) URL() string { return p.url.String() }

// SetTarget sends later connections to the server of another URL.
func (p *Proxy) SetTarget(targetURL string) {
	p.t.Helper()
	target, err := url.Parse(targetURL)
	if err != nil || target.Host == "" {
		p.t.Errorf("a proxy for tests: the target has to be a URL with a host and a port")
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.target = target.Host
}

// CutAfter cuts a connection once exactly n more bytes have gone in a direction, all
// connections together: the connection of the last byte. With 0 it is the next connection
// with something to forward, and the proxy does not forward it. Both ends read the
// forwarded bytes and then the end of the stream; the proxy drops whatever they still
// send. So the same bytes arrive every time, unlike with CutNow. In the other direction
// the bytes answered by then arrive.
//
// The channel is closed when the connection is cut. Another call replaces a pending cut.
func (p *Proxy) CutAfter(direction Direction, n int64) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = &cut{direction: direction, left: n, done: make(chan struct{})}
	return p.cut.done
}

// CutNever withdraws a pending CutAfter.
func (p *Proxy) CutNever() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.cut = nil
}

// CutNow resets all connections. Bytes on their way may be lost.
func (p *Proxy) CutNow() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, l := range p.links {
		l.reset()
	}
	p.wake.Broadcast()
}

// Refuse makes the proxy reset new connections at once, before a byte is
// forwarded, for as long as it is set.
func (p *Proxy) Refuse(refuse bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refuse = refuse
}

// Stall holds back all bytes of all connections, also of new ones, for as long as
// it is set. Then they go on: none is lost.
func (p *Proxy) Stall(stall bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.stalled = stall
	p.wake.Broadcast()
}

// Traffic returns the bytes of each connection so far, in the order of the connections.
func (p *Proxy) Traffic() []Traffic {
	p.mu.Lock()
	defer p.mu.Unlock()
	traffic := make([]Traffic, len(p.links))
	for i, l := range p.links {
		traffic[i] = Traffic{ToServer: l.forwarded[ToServer], ToClient: l.forwarded[ToClient], Open: !l.cut && !l.over}
	}
	return traffic
}

func (p *Proxy) close() {
	p.mu.Lock()
	p.closed = true
	p.mu.Unlock()
	_ = p.listener.Close()
	p.CutNow()
	p.running.Wait()
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return // closed
		}
		l := &link{client: client.(*net.TCPConn)}
		p.mu.Lock()
		if p.refuse || p.closed {
			l.reset()
		} else {
			p.links = append(p.links, l)
			p.running.Go(func() { p.serve(l) })
		}
		p.mu.Unlock()
	}
}

// serve forwards both directions of a connection until both have ended.
func (p *Proxy) serve(l *link) {
	p.mu.Lock()
	p.holdBack(l)
	target := p.target
	p.mu.Unlock()
	server, err := net.DialTimeout("tcp", target, dialLimit)
	p.mu.Lock()
	if err == nil {
		l.server = server.(*net.TCPConn)
	}
	if err != nil || l.over { // not reached, or reset meanwhile
		l.reset()
		p.mu.Unlock()
		return
	}
	p.mu.Unlock()

	var directions sync.WaitGroup
	directions.Go(func() { p.forward(l, ToServer, l.client, l.server) })
	directions.Go(func() { p.forward(l, ToClient, l.server, l.client) })
	directions.Wait()

	p.mu.Lock()
	defer p.mu.Unlock()
	l.over = true
	_ = l.client.Close()
	_ = l.server.Close()
}

// holdBack returns when bytes of a connection may go on. The caller has locked p.
func (p *Proxy) holdBack(l *link) {
	for p.stalled && !l.cut && !l.over {
		p.wake.Wait()
	}
}

// forward copies one direction of a connection, the end of the stream included.
func (p *Proxy) forward(l *link, direction Direction, from, to *net.TCPConn) {
	buffer := make([]byte, 32<<10)
	for {
		n, err := from.Read(buffer)
		if n > 0 {
			p.pass(l, direction, to, buffer[:n])
		}
		if err == nil {
			continue
		}
		if errors.Is(err, io.EOF) {
			_ = to.CloseWrite()
			return
		}
		p.mu.Lock()
		l.reset() // the other end sees a disorderly end
		p.wake.Broadcast()
		p.mu.Unlock()
		return
	}
}

// pass forwards bytes, but not past a cut. Errors of writing are left to the reader of
// that end.
func (p *Proxy) pass(l *link, direction Direction, to *net.TCPConn, bytes []byte) {
	p.mu.Lock()
	p.holdBack(l)
	if l.cut || l.over {
		p.mu.Unlock()
		return
	}
	var last *cut
	if c := p.cut; c != nil && c.direction == direction {
		if int64(len(bytes)) >= c.left {
			bytes, last, p.cut = bytes[:c.left], c, nil
		} else {
			c.left -= int64(len(bytes))
		}
	}
	l.forwarded[direction] += int64(len(bytes)) // before the other end can have answered
	p.mu.Unlock()

	_, _ = to.Write(bytes)

	p.mu.Lock()
	defer p.mu.Unlock()
	if last != nil {
		// Not reset or closed: either would make an end lose unread bytes.
		l.cut = true
		_ = l.client.CloseWrite()
		_ = l.server.CloseWrite()
		close(last.done)
		p.wake.Broadcast()
	}
}

// reset ends a connection; its ends see an error. The caller has locked the proxy.
func (l *link) reset() {
	l.over = true
	for _, conn := range []*net.TCPConn{l.client, l.server} {
		if conn != nil {
			_ = conn.SetLinger(0)
			_ = conn.Close()
		}
	}
}
