package postgrestest

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"slices"
	"strings"
	"sync"
	"time"
)

// sessions passes connections on to a server. It keeps the session of a client that ends
// in order, and gives it to the next client with the same parameters: a session is a
// process of the server, with caches of its own, and to start one takes a short test longer
// than its statements. DISCARD ALL lies between two clients, so the second finds a session
// as new. The session of a client that only vanishes ends, as it would without this.
type sessions struct {
	server string // host and port
	net.Listener

	mu   sync.Mutex
	all  map[*session]struct{}
	idle []*session // the one of the latest client last
}

// mostIdle is how many sessions wait for a client at most: the server also needs room for
// those with one.
const mostIdle = 64

// Codes in place of the version in a startup message.
const (
	cancelRequest = 80877102
	sslRequest    = 80877103
	gssRequest    = 80877104
)

// longest is how many bytes a startup message may have.
const longest = 10_000

func newSessions(server string) (*sessions, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &sessions{server: server, Listener: listener, all: make(map[*session]struct{})}
	go func() {
		for {
			client, err := p.Accept()
			if err != nil {
				return
			}
			go p.serve(client)
		}
	}()
	return p, nil
}

// pids returns the process numbers of all sessions.
func (p *sessions) pids() []int64 {
	pids := []int64{}
	for _, s := range p.with("") {
		s.mu.Lock()
		pids = append(pids, s.pid)
		s.mu.Unlock()
	}
	return pids
}

// with returns the sessions of clients with a parameter, written as name=value; all of them
// for "".
func (p *sessions) with(parameter string) (found []*session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for s := range p.all {
		if parameter == "" || slices.Contains(strings.Split(s.wanted, "\x00"), parameter) {
			found = append(found, s)
		}
	}
	return found
}

// leaving is how long a client may take to end that has said so.
const leaving = time.Second

// detach waits until the sessions of clients with a parameter are without a client. It
// ends those whose client stays.
func (p *sessions) detach(parameter string) {
	for begun := time.Now(); ; time.Sleep(time.Millisecond) {
		busy := false
		for _, s := range p.with(parameter) {
			s.mu.Lock()
			attached := s.client != nil
			s.mu.Unlock()
			busy = busy || attached
			if attached && time.Since(begun) > leaving {
				s.end()
			}
		}
		if !busy {
			return
		}
	}
}

// serve passes on one connection of a client.
func (p *sessions) serve(client net.Conn) {
	defer func() { _ = client.Close() }() // how it ends is nothing to it
	for {
		startup, code, err := readStartup(client)
		switch {
		case err != nil:
			return
		case code == sslRequest || code == gssRequest:
			if _, err := client.Write([]byte{'N'}); err != nil {
				return
			}
		case code == cancelRequest:
			p.cancel(startup)
			return
		default:
			p.attach(client, startup)
			return
		}
	}
}

// readStartup returns a startup message and its code.
func readStartup(client io.Reader) ([]byte, uint32, error) {
	head := make([]byte, 8)
	if _, err := io.ReadFull(client, head); err != nil {
		return nil, 0, err
	}
	length := binary.BigEndian.Uint32(head)
	if length < 8 || length > longest {
		return nil, 0, errors.New("no startup message of PostgreSQL")
	}
	message := make([]byte, length)
	copy(message, head)
	_, err := io.ReadFull(client, message[8:])
	return message, binary.BigEndian.Uint32(head[4:]), err
}

// cancel returns when the server has the request, as it does for its own clients.
func (p *sessions) cancel(request []byte) {
	server, err := net.Dial("tcp", p.server)
	if err != nil {
		return
	}
	defer func() { _ = server.Close() }()
	if _, err := server.Write(request); err == nil {
		_, _ = io.Copy(io.Discard, server)
	}
}

// attach gives a session to a client until the client ends.
func (p *sessions) attach(client net.Conn, startup []byte) {
	wanted := parametersOf(startup)
	s := p.pop(wanted)
	if s == nil {
		server, err := net.Dial("tcp", p.server)
		if err != nil {
			return
		}
		s = &session{of: p, wanted: wanted, Conn: server, parameters: make(map[string][]byte)}
		s.client = client
		p.mu.Lock()
		p.all[s] = struct{}{}
		p.mu.Unlock()
		go s.answer()
		if _, err := server.Write(startup); err != nil {
			s.end()
			return
		}
	} else if !s.greet(client) {
		s.end()
		return
	}
	if !s.ask(client) || !s.reset() {
		s.end()
	}
}

// parametersOf returns the parameters in a startup message, in an order that does not depend
// on the client.
func parametersOf(startup []byte) string {
	texts := strings.Split(strings.TrimRight(string(startup[8:]), "\x00"), "\x00")
	var all []string
	for pair := range slices.Chunk(texts, 2) {
		all = append(all, strings.Join(pair, "="))
	}
	slices.Sort(all)
	return strings.Join(all, "\x00")
}

