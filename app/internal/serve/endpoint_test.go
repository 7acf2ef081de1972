package serve

import (
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/httpapi"
	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/adapters/memory"
	"github.com/problemtracking/problems/app/internal/config"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/usecases"
)

func TestNetworkOf(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"0.0.0.0:80": "tcp4", "127.0.0.1:0": "tcp4", "[::]:80": "tcp", "[::1]:80": "tcp", ":80": "tcp", "localhost:80": "tcp", "[::ffff:127.0.0.1]:80": "tcp",
	} {
		if got := networkOf(address); got != want {
			t.Errorf("%s is listened on by %s, not %s", address, got, want)
		}
	}
}

// All addresses of IPv4 are none of IPv6.
func TestListenOnIPv4Alone(t *testing.T) {
	t.Parallel()
	e := &endpoint{address: "0.0.0.0:0", server: new(http.Server)}
	if err := e.listen(t.Context()); err != nil {
		t.Fatal(err)
	}
	defer e.listener.Close()
	_, port, err := net.SplitHostPort(e.listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	connection, err := net.Dial("tcp4", "127.0.0.1:"+port)
	if err != nil {
		t.Fatal(err)
	}
	_ = connection.Close()
	if connection, err := net.Dial("tcp6", "[::1]:"+port); err == nil {
		_ = connection.Close()
		t.Error("--listen 0.0.0.0 also listens on IPv6")
	}
}

// A stream has no handler, but a stop waits for its end all the same.
func TestDrainWaitsForStreams(t *testing.T) {
	t.Parallel()
	service, token := seeded(t)
	stop := newStopping()
	ending, ended := make(chan struct{}), make(chan struct{})
	streams := httpapi.NewStreams(1, 1, nil)
	handler, err := httpapi.New(httpapi.Options{
		Service: service, Limits: httpapi.DefaultLimits(), Now: time.Now, NewRequestID: func() string { return "r1" },
		Logger: slog.New(slog.DiscardHandler), Streams: streams, Stopping: stop,
		Observe: func(httpframe.Exchange) {
			close(ending)
			<-ended
		},
	})
	if err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	r, err := http.NewRequestWithContext(t.Context(), http.MethodGet, server.URL+"/api/20151105/events", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", token)
	r.Header.Set("Accept", "text/event-stream")
	response, err := server.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()

	e := &endpoint{server: server.Config, listener: server.Listener, streams: streams}
	drained := make(chan error)
	stop.begin()
	go func() {
		drained <- e.drain(context.WithoutCancel(t.Context()), time.Minute, slog.New(slog.DiscardHandler))
	}()
	<-ending
	select {
	case <-drained:
		close(ended)
		t.Fatal("the endpoint is drained before its stream is over")
	default:
	}
	if streams.Open() != 1 {
		t.Errorf("%d streams are open, want one", streams.Open())
	}
	close(ended)
	if err := <-drained; err != nil || streams.Open() != 0 {
		t.Errorf("after the end of the stream %d are open: %v", streams.Open(), err)
	}
}

// TestLastConnectionIsAnswered stops an endpoint after a client has connected, and before
// it sends its request.
func TestLastConnectionIsAnswered(t *testing.T) {
	t.Parallel()
	inner, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	var open atomic.Int64
	connected := make(chan struct{})
	server := &http.Server{
		Handler: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "answered") }),
		ConnState: func(_ net.Conn, state http.ConnState) {
			switch state {
			case http.StateNew:
				open.Add(1)
				close(connected)
			case http.StateClosed:
				open.Add(-1)
			}
		},
	}
	// The first look of the endpoint lets the client go on.
	stopping := make(chan struct{})
	looked := sync.OnceFunc(func() { close(stopping) })
	e := &endpoint{listener: inner, server: server, open: func() int { looked(); return int(open.Load()) }}
	e.serving.Go(func() {
		if err := e.serve(); err != nil {
			t.Error(err)
		}
	})
	client, err := net.Dial("tcp", inner.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = client.Close() }()
	answer := make(chan string, 1)
	go func() {
		<-stopping
		_, _ = io.WriteString(client, "GET / HTTP/1.1\r\nHost: x\r\n\r\n")
		body, err := io.ReadAll(client)
		answer <- fmt.Sprint(string(body), err)
	}()
	<-connected
	if err := e.drain(t.Context(), time.Minute, slog.New(slog.DiscardHandler)); err != nil {
		t.Error(err)
	}
	if got := <-answer; !strings.HasPrefix(got, "HTTP/1.1 200 OK") || !strings.Contains(got, "Connection: close") || !strings.HasSuffix(got, "answered<nil>") {
		t.Errorf("the client got %q", got)
	}
}

