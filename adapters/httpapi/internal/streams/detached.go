package streams

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"runtime/debug"
	"slices"
	"time"

	"github.com/problemtracking/problems/adapters/httpapi/internal/sse"
	"github.com/problemtracking/problems/adapters/httpframe"
)

// A handler of net/http keeps its buffers and its deep stack as long as it runs: some 45 KB
// for each stream, with the share of the garbage collector. So a stream of HTTP/1.1 takes
// the connection over, and lets its handler return.

// detachedStream writes to the client of a stream without a handler.
type detachedStream struct {
	net.Conn
	bytes  int64 // sent
	broken bool  // a text was sent in part
}

func (d *detachedStream) cut() { _ = d.SetWriteDeadline(longAgo) }

func (d *detachedStream) write(chunk, text []byte, next func() (time.Time, error)) (err error) {
	defer func() { d.broken = err != nil }()
	if chunk == nil {
		chunk = sse.Chunk(text)
	}
	for piece := range slices.Chunk(chunk, httpframe.PieceSize) {
		deadline, err := next()
		if err != nil {
			return err
		}
		if err := d.SetWriteDeadline(deadline); err != nil {
			return err
		}
		if _, err := d.Write(piece); err != nil {
			return err
		}
	}
	d.bytes += int64(len(text))
	return nil
}

const (
	// lastChunk ends an answer of HTTP/1.1.
	lastChunk = "0\r\n\r\n"
	// lastChunkTime limits the time of its write.
	lastChunkTime = time.Second
)

// detach runs the rest of the stream in a goroutine of its own. It returns false when the
// writer does not give its connection away.
func (s *Stream) detach(r *http.Request, handled *handledStream, end func()) bool {
	conn, _, err := handled.control.Hijack()
	if err != nil {
		return false
	}
	out := &detachedStream{Conn: conn}
	s.out = out
	finish := httpframe.Of(r).Detach(r)
	ctx, cancel := s.untilStopping(context.Background(), s.place)
	go awaitEnd(conn, cancel)
	go func() {
		defer func() {
			finish(out.bytes)
			end()
		}()
		defer cancel()
		defer func() { _ = conn.Close() }()
		defer func() {
			if v := recover(); v != nil {
				s.report(ctx, fmt.Errorf("panic: %v\n%s", v, debug.Stack()))
				return // the client must not take half a stream for a whole one
			}
			if out.broken {
				return // the end would become a part of the text
			}
			_ = conn.SetWriteDeadline(s.Now().Add(lastChunkTime))
			_, _ = io.WriteString(conn, lastChunk) // the client may have gone
		}()
		s.run(ctx)
	}()
	return true
}

// awaitEnd calls end when the client closes its side of the connection. It ignores
// anything else, as the stream has no end for another request to wait for.
func awaitEnd(conn net.Conn, end func()) {
	var ignored [64]byte
	for {
		if _, err := conn.Read(ignored[:]); err != nil {
			end()
			return
		}
	}
}