// pop returns an idle session with these parameters; nil if there is none.
func (p *sessions) pop(wanted string) *session {
	p.mu.Lock()
	defer p.mu.Unlock()
	for i, s := range slices.Backward(p.idle) {
		if s.wanted == wanted {
			p.idle = slices.Delete(p.idle, i, i+1)
			return s
		}
	}
	return nil
}

// push keeps an idle session, and ends the longest idle one if there are too many.
func (p *sessions) push(s *session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.idle = append(p.idle, s)
	if len(p.idle) > mostIdle {
		p.idle[0].end()
		p.idle = slices.Delete(p.idle, 0, 1)
	}
}

// remove forgets a session that has ended.
func (p *sessions) remove(s *session) {
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.all, s)
	p.idle = slices.DeleteFunc(p.idle, func(other *session) bool { return other == s })
}

// session is a connection to the server.
type session struct {
	of     *sessions
	wanted string // the parameters of its clients
	net.Conn
	pid int64

	mu         sync.Mutex
	client     net.Conn          // nil between two clients
	parameters map[string][]byte // the messages about parameters, by name
	key        []byte            // the message with the key for cancel requests
	due        int               // how many ReadyForQuery the server owes
	status     byte              // of the last one
	failed     bool              // an error came since the last client's end
}

// end closes the connection to the server. The goroutine of answer does the rest.
func (s *session) end() { _ = s.Conn.Close() }

// greet answers a further client as the server answered the first one.
func (s *session) greet(client net.Conn) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.client = client
	greeting := bytes.NewBuffer([]byte{'R', 0, 0, 0, 8, 0, 0, 0, 0})
	for _, message := range s.parameters {
		greeting.Write(message)
	}
	greeting.Write(s.key)
	greeting.Write([]byte{'Z', 0, 0, 0, 5, 'I'})
	_, err := client.Write(greeting.Bytes())
	return err == nil
}

// ask passes on the messages of a client. It reports whether the client has ended in order.
func (s *session) ask(client net.Conn) bool {
	from, to := bufio.NewReader(client), bufio.NewWriter(s.Conn)
	for {
		kind, length, err := next(from)
		if err != nil {
			return false
		}
		switch kind {
		case 'X':
			return true
		case 'Q', 'S', 'F':
			s.mu.Lock()
			s.due++
			s.mu.Unlock()
		}
		if _, err := io.CopyN(to, from, length); err != nil {
			return false
		}
		if from.Buffered() == 0 && to.Flush() != nil {
			return false
		}
	}
}

// next returns the type and the whole length of the next message, and leaves it unread.
func next(from *bufio.Reader) (kind byte, length int64, err error) {
	head, err := from.Peek(5)
	if err != nil {
		return 0, 0, err
	}
	return head[0], int64(binary.BigEndian.Uint32(head[1:])) + 1, nil
}

// reset makes the session as new. It reports whether it tries: not when the client left
// something unanswered, or a transaction open.
func (s *session) reset() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.due > 0 || s.status != 'I' || s.key == nil {
		return false
	}
	_ = s.client.Close()
	s.client, s.failed, s.due = nil, false, 1
	const statement = "DISCARD ALL\x00"
	message := binary.BigEndian.AppendUint32([]byte{'Q'}, uint32(len(statement)+4))
	_, err := s.Write(append(message, statement...))
	return err == nil
}

// answer passes on the messages of the server, until its end.
func (s *session) answer() {
	defer func() {
		s.of.remove(s)
		s.end()
		s.mu.Lock()
		defer s.mu.Unlock()
		if s.client != nil {
			_ = s.client.Close()
		}
	}()
	from, to := bufio.NewReader(s.Conn), bufio.NewWriter(io.Discard)
	var last net.Conn
	for {
		kind, length, err := next(from)
		if err != nil {
			_ = to.Flush() // the last message says why
			return
		}
		var message []byte
		if kind == 'S' || kind == 'K' || kind == 'Z' {
			message = make([]byte, length)
			if _, err := io.ReadFull(from, message); err != nil {
				return
			}
		}
		client, free, usable := s.note(kind, message)
		if free {
			if !usable {
				return
			}
			s.of.push(s)
			continue
		}
		if client != last {
			last = client
			to.Reset(io.Discard)
			if client != nil {
				to.Reset(client)
			}
		}
		if message != nil {
			_, err = to.Write(message)
		} else {
			_, err = io.CopyN(to, from, length)
		}
		if err != nil || from.Buffered() == 0 && to.Flush() != nil {
			return
		}
	}
}

// note records what a message says of the session, and returns its client. The session is
// free when it has none and nothing is due; it is usable if nothing failed on the way.
func (s *session) note(kind byte, message []byte) (client net.Conn, free, usable bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch kind {
	case 'S':
		name, _, _ := bytes.Cut(message[5:], []byte{0})
		s.parameters[string(name)] = message
	case 'K':
		s.key, s.pid = message, int64(binary.BigEndian.Uint32(message[5:]))
	case 'E':
		s.failed = true
	case 'Z':
		s.due, s.status = max(0, s.due-1), message[5]
	}
	return s.client, s.client == nil && kind == 'Z', !s.failed && s.status == 'I'
}
