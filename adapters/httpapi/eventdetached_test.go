package httpapi

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/streams"
	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/domain/budget"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/usecases"
)

// socketFixture is a service behind real connections.
type socketFixture struct {
	*fixedStore
	*httptest.Server
	streams  *Streams
	memory   *budget.Budget
	stop     context.CancelFunc
	observed chan httpframe.Exchange
}

func onSocket(t *testing.T, feed []event.Entry, options ...func(*Options)) socketFixture {
	t.Helper()
	stopping, stop := context.WithCancel(context.Background())
	f := socketFixture{fixedStore: newFixedStore(), streams: NewStreams(10, 10, nil), memory: budget.New(64 << 20), stop: stop, observed: make(chan httpframe.Exchange, 10)}
	f.feed = feed
	handler := setup(t, func(o *Options) {
		o.Service = usecases.New(tracker.Options{Store: f.fixedStore, Now: time.Now, Random: zeros{}, Limits: tracker.DefaultLimits(), FeedPoll: time.Millisecond}, nil)
		o.Now, o.Stopping, o.Streams, o.Memory = time.Now, stopping, f.streams, f.memory
		o.Observe = func(x httpframe.Exchange) { f.observed <- x }
		for _, set := range options {
			set(o)
		}
	})
	f.Server = httptest.NewUnstartedServer(handler)
	t.Cleanup(func() {
		stop()
		f.Server.Close()
	})
	return f
}

// open opens a stream, and returns its answer.
func (f socketFixture) open(t *testing.T, path string) *http.Response {
	t.Helper()
	r := request("GET", api+path, "", "Accept", "text/event-stream").WithContext(t.Context())
	r.RequestURI = ""
	var err error
	if r.URL, err = r.URL.Parse(f.URL + r.URL.String()); err != nil {
		t.Fatal(err)
	}
	response, err := f.Client().Do(r)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = response.Body.Close() })
	if response.StatusCode != 200 {
		t.Fatalf("the stream has the status %d", response.StatusCode)
	}
	return response
}

// readIDs reads identifiers of a stream, without those of data.
func readIDs(t *testing.T, lines *bufio.Reader, n int) (ids []string, bytes int) {
	t.Helper()
	for len(ids) < n {
		line, err := lines.ReadString('\n')
		if err != nil {
			t.Fatalf("after %q: %v", ids, err)
		}
		bytes += len(line)
		if id, ok := strings.CutPrefix(line, "id: "); ok {
			ids = append(ids, strings.TrimSpace(id))
		}
	}
	return ids, bytes
}

// wait returns when no stream is left.
func (f socketFixture) wait(t *testing.T) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	if err := f.streams.Wait(ctx); err != nil {
		t.Fatalf("%d streams are left: %v", f.streams.Open(), err)
	}
}

