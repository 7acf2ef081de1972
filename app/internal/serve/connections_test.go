package serve

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/httpapi"
	"github.com/problemtracking/problems/adapters/httpframe/peer"
	"github.com/problemtracking/problems/app/internal/config"
)

func TestMostConnections(t *testing.T) {
	t.Parallel()
	var s config.Settings
	s.Limits.MaxConnections, s.Storage.StoreConnections = 4096, 16
	for files, want := range map[uint64]int{
		0: 4096, 1 << 20: 4096, 1<<64 - 1: 4096, 4096 + 144: 4096, 4096 + 143: 4095, 1024: 880, 256: 112, 161: 17, 160: 16, 100: 16, 1: 16,
	} {
		if got := mostConnections(s, files); got != want {
			t.Errorf("with %d open files there can be %d connections, not %d", files, got, want)
		}
	}
	s.Limits.MaxConnections = 8
	if got := mostConnections(s, 1<<20); got != 8 {
		t.Errorf("there can be %d connections, 8 are set", got)
	}
}

// onlyOne is a listener for one connection at a time.
type onlyOne struct {
	net.Listener
	*admission
	log *bytes.Buffer
	in  chan net.Conn

	mu       sync.Mutex
	refusals []peer.Bound
}

func newOnlyOne(t *testing.T, answer func() []byte) *onlyOne {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d := &onlyOne{log: new(bytes.Buffer), in: make(chan net.Conn, 8)}
	d.admission = &admission{
		connections: peer.NewConnections(1, 1, peer.Networks{}),
		logger:      slog.New(slog.NewTextHandler(d.log, nil)),
		answer:      answer,
		slots:       make(chan struct{}, refusals),
		now:         func() time.Time { return time.Date(2015, 11, 5, 0, 0, 0, 0, time.UTC) },
		refused: func(bound peer.Bound) {
			d.mu.Lock()
			defer d.mu.Unlock()
			d.refusals = append(d.refusals, bound)
		},
	}
	d.Listener = d.limit(l)
	accepting := make(chan struct{})
	go func() {
		defer close(accepting)
		for {
			connection, err := d.Accept()
			if err != nil {
				return
			}
			d.in <- connection
		}
	}()
	t.Cleanup(func() {
		_ = d.Listener.Close()
		<-accepting
	})
	return d
}

// connect connects to the listener.
func (d *onlyOne) connect(t *testing.T) net.Conn {
	t.Helper()
	connection, err := net.Dial("tcp", d.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = connection.Close() })
	if err := connection.SetDeadline(time.Now().Add(30 * time.Second)); err != nil {
		t.Fatal(err)
	}
	return connection
}

func TestRefusedConnectionsAreTold(t *testing.T) {
	t.Parallel()
	d := newOnlyOne(t, func() []byte { return httpapi.Crowded("/tracker", "r1") })
	d.connect(t)
	inside := <-d.in
	for range 3 {
		outside := d.connect(t)
		// The request is on the way while the connection is refused.
		if _, err := io.WriteString(outside, "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"); err != nil {
			t.Fatal(err)
		}
		response, err := http.ReadResponse(bufio.NewReader(outside), nil)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != 503 || response.Header.Get("Retry-After") == "" || !response.Close ||
			response.Header.Get("Content-Type") != "application/problem+json" || !strings.Contains(string(body), `"type":"/tracker/errors/unavailable"`) {
			t.Errorf("the refusal is %+v, %s, %v", response, body, err)
		}
	}
	for range 2 { // the second time counts for nothing
		_ = inside.Close()
	}
	d.connect(t)
	again := <-d.in
	if d.connections.Count() != 1 {
		t.Errorf("%d connections are counted, not 1", d.connections.Count())
	}
	if _, ok := again.(interface{ CloseWrite() error }); !ok {
		t.Error("net/http cannot half-close a connection, which it does before it cuts off a client that still sends")
	}
	_ = again.Close()
	d.mu.Lock()
	defer d.mu.Unlock()
	if len(d.refusals) != 3 || d.refusals[0] != peer.OfAddress {
		t.Errorf("refused are %v", d.refusals)
	}
	if lines := strings.Count(d.log.String(), "\n"); lines != 1 || !strings.Contains(d.log.String(), "last=127.0.0.1/32 refused=1") {
		t.Errorf("logged is\n%s", d.log)
	}
}

// A client that speaks TLS gets nothing that it cannot read.
func TestRefusedConnectionsWithTLS(t *testing.T) {
	t.Parallel()
	d := newOnlyOne(t, nil)
	d.connect(t)
	inside := <-d.in
	defer inside.Close()
	if b, err := io.ReadAll(d.connect(t)); err != nil || len(b) > 0 {
		t.Errorf("instead of the end of the connection came %q, %v", b, err)
	}
}

// A refusal that nobody reads does not keep the others waiting.
func TestRefusalsAreBounded(t *testing.T) {
	t.Parallel()
	d := newOnlyOne(t, func() []byte { return httpapi.Crowded("", "r1") })
	d.connect(t)
	inside := <-d.in
	defer inside.Close()
	for range refusals {
		d.slots <- struct{}{}
	}
	if b, err := io.ReadAll(d.connect(t)); err != nil || len(b) > 0 {
		t.Errorf("instead of the end of the connection came %q, %v", b, err)
	}
}

func TestRefusalsAreLoggedNowAndThen(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	now := time.Date(2015, 11, 5, 0, 0, 0, 0, time.UTC)
	d := &admission{logger: slog.New(slog.NewTextHandler(&log, nil)), now: func() time.Time { return now }}
	var at []int
	for i := range 200 { // one a second
		before := log.Len()
		d.log(netip.MustParseAddr("2001:db8::1"), peer.OfAll)
		if log.Len() > before {
			at = append(at, i)
		}
		now = now.Add(time.Second)
	}
	if len(at) != 4 || at[1] != 60 || strings.Count(log.String(), "refused=60") != 3 || !strings.Contains(log.String(), "limit=all last=2001:db8::/64") {
		t.Errorf("logged after %v seconds is\n%s", at, &log)
	}
}

// Accept fails as the listener does.
func TestGuardedListenerEnds(t *testing.T) {
	t.Parallel()
	d := newOnlyOne(t, nil)
	_ = d.Listener.Close()
	if _, err := d.Accept(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a closed listener gives %v", err)
	}
}
