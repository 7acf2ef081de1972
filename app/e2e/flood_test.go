package e2e

import (
	"bufio"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"
)

// TestFloodOfWrongTokens lets one address flood the server with wrong tokens, while
// others work: with a valid token from the same address, and from another one.
func TestFloodOfWrongTokens(t *testing.T) {
	t.Parallel()
	const (
		rate     = 20
		flooding = "203.0.113.7"
	)
	eachAdapter(t, func(t *testing.T, store string) {
		token := newToken(t)
		s := serve(t, store, "PROBLEMS_BOOTSTRAP_TOKEN="+token, fmt.Sprintf("PROBLEMS_MAX_ADDRESS_RATE=%d", rate), "PROBLEMS_LOG_LEVEL=warn")
		honest := s.as(token)
		began := time.Now()
		var refused, wrong atomic.Int64
		stop, flooded := make(chan struct{}), make(chan struct{})
		for range 4 {
			go func() {
				defer func() { flooded <- struct{}{} }()
				for i := 0; ; i++ {
					select {
					case <-stop:
						return
					default:
					}
					// An address that the client makes up before its own counts for nothing.
					code, body := s.as(newToken(t)).do(http.MethodGet, "/me", "", "X-Forwarded-For", fmt.Sprintf("198.51.100.%d, %s", i%256, flooding))
					switch code {
					case http.StatusUnauthorized, http.StatusServiceUnavailable: // from a database under stress
						wrong.Add(1)
					case http.StatusTooManyRequests:
						refused.Add(1)
					default:
						t.Errorf("a wrong token gets %d %s", code, body)
						return
					}
				}
			}()
		}
		for i := 0; i < 2*rate || refused.Load() < 100; i++ {
			if time.Since(began) > patience {
				t.Errorf("the flood is not refused: %d requests were, %d were answered", refused.Load(), wrong.Load())
				break
			}
			for _, address := range []string{flooding, "203.0.113.8"} {
				if code, body := honest.do(http.MethodPost, "/problems", `{"title":"Beside a flood"}`, "X-Forwarded-For", address); code != http.StatusCreated {
					t.Errorf("a valid token from %s gets %d %s", address, code, body)
				}
			}
		}
		if code, body := s.as("x").do(http.MethodGet, "/me", "", "X-Forwarded-For", "203.0.113.8"); code != http.StatusUnauthorized {
			t.Errorf("a wrong token of another address gets %d %s", code, body)
		}
		close(stop)
		for range 4 {
			<-flooded
		}
		if most := rate + 1 + int64(time.Since(began).Minutes()*rate); wrong.Load() > most {
			t.Errorf("%d wrong tokens were looked up, at most %d should be", wrong.Load(), most)
		}
	})
}

// dialFrom opens a bare connection to the server from an address of this machine.
func (s *server) dialFrom(address string) net.Conn {
	s.t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(address)}, Timeout: patience}
	connection, err := dialer.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = connection.Close() })
	if err := connection.SetDeadline(time.Now().Add(patience)); err != nil {
		s.t.Fatal(err)
	}
	return connection
}

// TestSlowConnections fills the server with connections that dawdle over their
// headers. No address has more than its share, and a trusted proxy still gets in.
func TestSlowConnections(t *testing.T) {
	t.Parallel()
	const slow = "GET /healthz HTTP/1.1\r\nHost: x\r\nX-Slow: "
	began, token, address := time.Now(), newToken(t), freeAddress(t)
	s := serve(t, "memory:", "PROBLEMS_BOOTSTRAP_TOKEN="+token, "PROBLEMS_METRICS_LISTEN="+address, "PROBLEMS_HEADER_TIMEOUT=5m",
		"PROBLEMS_TRUSTED_PROXIES=127.0.0.1", "PROBLEMS_MAX_CONNECTIONS=16", "PROBLEMS_MAX_ADDRESS_CONNECTIONS=5")
	open := func(from string) net.Conn {
		t.Helper()
		connection := s.dialFrom(from)
		s.write(connection, slow)
		return connection
	}
	refused := func(from, limit string) {
		t.Helper()
		before := metric(t, address, "problems_connections_refused_total", `limit="`+limit+`"`)
		response, err := http.ReadResponse(bufio.NewReader(open(from)), nil)
		if err != nil {
			t.Fatalf("a connection from %s is refused without a word: %v", from, err)
		}
		body, err := io.ReadAll(response.Body)
		if err != nil || response.StatusCode != http.StatusServiceUnavailable || response.Header.Get("Retry-After") == "" || slug(body) != "unavailable" {
			t.Errorf("a connection from %s gets %s %s, %v", from, response.Status, body, err)
		}
		if after := metric(t, address, "problems_connections_refused_total", `limit="`+limit+`"`); after != before+1 {
			t.Errorf("refused by the limit %s were %v connections before and are %v after", limit, before, after)
		}
	}
	var first net.Conn
	for i, from := range []string{"127.0.0.2", "127.0.0.3"} {
		for range 5 {
			connection := open(from)
			if i == 0 {
				first = connection
			}
		}
		refused(from, "address")
	}
	for range 4 {
		open("127.0.0.4")
	}
	refused("127.0.0.4", "all")
	refused("127.0.0.5", "all")

	honest := s.as(token)
	if code, body := honest.do(http.MethodPost, "/problems", `{"title":"Beside a flood"}`); code != http.StatusCreated {
		t.Errorf("a client from a trusted proxy gets %d %s", code, body)
	}
	for _, path := range []string{"/healthz", "/readyz"} {
		response, err := http.Get("http://" + address + path)
		if err != nil {
			t.Fatal(err)
		}
		if err := response.Body.Close(); err != nil || response.StatusCode != http.StatusOK {
			t.Errorf("%s of the metrics: %s, %v", path, response.Status, err)
		}
	}
	if n := metric(t, address, "problems_connections_open"); n != 15 {
		t.Errorf("%v connections are open, not 15", n)
	}
	// A request on each of the connections would still be answered.
	s.write(first, "over\r\nConnection: close\r\n\r\n")
	if answer, err := io.ReadAll(first); err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 200") {
		t.Errorf("the slow one gets %s, %v", answer, err)
	}
	// The server counts the end of the connection once it has closed it.
	for end := time.Now().Add(patience); metric(t, address, "problems_connections_open") != 14; {
		if time.Now().After(end) {
			t.Fatal("the connection that ended is still counted")
		}
	}
	again := open("127.0.0.5")
	s.write(again, "over\r\nConnection: close\r\n\r\n")
	if answer, err := io.ReadAll(again); err != nil || !strings.HasPrefix(string(answer), "HTTP/1.1 200") {
		t.Errorf("the next one gets %s, %v", answer, err)
	}
	if lines := strings.Count(s.stderr.String(), "connections are refused"); lines < 1 || lines > 1+int(time.Since(began).Minutes()) {
		t.Errorf("four refusals gave %d lines\n%s", lines, s.stderr.end())
	}
}