// stalling is a connection of a client that takes nothing once it has stalled.
type stalling struct {
	net.Conn
	stalled <-chan struct{}
	closed  <-chan struct{}
}

func (c stalling) Read(b []byte) (int, error) {
	select {
	case <-c.stalled:
		<-c.closed
		return 0, net.ErrClosed
	default:
		return c.Conn.Read(b)
	}
}

// littleListener has the buffers of the service for its connections.
type littleListener struct{ net.Listener }

func (l littleListener) Accept() (net.Conn, error) {
	accepted, err := l.Listener.Accept()
	if err == nil {
		bufferLittle(accepted.(*net.TCPConn))
	}
	return accepted, err
}

// A client of HTTP/2 can stall its whole connection: nothing tells it then of the end of an
// answer. The handler ends all the same.
func TestStalledConnectionOfHTTP2Ends(t *testing.T) {
	t.Parallel()
	stalled, closed, ended := make(chan struct{}), make(chan struct{}), make(chan struct{})
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(ended)
		if r.ProtoMajor != 2 {
			t.Errorf("the request is of %s", r.Proto)
		}
		if err := http.NewResponseController(w).Flush(); err != nil {
			t.Error(err)
		}
		<-stalled
		for {
			if _, err := w.Write(make([]byte, 64<<10)); err != nil {
				return
			}
		}
	})
	server := httptest.NewUnstartedServer(handler)
	settings := config.Settings{Timeouts: config.Timeouts{WriteTimeout: time.Second}}
	server.Config = newAPI(settings, handler, nil, slog.New(slog.DiscardHandler)).server
	if limits := server.Config.HTTP2; limits == nil || limits.WriteByteTimeout != httpframe.PieceTime || limits.MaxConcurrentStreams != httpframe.MostStreams {
		t.Fatalf("the limits of HTTP/2 are %+v, want an end of silence after %v, and %d streams", limits, httpframe.PieceTime, httpframe.MostStreams)
	}
	server.Config.HTTP2.WriteByteTimeout = time.Second // also for the handshake, beside other tests
	server.Listener = littleListener{server.Listener}
	server.EnableHTTP2 = true
	server.StartTLS()
	t.Cleanup(func() {
		close(closed)
		server.CloseClientConnections()
		server.Close()
	})
	server.Client().Transport.(*http.Transport).DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		conn, err := new(net.Dialer).DialContext(ctx, network, address)
		return stalling{conn, stalled, closed}, err
	}
	response, err := server.Client().Get(server.URL)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = response.Body.Close() }()
	close(stalled)
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Error("the handler goes on although nobody takes its answer")
	}
}

// seeded returns a service on a new store in memory, and the token of its first
// administrator.
func seeded(t *testing.T) (*usecases.All, string) {
	t.Helper()
	inMemory, err := memory.Open(t.Context(), memory.Options{})
	if err != nil {
		t.Fatal(err)
	}
	service := usecases.New(tracker.Options{Store: inMemory, Now: time.Now, Random: rand.Reader, Limits: tracker.DefaultLimits()}, nil)
	secret, err := service.NewSecret()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := service.Seed(t.Context(), secret); err != nil {
		t.Fatal(err)
	}
	return service, secret.Reveal()
}