func TestEventStreamWithoutHandler(t *testing.T) {
	t.Parallel()
	feed := published(6)
	f := onSocket(t, feed[:1:1])
	f.Start()
	response := f.open(t, "/events")
	if !response.Close {
		t.Error("the stream does not announce the end of its connection")
	}
	lines := bufio.NewReader(response.Body)
	ids, sent := readIDs(t, lines, 1)
	f.mu.Lock()
	f.feed = append(f.feed, feed[1:]...)
	f.mu.Unlock()
	more, further := readIDs(t, lines, 5)
	for i, id := range append(ids, more...) {
		if id != feed[i].End().String() {
			t.Errorf("event %d is %s, want %v", i, id, feed[i].End())
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if f.streams.Wait(ended) == nil || f.streams.Open() != 1 || len(f.observed) != 0 {
		t.Errorf("an open stream is over: %d are open, %d were observed", f.streams.Open(), len(f.observed))
	}
	f.stop()
	rest, err := io.ReadAll(lines)
	if err != nil {
		t.Errorf("the stream has no end: %v", err)
	}
	f.wait(t)
	x := <-f.observed
	if want := int64(sent + further + len(rest)); x.Status != 200 || x.Bytes != want || !strings.HasSuffix(x.Route, "/events") || x.Method != "GET" || x.Token.IsNone() || x.Duration <= 0 {
		t.Errorf("observed is %+v, want a request for events with %d bytes", x, want)
	}
}

// A stream ends with its client, also in silence.
func TestEventStreamWithoutHandlerEndsWithTheClient(t *testing.T) {
	t.Parallel()
	f := onSocket(t, published(1))
	f.Start()
	response := f.open(t, "/events")
	readIDs(t, bufio.NewReader(response.Body), 1)
	if err := response.Body.Close(); err != nil {
		t.Fatal(err)
	}
	f.wait(t)
}

// A client that takes nothing is cut, once the buffers of the system are full. Its memory is
// free then.
func TestEventStreamWithoutHandlerCutsSlowReaders(t *testing.T) {
	t.Parallel()
	feed := published(3)
	f := onSocket(t, feed[:1:1], func(o *Options) { o.slowest = 50 * time.Millisecond })
	f.Start()
	conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", f.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = conn.Close() }()
	if err := conn.(*net.TCPConn).SetReadBuffer(4 << 10); err != nil {
		t.Fatal(err)
	}
	r := request("GET", api+"/events", "")
	if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: tracker\r\nAuthorization: %s\r\nAccept: text/event-stream\r\n\r\n", r.URL, r.Header.Get("Authorization")); err != nil {
		t.Fatal(err)
	}
	title := strings.Repeat("x", 1<<20)
	long := published(64)[1:] // more than all buffers
	for i := range long {
		long[i].Events[0].Title = title
	}
	f.mu.Lock()
	f.feed = append(f.feed, long...)
	f.mu.Unlock()
	x := <-f.observed
	f.wait(t)
	if x.Status != 200 || x.Bytes > 60<<20 {
		t.Errorf("observed is %+v, want a request for events that was cut", x)
	}
	if held, _ := f.memory.Held(); held > 16<<20 {
		t.Errorf("without a stream the budget holds %d bytes, want those of the kept pages", held)
	}
}

// pipeWriter is a streamWriter with a connection to take over.
type pipeWriter struct {
	*streamWriter
	conn net.Conn
}

func (w pipeWriter) Hijack() (net.Conn, *bufio.ReadWriter, error) { return w.conn, nil, nil }

// openDetached opens a stream behind the first event of a feed, without a handler. It returns
// the end of the client.
func openDetached(t *testing.T, feed []event.Entry) (streamed, net.Conn) {
	t.Helper()
	s := openStream(t, feed[:1:1], "/events?after=now")
	s.leave()
	far, near := net.Pipe()
	t.Cleanup(func() { _ = far.Close() })
	s.ServeHTTP(pipeWriter{s.streamWriter, near}, request("GET", api+"/events", "", "Accept", "text/event-stream", "Last-Event-ID", feed[0].End().String()))
	return s, far
}

// A slow reader gets a large event, too: each piece has a time of its own.
func TestEventStreamWithoutHandlerWaitsForSlowReaders(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		feed := large()
		s, far := openDetached(t, feed)
		s.publish(feed[1])
		var got strings.Builder
		piece := make([]byte, httpframe.PieceSize)
		for !strings.HasSuffix(got.String(), "\n\n\r\n") {
			time.Sleep(streams.Slowest - 2*time.Second) // publish has waited for a second
			n, err := far.Read(piece)
			if err != nil {
				t.Fatalf("after %d bytes: %v", got.Len(), err)
			}
			got.Write(piece[:n])
		}
		if all := ids(got.String()); len(all) != 1 || all[0] != feed[1].End().String() {
			t.Errorf("the events are %q, want the large one", all)
		}
	})
}

// A stream ends in its time also while its client takes nothing. The client gets no end, as it
// has half an event.
func TestEventStreamWithoutHandlerEndsWithinAWrite(t *testing.T) {
	t.Parallel()
	for rule, end := range map[string]func(s streamed){
		"the server stops":     func(s streamed) { s.stop() },
		"the token is revoked": func(s streamed) { s.revoke(samples.Time) },
	} {
		synctest.Test(t, func(t *testing.T) {
			feed := large()
			s, far := openDetached(t, feed)
			s.publish(feed[1])
			end(s)
			time.Sleep(2 * time.Second)
			if rest, err := io.ReadAll(far); err != nil || len(rest) > 0 {
				t.Errorf("%s: 2 s later the client gets %d bytes and %v", rule, len(rest), err)
			}
		})
	}
}

// Where a connection cannot be taken over, the handler sends the stream.
func TestEventStreamWithinHandler(t *testing.T) {
	t.Parallel()
	feed := published(3)
	t.Run("HTTP/2", func(t *testing.T) {
		t.Parallel()
		f := onSocket(t, feed)
		f.EnableHTTP2 = true
		f.StartTLS()
		response := f.open(t, "/events")
		if response.ProtoMajor != 2 {
			t.Fatalf("the answer is of %s", response.Proto)
		}
		readIDs(t, bufio.NewReader(response.Body), 3)
		f.stop()
		f.wait(t)
	})
	t.Run("HTTP/1.0", func(t *testing.T) {
		t.Parallel()
		f := onSocket(t, feed)
		f.Start()
		conn, err := new(net.Dialer).DialContext(t.Context(), "tcp", f.Listener.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = conn.Close() }()
		r := request("GET", api+"/events", "")
		if _, err := fmt.Fprintf(conn, "GET %s HTTP/1.0\r\nAuthorization: %s\r\nAccept: text/event-stream\r\n\r\n", r.URL, r.Header.Get("Authorization")); err != nil {
			t.Fatal(err)
		}
		lines := bufio.NewReader(conn)
		response, err := http.ReadResponse(lines, nil)
		if err != nil {
			t.Fatal(err)
		}
		_ = response.Body.Close()
		text := make([]byte, len(streams.Reconnect))
		if _, err := io.ReadFull(lines, text); err != nil || string(text) != streams.Reconnect {
			t.Errorf("the stream begins with %q, want %q: %v", text, streams.Reconnect, err)
		}
		readIDs(t, lines, 3)
		f.stop()
		f.wait(t)
	})
}
