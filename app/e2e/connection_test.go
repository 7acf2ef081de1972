package e2e

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"time"
)

// dial opens a bare connection to the server.
func (s *server) dial() net.Conn {
	s.t.Helper()
	connection, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		s.t.Fatal(err)
	}
	s.t.Cleanup(func() { _ = connection.Close() })
	if err := connection.SetDeadline(time.Now().Add(patience)); err != nil {
		s.t.Fatal(err)
	}
	return connection
}

// write sends text on the connection.
func (s *server) write(connection net.Conn, text string) {
	s.t.Helper()
	if _, err := io.WriteString(connection, text); err != nil {
		s.t.Fatal(err)
	}
}

// TestSlowClients are cut off: those that dawdle over headers, over a body, and
// those that say nothing at all.
func TestSlowClients(t *testing.T) {
	t.Parallel()
	token := newToken(t)
	s := serve(t, "memory:", "PROBLEMS_BOOTSTRAP_TOKEN="+token, "PROBLEMS_HEADER_TIMEOUT=200ms", "PROBLEMS_READ_TIMEOUT=400ms", "PROBLEMS_IDLE_TIMEOUT=200ms")
	for name, text := range map[string]string{
		"silence": "",
		"headers": "GET /api/20151105/me HTTP/1.1\r\nHost: x\r\nX-Slow: ",
		"body":    "POST /api/20151105/problems HTTP/1.1\r\nHost: x\r\nAuthorization: " + token + "\r\nContent-Type: application/json\r\nContent-Length: 100\r\n\r\n{",
		"idle":    "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			connection := s.dial()
			s.write(connection, text)
			answer, err := io.ReadAll(connection) // until the server closes
			if err != nil {
				t.Fatalf("the connection is not closed: %v", err)
			}
			if strings.Contains(string(answer), " 201 ") || strings.Contains(string(answer), " 500 ") {
				t.Errorf("the answer is %s", answer)
			}
		})
	}
}

// exchange sends text on a connection of its own and returns the first answer, and all
// that comes after it until the server closes the connection.
func (s *server) exchange(t *testing.T, text string) (answer *http.Response, rest string) {
	t.Helper()
	connection := s.dial()
	s.write(connection, text)
	reader := bufio.NewReader(connection)
	answer, err := http.ReadResponse(reader, nil)
	if err != nil {
		t.Fatalf("no answer to %q: %v", text, err)
	}
	if _, err := io.Copy(io.Discard, answer.Body); err != nil {
		t.Fatal(err)
	}
	after, err := io.ReadAll(reader)
	if err != nil {
		t.Fatalf("the connection is not closed after %q: %v", text, err)
	}
	return answer, string(after)
}

// TestOptionsOfTheServer asks for the methods of the server, not of a path.
func TestOptionsOfTheServer(t *testing.T) {
	t.Parallel()
	s := serve(t, "memory:", "PROBLEMS_BOOTSTRAP_TOKEN="+newToken(t))
	answer, _ := s.exchange(t, "OPTIONS * HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n")
	if answer.StatusCode != http.StatusNoContent || answer.Header.Get("X-Request-Id") == "" || !strings.Contains(answer.Header.Get("Allow"), "PATCH") {
		t.Errorf("OPTIONS * is answered with %s, %v", answer.Status, answer.Header)
	}
}

// TestAmbiguousRequests sends requests whose end a proxy may see elsewhere. The server
// answers the first of two on a connection, and never takes the second for a request.
func TestAmbiguousRequests(t *testing.T) {
	t.Parallel()
	token := newToken(t)
	s := serve(t, "memory:", "PROBLEMS_BOOTSTRAP_TOKEN="+token)
	const second = "GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n"
	post := func(version, headers, body string) string {
		return "POST /api/20151105/problems HTTP/" + version + "\r\nHost: x\r\nAuthorization: " + token + "\r\nContent-Type: application/json\r\n" + headers + "\r\n" + body
	}
	const chunked = "f\r\n{\"title\":\"One\"}\r\n0\r\n\r\n"
	for name, c := range map[string]struct {
		text   string
		status int
	}{
		"both, the length first":       {post("1.1", "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", chunked+second), 201},
		"both, the length last":        {post("1.1", "Transfer-Encoding: chunked\r\nContent-Length: 4\r\n", chunked+second), 201},
		"both, in capitals":            {post("1.1", "TRANSFER-ENCODING: CHUNKED\r\nCONTENT-LENGTH: 4\r\n", chunked+second), 201},
		"chunked alone":                {post("1.1", "Transfer-Encoding: chunked\r\n", chunked+second), 201},
		"two lengths":                  {post("1.1", "Content-Length: 15\r\nContent-Length: 4\r\n", `{"title":"One"}`+second), 400},
		"two codings":                  {post("1.1", "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n", chunked+second), 501},
		"no coding that is known":      {post("1.1", "Transfer-Encoding: xchunked\r\nContent-Length: 4\r\n", chunked+second), 501},
		"a length that is none":        {post("1.1", "Transfer-Encoding: chunked\r\nContent-Length: +4\r\n", chunked+second), 400},
		"a space before the colon":     {post("1.1", "Content-Length: 15\r\nTransfer-Encoding : chunked\r\n", chunked+second), 400},
		"HTTP/1.0 that stays, chunked": {post("1.0", "Connection: keep-alive\r\nContent-Length: 15\r\nTransfer-Encoding: chunked\r\n", `{"title":"One"}`+second), 201},
		"HTTP/1.0 that stays":          {post("1.0", "Connection: keep-alive\r\nContent-Length: 15\r\n", `{"title":"One"}`+second), 201},
		"refused before it is read":    {strings.Replace(post("1.1", "Content-Length: 4\r\nTransfer-Encoding: chunked\r\n", chunked+second), token, "x", 1), 401},
		"at a path that takes no body": {"GET /healthz HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked + second, 200},
		"at a path where nothing is":   {"POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: 4\r\nTransfer-Encoding: chunked\r\n\r\n" + chunked + second, 404},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			answer, rest := s.exchange(t, c.text)
			if answer.StatusCode != c.status || !answer.Close || rest != "" {
				t.Errorf("the answer is %s, wants to close: %t; after it comes %q", answer.Status, answer.Close, rest)
			}
		})
	}
	// What is not ambiguous keeps its connection.
	answer, rest := s.exchange(t, post("1.1", "Content-Length: 15\r\n", `{"title":"One"}`)+strings.Replace(second, "Host: x", "Host: x\r\nConnection: close", 1))
	if answer.StatusCode != http.StatusCreated || answer.Close || !strings.HasPrefix(rest, "HTTP/1.1 200") {
		t.Errorf("the answer is %s, closes: %t, and after it comes %q", answer.Status, answer.Close, rest)
	}
}
