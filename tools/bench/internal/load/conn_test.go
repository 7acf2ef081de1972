package load

import (
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"time"
)

const patience = 30 * time.Second

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
