package load

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"strconv"
	"time"
)

// conn is one cheap connection of a client, because it shares the machine with the
// server. Requests are bytes, answers go into one buffer, and only the headers about
// their end are read.
type conn struct {
	net.Conn
	in   *bufio.Reader
	out  []byte // the latest request
	body []byte // of the latest answer
	link []byte // the header Link of the latest answer
	// cookie is set by the first answer with one, that to a sign-in. Requests send it in place
	// of a token, and accept what browsers accept.
	cookie []byte
	host   string
}

// dial connects to a server by its URL. Everything on the connection has to be over
// at the deadline.
func dial(server string, deadline time.Time) (*conn, error) {
	at, err := url.Parse(server)
	if err != nil {
		return nil, err
	}
	c, err := net.DialTimeout("tcp", at.Host, time.Until(deadline))
	if err != nil {
		return nil, err
	}
	return &conn{Conn: c, in: bufio.NewReaderSize(c, 32<<10), host: at.Host}, c.SetDeadline(deadline)
}

// send sends a request and returns the status of its answer, with the body in c.body
// until the next one. It reads the answer to its end.
func (c *conn) send(method string, path []byte, token, contentType string, body []byte) (status int, err error) {
	b := append(c.out[:0], method...)
	b = append(b, ' ')
	b = append(b, path...)
	b = append(b, " HTTP/1.1\r\nHost: "...)
	b = append(b, c.host...)
	if token != "" {
		b = append(b, "\r\nAuthorization: "...)
		b = append(b, token...)
	} else if len(c.cookie) > 0 {
		b = append(b, "\r\nAccept: text/html\r\nAccept-Encoding: gzip\r\nCookie: "...)
		b = append(b, c.cookie...)
	}
	if body != nil {
		b = append(b, "\r\nContent-Type: "...)
		b = append(b, contentType...)
		b = append(b, "\r\nContent-Length: "...)
		b = strconv.AppendInt(b, int64(len(body)), 10)
	}
	b = append(b, "\r\n\r\n"...)
	c.out = append(b, body...)
	if _, err := c.Write(c.out); err != nil {
		return 0, err
	}
	return c.answer()
}

var (
	errNoAnswer = errors.New("this is no answer of HTTP/1.1")
	errNoLength = errors.New("the answer does not say where it ends, or ends the connection")
)

// answer reads an answer.
func (c *conn) answer() (status int, err error) {
	line, err := c.line()
	if err != nil {
		return 0, err
	}
	// Such as: HTTP/1.1 200 OK
	if len(line) < 12 || string(line[:9]) != "HTTP/1.1 " {
		return 0, errNoAnswer
	}
	if status, err = strconv.Atoi(string(line[9:12])); err != nil {
		return 0, errNoAnswer
	}
	const unknown = -1
	length, chunked := unknown, false
	c.link = c.link[:0]
	for {
		if line, err = c.line(); err != nil {
			return 0, err
		}
		if len(line) == 0 {
			break
		}
		if value, ok := header(line, "content-length"); ok {
			if length, err = strconv.Atoi(string(value)); err != nil || length < 0 {
				return 0, errNoAnswer
			}
		}
		if value, ok := header(line, "transfer-encoding"); ok {
			chunked = bytes.EqualFold(value, []byte("chunked"))
		}
		if value, ok := header(line, "link"); ok {
			c.link = append(c.link, value...)
		}
		if value, ok := header(line, "set-cookie"); ok && len(c.cookie) == 0 {
			value, _, _ = bytes.Cut(value, []byte{';'})
			c.cookie = append(c.cookie, value...)
		}
		if value, ok := header(line, "connection"); ok && bytes.EqualFold(value, []byte("close")) {
			return 0, errNoLength
		}
	}
	c.body = c.body[:0]
	switch {
	case status == 204 || status == 304:
		return status, nil
	case chunked:
		return status, c.chunks()
	case length != unknown:
		return status, c.take(length)
	default:
		return 0, errNoLength
	}
}

// header returns the value of a header line of this name, in lower case.
func header(line []byte, name string) (value []byte, ok bool) {
	if len(line) <= len(name) || line[len(name)] != ':' {
		return nil, false
	}
	for i := range len(name) {
		b := line[i]
		if 'A' <= b && b <= 'Z' {
			b |= 0x20
		}
		if b != name[i] {
			return nil, false
		}
	}
	return bytes.TrimSpace(line[len(name)+1:]), true
}

// line reads a line, without its end. It is valid until the next read.
func (c *conn) line() ([]byte, error) {
	line, err := c.in.ReadSlice('\n')
	if err != nil {
		return nil, cut(err)
	}
	return bytes.TrimSuffix(line[:len(line)-1], []byte{'\r'}), nil
}

// take adds so many bytes to the body.
func (c *conn) take(n int) error {
	had := len(c.body)
	if cap(c.body) < had+n {
		c.body = append(make([]byte, 0, 2*(had+n)), c.body...)
	}
	c.body = c.body[:had+n]
	_, err := io.ReadFull(c.in, c.body[had:])
	return cut(err)
}

// chunks reads a chunked body, without trailers (RFC 9112, section 7.1).
func (c *conn) chunks() error {
	for {
		line, err := c.line()
		if err != nil {
			return err
		}
		size, err := strconv.ParseUint(string(line), 16, 31)
		if err != nil {
			return errNoAnswer
		}
		if err := c.take(int(size)); err != nil {
			return err
		}
		if line, err = c.line(); err != nil {
			return err
		}
		if len(line) > 0 {
			return errNoAnswer
		}
		if size == 0 {
			return nil
		}
	}
}

// cut makes an error of an early end.
func cut(err error) error {
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	if err != nil {
		return fmt.Errorf("the answer breaks off: %w", err)
	}
	return nil
}
