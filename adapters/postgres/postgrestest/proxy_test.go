package postgrestest_test

import (
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/postgres/postgrestest"
)

// patience is what anything that happens at all takes less than.
const patience = 20 * time.Second

// peer is a TCP server whose connections a test takes one by one.
type peer struct {
	net.Listener
	t *testing.T
}

func newPeer(t *testing.T) peer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	return peer{listener, t}
}

func (p peer) url() string { return "tcp://" + p.Addr().String() }

// next returns the connection that comes next.
func (p peer) next() net.Conn {
	p.t.Helper()
	conn, err := p.Accept()
	if err != nil {
		p.t.Fatal(err)
	}
	return patient(p.t, conn)
}

// dial connects to a URL's host.
func dial(t *testing.T, url string) net.Conn {
	t.Helper()
	conn, err := net.Dial("tcp", url[len("tcp://"):])
	if err != nil {
		t.Fatal(err)
	}
	return patient(t, conn)
}

func patient(t *testing.T, conn net.Conn) net.Conn {
	t.Helper()
	t.Cleanup(func() { conn.Close() })
	if err := conn.SetDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	return conn
}

func send(t *testing.T, to net.Conn, text string) {
	t.Helper()
	if _, err := io.WriteString(to, text); err != nil {
		t.Fatal(err)
	}
}

// receive reads as many bytes as text has.
func receive(t *testing.T, from net.Conn, text string) {
	t.Helper()
	got := make([]byte, len(text))
	if n, err := io.ReadFull(from, got); err != nil || string(got) != text {
		t.Errorf("received %q, %v; want %q", got[:n], err, text)
	}
}

// receiveLast reads to the end of the stream.
func receiveLast(t *testing.T, from net.Conn, text string) {
	t.Helper()
	if got, err := io.ReadAll(from); err != nil || string(got) != text {
		t.Errorf("received %q, %v before the end; want %q", got, err, text)
	}
}

// receiveReset expects an end that is none in order.
func receiveReset(t *testing.T, from net.Conn) {
	t.Helper()
	if n, err := from.Read(make([]byte, 1)); !errors.Is(err, syscall.ECONNRESET) {
		t.Errorf("received %d bytes, %v; want a reset", n, err)
	}
}

func TestProxyForwardsAndCounts(t *testing.T) {
	t.Parallel()
	server := newPeer(t)
	proxy := postgrestest.NewProxy(t, server.url())
	client, far := dial(t, proxy.URL()), server.next()
	send(t, client, "question")
	receive(t, far, "question")
	send(t, far, "a long answer")
	receive(t, client, "a long answer")
	client.Close()
	receiveLast(t, far, "")
	send(t, far, "") // the other direction is still open
	far.Close()

	second, farSecond := dial(t, proxy.URL()), server.next()
	send(t, second, "x")
	receive(t, farSecond, "x")
	// That a connection is over is known a moment later.
	got := eventually(t, proxy, func(all []postgrestest.Traffic) bool { return !all[0].Open })
	want := []postgrestest.Traffic{{ToServer: 8, ToClient: 13}, {ToServer: 1, Open: true}}
	if fmt.Sprint(got) != fmt.Sprint(want) {
		t.Errorf("the traffic is %+v; want %+v", got, want)
	}
}

func TestProxyCountsBeforeItForwards(t *testing.T) {
	t.Parallel()
	server := newPeer(t)
	proxy := postgrestest.NewProxy(t, server.url())
	client, far := dial(t, proxy.URL()), server.next()
	for n := int64(1); n <= 2000; n++ {
		send(t, client, "?")
		receive(t, far, "?")
		if got := proxy.Traffic()[0].ToServer; got != n {
			t.Fatalf("%d bytes have arrived, %d are counted", n, got)
		}
	}
}

// eventually returns the traffic as soon as it is as expected, or in the end.
func eventually(t *testing.T, proxy *postgrestest.Proxy, expected func([]postgrestest.Traffic) bool) []postgrestest.Traffic {
	t.Helper()
	tick := time.NewTicker(time.Millisecond)
	defer tick.Stop()
	end := time.After(patience)
	for {
		traffic := proxy.Traffic()
		if expected(traffic) {
			return traffic
		}
		select {
		case <-tick.C:
		case <-end:
			return traffic
		}
	}
}

func TestCutAfter(t *testing.T) {
	t.Parallel()
	const question, answer = "a question", "an answer"
	for n := range len(question) + 1 {
		t.Run(fmt.Sprintf("%d bytes to the server", n), func(t *testing.T) {
			t.Parallel()
			server := newPeer(t)
			proxy := postgrestest.NewProxy(t, server.url())
			client, far := dial(t, proxy.URL()), server.next()
			send(t, far, answer)
			receive(t, client, answer)
			done := proxy.CutAfter(postgrestest.ToServer, int64(n))
			send(t, client, question)
			receiveLast(t, far, question[:n])
			<-done
			send(t, far, answer) // nobody hears it
			receiveLast(t, client, "")
		})
	}
	for n := range len(answer) + 1 {
		t.Run(fmt.Sprintf("%d bytes to the client", n), func(t *testing.T) {
			t.Parallel()
			server := newPeer(t)
			proxy := postgrestest.NewProxy(t, server.url())
			done := proxy.CutAfter(postgrestest.ToClient, int64(n))
			client, far := dial(t, proxy.URL()), server.next()
			send(t, client, question)
			receive(t, far, question)
			send(t, far, answer)
			receiveLast(t, client, answer[:n])
			receiveLast(t, far, "")
			<-done
		})
	}
}

