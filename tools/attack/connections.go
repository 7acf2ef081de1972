package main

import (
	"bufio"
	"bytes"
	"fmt"
	"net"
	"net/http"
	"time"
)

// slowReaders is the number of connections of an attack by slow clients.
const slowReaders = 10

var connectionAttacks = []attack{
	{name: "comments-slow", title: "10 readers of the long comments who take some bytes in a second", prepare: prepareComments, run: func(s *stage) {
		s.connect(slowReaders, s.readSlowly(fmt.Sprintf("/problems/%d/comments", s.id(manyComments))))
	}},
	{name: "pipelining", title: "{many} connections with 200 loads of the many keywords each, of which none is read", prepare: prepareKeywords, run: func(s *stage) {
		s.connect(s.sizes.many, func(conn net.Conn) error {
			one := s.head(fmt.Sprintf("/problems/%d", s.id(manyKeywords)))
			if _, err := conn.Write(bytes.Repeat(one, 200)); err != nil {
				return err
			}
			<-s.ctx.Done()
			return s.ctx.Err()
		})
	}},
	{name: "headers-slow", title: "{uploads} connections that send a header byte by byte", run: func(s *stage) {
		s.connect(s.sizes.uploads, func(conn net.Conn) error {
			if _, err := fmt.Fprintf(conn, "GET %s/problems HTTP/1.1\r\nHost: attacked\r\nX-Slow: ", api); err != nil {
				return err
			}
			for s.ctx.Err() == nil {
				wait(s.ctx, 200*time.Millisecond)
				if _, err := conn.Write([]byte("x")); err != nil {
					return err
				}
			}
			return s.ctx.Err()
		})
	}, right: []int{408}},
	{name: "http2", short: true, title: "10 HTTP/2 connections with {streams} loads of the many keywords each, and windows of a byte", prepare: prepareKeywords, run: func(s *stage) {
		s.connect(slowReaders, s.tinyWindows)
	}, tls: true},
}

// head returns a request for a path, with further headers.
func (s *stage) head(path string, headers ...[2]string) []byte {
	head := fmt.Appendf(nil, "GET %s%s HTTP/1.1\r\nHost: attacked\r\nAuthorization: %s\r\n", api, path, s.attacker.token)
	for _, h := range headers {
		head = fmt.Appendf(head, "%s: %s\r\n", h[0], h[1])
	}
	return append(head, "\r\n"...)
}

// readSlowly returns how to ask for a path and to read the answer slowly.
func (s *stage) readSlowly(path string, headers ...[2]string) func(net.Conn) error {
	return func(conn net.Conn) error {
		if tcp, ok := conn.(*net.TCPConn); ok {
			_ = tcp.SetReadBuffer(4 << 10) // else the kernel takes more, and the attack is weaker
		}
		if _, err := conn.Write(s.head(path, headers...)); err != nil {
			return err
		}
		some := make([]byte, 16)
		in := bufio.NewReaderSize(conn, 16)
		line, _, err := in.ReadLine()
		if err != nil {
			return err
		}
		s.countLine(line)
		for {
			if _, err := conn.Read(some); err != nil {
				return err
			}
			wait(s.ctx, time.Second)
		}
	}
}

// readStatus reads an answer up to its status, and counts it.
func (s *stage) readStatus(conn net.Conn) error {
	line, _, err := bufio.NewReader(conn).ReadLine()
	if err != nil {
		return err
	}
	s.countLine(line)
	return nil
}

// countLine counts the first line of an answer.
func (s *stage) countLine(line []byte) {
	status := 0
	if _, err := fmt.Sscanf(string(line), "HTTP/1.1 %d", &status); err != nil || status < http.StatusOK {
		s.tally.addWrong("an answer begins with %q", line)
		return
	}
	s.count(s.ctx, "a slow client", status, nil)
}
