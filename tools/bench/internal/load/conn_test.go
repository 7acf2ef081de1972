package load

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

const patience = 30 * time.Second

func TestConnReadsAnswersToTheirEnd(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("0123456789abcdef", 10_000)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(r.Body)
		if err != nil {
			t.Error(err)
		}
		switch r.URL.Path {
		case "/echo":
			w.WriteHeader(http.StatusCreated)
			fmt.Fprintf(w, "%s %s %s %s", r.Method, r.Header.Get("Authorization"), r.Header.Get("Content-Type"), body)
		case "/chunked":
			for part := range strings.SplitSeq(long, "f") {
				fmt.Fprint(w, part)
				w.(http.Flusher).Flush()
			}
		case "/long":
			w.Header().Set("Content-Length", fmt.Sprint(len(long)))
			fmt.Fprint(w, long)
		case "/nothing":
			w.WriteHeader(http.StatusNoContent)
		}
	}))
	defer server.Close()
	c, err := dial(server.URL, time.Now().Add(patience))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	for range 2 { // what one answer leaves would spoil the next
		for _, want := range []struct {
			method, path, body string
			status             int
			answer             string
		}{
			{"PATCH", "/echo", `{"a":1}`, 201, `PATCH secret application/json {"a":1}`},
			{"GET", "/chunked", "", 200, strings.ReplaceAll(long, "f", "")},
			{"GET", "/long", "", 200, long},
			{"DELETE", "/nothing", "", 204, ""},
		} {
			var body []byte
			if want.body != "" {
				body = []byte(want.body)
			}
			status, err := c.send(want.method, []byte(want.path), "secret", "application/json", body)
			if err != nil || status != want.status || string(c.body) != want.answer {
				t.Errorf("%s: %d, %d bytes, %v; want %d and %d bytes", want.path, status, len(c.body), err, want.status, len(want.answer))
			}
		}
	}
}

func TestConnRefusesAnswersThatAreNone(t *testing.T) {
	t.Parallel()
	for answer, want := range map[string]error{
		"":                         io.ErrUnexpectedEOF,
		"HTTP/1.1 200 OK\r\n":      io.ErrUnexpectedEOF,
		"HTTP/1.1 200 OK\r\n\r\nx": errNoLength,
		"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nx":                     io.ErrUnexpectedEOF,
		"HTTP/1.1 200 OK\r\nContent-Length: -2\r\n\r\nx":                    errNoAnswer,
		"HTTP/1.1 200 OK\r\ncontent-length:1\r\nCONNECTION: Close\r\n\r\nx": errNoLength,
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nx":       io.ErrUnexpectedEOF,
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nxy\r\n":  errNoAnswer,
		"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\nz\r\n":        errNoAnswer,
		"HTTP/1.1 two OK\r\n\r\n":                                           errNoAnswer,
		"SSH-2.0-OpenSSH\r\n\r\n":                                           errNoAnswer,
	} {
		listener, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		go func() {
			peer, err := listener.Accept()
			if err != nil {
				return // the client fails, and says so
			}
			defer peer.Close()
			if _, err := peer.Read(make([]byte, 1000)); err == nil {
				fmt.Fprint(peer, answer)
			}
		}()
		c, err := dial("http://"+listener.Addr().String(), time.Now().Add(patience))
		if err != nil {
			t.Fatal(err)
		}
		if status, err := c.send("GET", []byte("/"), "", "", nil); !errors.Is(err, want) {
			t.Errorf("%q: %d, %v; want %v", answer, status, err, want)
		}
		c.Close()
		listener.Close()
	}
}
