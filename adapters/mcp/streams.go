package mcp

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"io"
	"sync/atomic"
	"time"
)

// mostAnswering is how long a client that has sent its last request is waited for. A claim waits
// for 20 seconds, and a repeat of a request for some more.
const mostAnswering = time.Minute

// streams are those of one client. The input ends when each request has its answer: the SDK drops
// the others when a client goes, and what a shell pipes into the program ends at once.
type streams struct {
	ctx     context.Context
	in      *bufio.Reader
	out     io.Writer
	line    []byte // the rest of a line that was read
	waiting atomic.Int64
	answer  chan struct{} // there was one
}

func newStreams(ctx context.Context, in io.Reader, out io.Writer) *streams {
	return &streams{ctx: ctx, in: bufio.NewReader(in), out: out, answer: make(chan struct{}, 1)}
}

// Read implements io.Reader.
func (s *streams) Read(p []byte) (int, error) {
	if len(s.line) == 0 {
		var err error
		if s.line, err = s.in.ReadBytes('\n'); len(s.line) == 0 {
			s.await()
			return 0, err
		}
		if id, method := message(s.line); id && method {
			s.waiting.Add(1)
		}
	}
	n := copy(p, s.line)
	s.line = s.line[n:]
	return n, nil
}

// await waits for the answers.
func (s *streams) await() {
	end := time.After(mostAnswering)
	for s.waiting.Load() > 0 {
		select {
		case <-s.answer:
		case <-end:
			return
		case <-s.ctx.Done():
			return
		}
	}
}

// Write implements io.Writer for whole messages.
func (s *streams) Write(p []byte) (int, error) {
	n, err := s.out.Write(p)
	for line := range bytes.Lines(p) {
		if id, method := message(line); id && !method {
			s.waiting.Add(-1)
		}
	}
	select {
	case s.answer <- struct{}{}:
	default:
	}
	return n, err
}

// Close leaves the output open: it is the program's.
func (*streams) Close() error { return nil }

// message reports whether a message has an identifier and a method: a request has both, and an
// answer the first alone.
func message(line []byte) (id, method bool) {
	var m struct {
		ID     json.RawMessage `json:"id"`
		Method string          `json:"method"`
	}
	_ = json.Unmarshal(line, &m) // the SDK refuses what is no message
	return len(m.ID) > 0 && string(m.ID) != "null", m.Method != ""
}