func TestCutAfterCountsAllConnections(t *testing.T) {
	t.Parallel()
	server := newPeer(t)
	proxy := postgrestest.NewProxy(t, server.url())
	first, farFirst := dial(t, proxy.URL()), server.next()
	second, farSecond := dial(t, proxy.URL()), server.next()
	replaced := proxy.CutAfter(postgrestest.ToServer, 1)
	proxy.CutAfter(postgrestest.ToServer, 5)
	send(t, first, "abc")
	receive(t, farFirst, "abc")
	send(t, second, "abc")
	receiveLast(t, farSecond, "ab")
	send(t, first, "still open")
	receive(t, farFirst, "still open")

	proxy.CutAfter(postgrestest.ToServer, 1)
	proxy.CutNever()
	send(t, first, "still")
	receive(t, farFirst, "still")
	select {
	case <-replaced:
		t.Error("an order that was replaced is reported as carried out")
	default:
	}
}

// Whatever the connections do at the same time, the order is carried out with the
// byte that it names.
func TestCutAfterIsExactUnderConcurrency(t *testing.T) {
	t.Parallel()
	const clients, each = 8, 10_000
	server := newPeer(t)
	proxy := postgrestest.NewProxy(t, server.url())
	done := proxy.CutAfter(postgrestest.ToServer, clients*each+1)
	var all sync.WaitGroup
	var near, far [clients]net.Conn
	for i := range clients {
		near[i], far[i] = dial(t, proxy.URL()), server.next()
		all.Go(func() {
			for range each / 100 {
				if _, err := near[i].Write(make([]byte, 100)); err != nil {
					t.Error(err)
				}
			}
		})
		all.Go(func() {
			if _, err := io.ReadFull(far[i], make([]byte, each)); err != nil {
				t.Error(err)
			}
		})
	}
	all.Wait()
	select {
	case <-done:
		t.Fatal("a connection was cut a byte too early")
	default:
	}
	send(t, near[0], "last")
	receiveLast(t, far[0], "l")
	<-done
}

func TestCutNow(t *testing.T) {
	t.Parallel()
	server := newPeer(t)
	proxy := postgrestest.NewProxy(t, server.url())
	client, far := dial(t, proxy.URL()), server.next()
	proxy.CutNow()
	receiveReset(t, client)
	receiveReset(t, far)
	client, far = dial(t, proxy.URL()), server.next()
	send(t, client, "again")
	receive(t, far, "again")
}

func TestRefuse(t *testing.T) {
	t.Parallel()
	server := newPeer(t)
	proxy := postgrestest.NewProxy(t, server.url())
	open, far := dial(t, proxy.URL()), server.next()
	proxy.Refuse(true)
	// On a busy machine the reset may come before the connection is made.
	if client, err := net.Dial("tcp", proxy.URL()[len("tcp://"):]); err == nil {
		t.Cleanup(func() { _ = client.Close() })
		receiveReset(t, client)
	} else if !errors.Is(err, syscall.ECONNRESET) {
		t.Error(err)
	}
	send(t, open, "open")
	receive(t, far, "open")
	proxy.Refuse(false)
	client := dial(t, proxy.URL())
	send(t, client, "accepted")
	receive(t, server.next(), "accepted")
}

func TestStall(t *testing.T) {
	t.Parallel()
	server := newPeer(t)
	proxy := postgrestest.NewProxy(t, server.url())
	client, far := dial(t, proxy.URL()), server.next()
	proxy.Stall(true)
	send(t, client, "later")
	if err := far.SetReadDeadline(time.Now().Add(50 * time.Millisecond)); err != nil {
		t.Fatal(err)
	}
	if n, err := far.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("received %d bytes, %v through a proxy that stalls", n, err)
	}
	if err := far.SetReadDeadline(time.Now().Add(patience)); err != nil {
		t.Fatal(err)
	}
	proxy.Stall(false)
	receive(t, far, "later")

	proxy.Stall(true)
	send(t, client, "lost")
	proxy.CutNow()
	receiveReset(t, far)
}

func TestSetTarget(t *testing.T) {
	t.Parallel()
	before, after := newPeer(t), newPeer(t)
	proxy := postgrestest.NewProxy(t, before.url())
	old, far := dial(t, proxy.URL()), before.next()
	proxy.SetTarget(after.url())
	client := dial(t, proxy.URL())
	send(t, client, "new")
	receive(t, after.next(), "new")
	send(t, old, "old")
	receive(t, far, "old")

	after.Close()
	conn, err := net.Dial("tcp", proxy.URL()[len("tcp://"):])
	if errors.Is(err, syscall.ECONNRESET) {
		return // the reset was there before the connection
	}
	if err != nil {
		t.Fatal(err)
	}
	receiveReset(t, patient(t, conn))
}
