package serve

import (
	"io"
	"log/slog"
	"net"
	"net/netip"
	"sync"
	"time"

	"github.com/problemtracking/problems/adapters/httpframe/peer"
	"github.com/problemtracking/problems/app/internal/config"
)

const (
	// spareFiles is the number of open files beside the connections of clients and of the
	// store.
	spareFiles = 128
	// fewestConnections are possible however few files the service can open.
	fewestConnections = 16
	// refusals is how many connections are told at a time why they are refused. All
	// others are just closed.
	refusals = 64
	// refusing is the time for a client to read the refusal.
	refusing = time.Second
	// refusedLine is how often refused connections are logged.
	refusedLine = time.Minute
)

// MostConnections returns how many connections of clients a service with these settings
// can have in this process.
func MostConnections(s config.Settings) int { return mostConnections(s, openFiles()) }

// mostConnections returns how many connections of clients the settings allow, as far
// as the limit of open files does; 0 stands for no such limit.
func mostConnections(s config.Settings, files uint64) int {
	most := s.Limits.MaxConnections
	if files == 0 {
		return most
	}
	spare := uint64(spareFiles + s.Storage.StoreConnections)
	return min(most, fewestConnections+int(min(files-min(files, spare+fewestConnections), 1<<30)))
}

// admission limits the number of connections.
type admission struct {
	connections *peer.Connections
	logger      *slog.Logger
	now         func() time.Time
	refused     func(peer.Bound) // reports each refused connection
	// answer returns the answer to a refused client. nil: no client would understand it.
	answer func() []byte
	slots  chan struct{}

	mu       sync.Mutex
	line     time.Time // when refused connections were logged last
	unlogged int
}

// limit returns a listener for the admitted connections.
func (a *admission) limit(l net.Listener) net.Listener { return &limitedListener{l, a} }

// limitedListener is a listener for admitted connections only.
type limitedListener struct {
	net.Listener
	*admission
}

// Accept returns the next admitted connection.
func (l *limitedListener) Accept() (net.Conn, error) {
	for {
		accepted, err := l.Listener.Accept()
		if err != nil {
			return nil, err
		}
		connection, address := accepted.(*net.TCPConn), addressOf(accepted)
		bound := l.connections.Open(address)
		if bound == peer.None {
			bufferLittle(connection)
			return &counted{TCPConn: connection, closed: sync.OnceFunc(func() { l.connections.Close(address) })}, nil
		}
		l.refuse(connection, address, bound)
	}
}

// The bytes in the system's buffers for one connection in each direction; Linux doubles
// them. By itself it would hold megabytes for each client with a faster or slower end. In
// a container with a limit this is memory of the server. Linux wakes a writer only once a third
// of the buffer is free. So a client needs some 200 kbit/s to take each piece in time.
const (
	receiveBuffer = 64 << 10
	sendBuffer    = 128 << 10
)

// bufferLittle bounds the buffers of a connection. Where it cannot, they are as they were.
func bufferLittle(connection *net.TCPConn) {
	_ = connection.SetReadBuffer(receiveBuffer)
	_ = connection.SetWriteBuffer(sendBuffer)
}

// addressOf returns the other end of a connection.
func addressOf(connection net.Conn) netip.Addr {
	if tcp, ok := connection.RemoteAddr().(*net.TCPAddr); ok {
		return tcp.AddrPort().Addr()
	}
	return netip.Addr{}
}

// refuse closes a connection, with the reason if it costs little.
func (a *admission) refuse(connection *net.TCPConn, address netip.Addr, bound peer.Bound) {
	a.refused(bound)
	a.log(address, bound)
	if a.answer != nil {
		select {
		case a.slots <- struct{}{}:
			go func() {
				defer func() { <-a.slots }()
				tell(connection, a.answer())
			}()
			return
		default:
		}
	}
	_ = connection.Close()
}

// tell sends an answer and closes the connection. It reads the client's bytes first: the
// system would take the answer back otherwise.
func tell(connection *net.TCPConn, answer []byte) {
	defer func() { _ = connection.Close() }()
	if connection.SetDeadline(time.Now().Add(refusing)) != nil {
		return
	}
	if _, err := connection.Write(answer); err != nil || connection.CloseWrite() != nil {
		return
	}
	_, _ = io.Copy(io.Discard, io.LimitReader(connection, 64<<10))
}

// log logs refused connections: at once, and then every now and then.
func (a *admission) log(address netip.Addr, bound peer.Bound) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.unlogged++
	if now := a.now(); a.line.IsZero() || now.Sub(a.line) >= refusedLine || now.Before(a.line) {
		a.logger.Warn("connections are refused: there are too many", "limit", string(bound), "last", peer.Subnet(address).String(), "refused", a.unlogged)
		a.line, a.unlogged = now, 0
	}
}

// counted is an admitted connection.
type counted struct {
	*net.TCPConn
	closed func()
}

// Close makes room for another one.
func (c *counted) Close() error {
	c.closed()
	return c.TCPConn.Close()
}
