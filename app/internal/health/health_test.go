package health

import (
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

func TestReachable(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ listener, want string }{
		{"127.0.0.1:8080", "127.0.0.1:8080"},
		{"192.0.2.7:80", "192.0.2.7:80"},
		{"0.0.0.0:8080", "127.0.0.1:8080"},
		{"[::]:8080", "[::1]:8080"},
		{":8080", "localhost:8080"},
		{"[2001:db8::1]:8080", "[2001:db8::1]:8080"},
	} {
		if got, err := reachable(c.listener); err != nil || got != c.want {
			t.Errorf("%s is reached at %q, error %v; want %s", c.listener, got, err, c.want)
		}
	}
	for _, wrong := range []string{"8080", "127.0.0.1:0", ""} {
		if got, err := reachable(wrong); err == nil {
			t.Errorf("%q is reached at %q; want an error", wrong, got)
		}
	}
}

func TestAsk(t *testing.T) {
	t.Parallel()
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == Live {
			return
		}
		w.WriteHeader(http.StatusServiceUnavailable)
		_, _ = w.Write([]byte(`{"title":"Unavailable","detail":"the disk is full"}`))
	})
	plain, secure := httptest.NewServer(handler), httptest.NewTLSServer(handler)
	defer plain.Close()
	defer secure.Close()
	address := func(s *httptest.Server) string { return s.Listener.Addr().String() }
	silent, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer silent.Close()
	for _, c := range []struct {
		name  string
		check Check
		want  string // part of the error; "": none
	}{
		{"live", Check{Address: address(plain), Path: Live}, ""},
		{"not ready", Check{Address: address(plain), Path: Ready}, "status 503: the disk is full"},
		{"live by TLS", Check{Address: address(secure), TLS: true, Path: Live}, ""},
		{"not ready by TLS", Check{Address: address(secure), TLS: true, Path: Ready}, "status 503"},
		{"silent", Check{Address: silent.Addr().String(), Path: Live, Timeout: 50 * time.Millisecond}, "no answer within 50ms"},
		{"nobody", Check{Address: "127.0.0.1:1", Path: Live}, "connection refused"},
	} {
		if c.check.Timeout == 0 {
			c.check.Timeout = 10 * time.Second
		}
		err := c.check.Ask(context.Background())
		if c.want == "" && err != nil || c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)) {
			t.Errorf("%s: the error is %v; want %q", c.name, err, c.want)
		}
	}
}
