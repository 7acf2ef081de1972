package httpframe

import (
	"bufio"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/httpframe/peer"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
)

// Nobody can make up methods for the log and the metrics.
func TestMethodsAreKnown(t *testing.T) {
	t.Parallel()
	o := Options{Methods: []string{"GET", "DELETE"}}
	for sent, want := range map[string]string{"GET": "GET", "OPTIONS": "OPTIONS", "DELETE": "DELETE", "get": "other", "BREW": "other", access.NewSecret([32]byte{1}).Reveal(): "other"} {
		if got := o.knownMethod(sent); got != want {
			t.Errorf("the method %q is observed as %q, not %q", sent, got, want)
		}
	}
}

// A client that sends all of a refused body gets the answer: the connection is not reset under it.
func TestRefusedBody(t *testing.T) {
	t.Parallel()
	server := httptest.NewServer(Wrap(options(), http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		Send(w, r, http.StatusInsufficientStorage, []byte("full"))
	})))
	t.Cleanup(server.Close)
	conn, err := net.Dial("tcp", server.Listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	const size = 64 << 20 // more than the buffers of the system take
	_, err = io.WriteString(conn, "POST / HTTP/1.1\r\nHost: x\r\nContent-Length: "+strconv.Itoa(size)+"\r\n\r\n")
	if err == nil {
		_, err = io.CopyN(conn, zeros{}, size)
	}
	if err != nil {
		t.Fatalf("the body was not taken: %v", err)
	}
	answer, err := http.ReadResponse(bufio.NewReader(conn), nil)
	if err != nil || answer.StatusCode != http.StatusInsufficientStorage {
		t.Errorf("the answer is %v, %v", answer, err)
	}
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) { return len(p), nil }

// An adapter of pages has the same frame as one of JSON.
func TestFrameServesAnyForm(t *testing.T) {
	t.Parallel()
	var observed []Exchange
	var log strings.Builder
	o := options()
	o.Observe = func(x Exchange) { observed = append(observed, x) }
	o.Logger = slog.New(slog.NewTextHandler(&log, nil))
	user := ident.ID{15: 1}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /problems/{identifier}", func(w http.ResponseWriter, r *http.Request) {
		Of(r).Token = user
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		Send(w, r, http.StatusOK, []byte("<h1>12</h1>"))
	})
	mux.HandleFunc("GET /panic", func(http.ResponseWriter, *http.Request) { panic("secret") })
	handler := Wrap(o, mux)
	get := func(path, name string) *httptest.ResponseRecorder {
		r := httptest.NewRequest("GET", path, nil)
		r.Header.Set("X-Request-Id", name)
		w := httptest.NewRecorder()
		handler.ServeHTTP(w, r)
		return w
	}

	page := get("/problems/12", "abc")
	for name, want := range map[string]string{
		"X-Request-Id": "abc", "Content-Length": "11", "X-Content-Type-Options": "nosniff",
		"Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'",
	} {
		if got := page.Header().Get(name); got != want {
			t.Errorf("the page has %s: %q, not %q", name, got, want)
		}
	}
	failed := get("/panic", "a b")
	if failed.Code != 500 || failed.Body.String() != "<h1>failed</h1>\n" || failed.Header().Get("X-Request-Id") != "r1" {
		t.Errorf("a panic is answered with %d %v: %s", failed.Code, failed.Header(), failed.Body)
	}
	want := []Exchange{
		{Method: "GET", Route: "/problems/{identifier}", Status: 200, Bytes: 11, RequestID: "abc", Token: user, Remote: "192.0.2.1:1234"},
		{Method: "GET", Route: "/panic", Status: 500, Bytes: 16, RequestID: "r1", Remote: "192.0.2.1:1234"},
	}
	for i := range observed {
		if observed[i].Context == nil {
			t.Errorf("the exchange %d has no context", i)
		}
		observed[i].Context, observed[i].Duration = nil, 0
	}
	if !slices.Equal(observed, want) {
		t.Errorf("observed are %+v, not %+v", observed, want)
	}
}

// The log has the causes of errors of the service alone.
func TestReport(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rule  string
		err   error
		quiet bool
		want  string // a part of the log; empty: no line
	}{
		{"a defect", errors.New("secret"), true, "internal error"},
		{"the store is away", fault.New(fault.Unavailable, "secret"), false, "unavailable"},
		{"the log says so already", fault.New(fault.Unavailable, "secret"), true, ""},
		{"the client's error", fault.New(fault.NotFound, "secret"), false, ""},
	} {
		var log strings.Builder
		o := options()
		o.Logger = slog.New(slog.NewTextHandler(&log, nil))
		o.Quiet = func() bool { return c.quiet }
		handler := Wrap(o, http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { Of(r).Report(r.Context(), c.err) }))
		handler.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest("GET", "/", nil))
		if line := log.String(); c.want == "" && line != "" || !strings.Contains(line, c.want) || c.want != "" && !strings.Contains(line, "request=r1") {
			t.Errorf("%s: the log has %q, not %q", c.rule, line, c.want)
		}
	}
}

// A path without a token is bounded for each address, but for callers that are known.
func TestPublic(t *testing.T) {
	t.Parallel()
	limits := NewRateLimits("token", 0, 1, peer.Proxies{}, func() time.Time { return time.Date(2015, 11, 5, 0, 0, 0, 0, time.UTC) })
	handler := limits.Public(
		func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) },
		func(r *http.Request) bool { return r.Header.Get("Cookie") != "" },
		func(w http.ResponseWriter, _ *http.Request, err error) {
			http.Error(w, err.Error(), http.StatusTooManyRequests)
		},
	)
	for i, c := range []struct {
		method, cookie string
		status         int
		left           string
	}{
		{"OPTIONS", "", 204, ""},
		{"GET", "", 204, `"address";r=0;t=60`},
		{"GET", "", 429, `"address";r=0;t=60`},
		{"GET", "session=1", 204, ""},
		{"OPTIONS", "", 204, ""},
	} {
		r := httptest.NewRequest(c.method, "/", nil)
		if c.cookie != "" {
			r.Header.Set("Cookie", c.cookie)
		}
		w := httptest.NewRecorder()
		handler(w, r)
		if got := w.Header().Get("RateLimit"); w.Code != c.status || got != c.left {
			t.Errorf("request %d: %d, RateLimit %s; want %d, %s", i, w.Code, got, c.status, c.left)
		}
	}
}
