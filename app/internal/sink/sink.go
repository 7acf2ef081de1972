// Package sink writes log lines to unreliable destinations: a full pipe, a full disk, a
// stopped terminal. Callers never wait for them.
package sink

import (
	"bytes"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

const (
	// piece is the most bytes of one write, unless a single line is longer. A pipe takes
	// as much whole, also when several processes write to it.
	piece = 4096
	// kept is the largest buffer for another use once it is empty.
	kept = 64 << 10
	// again is the pause before the next try on a destination without room.
	again = 10 * time.Millisecond
)

// Options describe a Writer. To, Bytes and Now are required.
type Options struct {
	// To gets the lines, in pieces that end at the end of a line.
	To io.Writer
	// Bytes is how much the Writer holds, in bytes, until To takes it.
	Bytes int
	// Now is the clock.
	Now func() time.Time
	// Lost, if not nil, returns the line in the place of the given number of lines,
	// dropped since the given time. It is written as soon as To takes something again.
	Lost func(lines uint64, since time.Time) []byte
}

// Writer is an io.Writer of lines that never waits and never fails. One goroutine hands
// the lines on, in their order and without delay. When the Writer is full, it drops lines
// until it is empty, so they are missing in one place. It also drops the lines refused by
// its destination.
type Writer struct {
	o       Options
	dropped atomic.Uint64
	given   chan struct{} // closed when Close does not wait any longer
	ended   chan struct{} // closed when the goroutine has ended

	mu      sync.Mutex
	arrived sync.Cond // something is waiting, or the Writer is full or closed
	waiting []byte    // lines before the goroutine
	held    int       // unwritten bytes
	full    bool      // lines are dropped until all others are written
	closed  bool
	lost    loss // dropped lines without a line in the log
	cut     bool // the output ends in the middle of a line
}

// loss is a number of dropped lines.
type loss struct {
	lines uint64
	since time.Time
}

// New returns a Writer. It has to be closed.
func New(o Options) *Writer {
	w := &Writer{o: o, given: make(chan struct{}), ended: make(chan struct{})}
	w.arrived.L = &w.mu
	go w.run()
	return w
}

// Write takes or drops one line, the argument of one call. It returns no error.
func (w *Writer) Write(line []byte) (int, error) {
	n := len(line)
	w.mu.Lock()
	defer w.mu.Unlock()
	size := n
	whole := bytes.HasSuffix(line, []byte("\n"))
	if !whole {
		size++
	}
	if w.full || w.closed || w.held+size > w.o.Bytes {
		w.full = !w.closed
		w.lose(1)
		w.arrived.Signal()
		return n, nil
	}
	w.waiting = append(w.waiting, line...)
	if !whole {
		w.waiting = append(w.waiting, '\n')
	}
	w.held += size
	w.arrived.Signal()
	return n, nil
}

// Dropped returns how many lines were dropped.
func (w *Writer) Dropped() uint64 { return w.dropped.Load() }

// Close returns once everything is written, or when the limit has passed; in that case it
// returns false. Later lines are dropped.
func (w *Writer) Close(limit time.Duration) bool {
	w.mu.Lock()
	w.closed = true
	w.arrived.Signal()
	w.mu.Unlock()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-w.ended:
		return true
	case <-timer.C:
		close(w.given)
		return false
	}
}

// lose counts dropped lines.
func (w *Writer) lose(lines uint64) {
	w.dropped.Add(lines)
	if w.lost.lines == 0 {
		w.lost.since = w.o.Now()
	}
	w.lost.lines += lines
}

func (w *Writer) run() {
	defer close(w.ended)
	var batch []byte
	for {
		if cap(batch) > kept {
			batch = nil
		}
		var more bool
		if batch, more = w.next(batch); !more {
			return
		}
		rest := batch
		for first := true; first || len(rest) > 0; first = false {
			n := cutAt(rest)
			w.put(rest[:n])
			rest = rest[n:]
		}
	}
}

// next waits for lines and takes them; the empty buffer takes their place. It returns
// none of them when all before a gap are written. It returns false when the Writer is
// closed and has no more.
func (w *Writer) next(empty []byte) (batch []byte, more bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for len(w.waiting) == 0 && !w.full && !w.closed {
		w.arrived.Wait()
	}
	if len(w.waiting) == 0 && !w.full {
		return nil, false
	}
	batch, w.waiting = w.waiting, empty[:0]
	if len(batch) == 0 {
		w.full = false
	}
	return batch, true
}

// cutAt returns the length of the first piece of some lines.
func cutAt(lines []byte) int {
	if len(lines) <= piece {
		return len(lines)
	}
	if end := bytes.LastIndexByte(lines[:piece], '\n'); end >= 0 {
		return end + 1
	}
	return bytes.IndexByte(lines, '\n') + 1
}

// put writes lines, after the line for those dropped before them.
func (w *Writer) put(lines []byte) {
	before, said := w.before()
	text := lines
	if len(before) > 0 {
		text = append(before, lines...)
	}
	n, err := w.write(text)
	w.mu.Lock()
	defer w.mu.Unlock()
	w.held -= len(lines)
	if n > 0 {
		w.cut = text[n-1] != '\n'
	}
	if err == nil {
		return
	}
	if n > 0 && w.cut && text[n] == '\n' { // it comes with the next lines
		n++
	}
	if n < len(before) && said.lines > 0 { // still to be said
		w.lost.lines += said.lines
		w.lost.since = said.since
	}
	if missing := bytes.Count(text[max(n, len(before)):], []byte("\n")); missing > 0 {
		w.lose(uint64(missing))
	}
}

// before returns the text before the next lines, and its loss.
func (w *Writer) before() (text []byte, said loss) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.cut {
		text = []byte("\n")
	}
	if w.o.Lost != nil && w.lost.lines > 0 && !w.full { // else the place is further back
		said, w.lost = w.lost, loss{}
		text = append(text, w.o.Lost(said.lines, said.since)...)
	}
	return text, said
}

// write writes all of a text, or returns how much of it was written.
func (w *Writer) write(text []byte) (int, error) {
	written := 0
	for written < len(text) {
		n, err := w.o.To.Write(text[written:])
		written += n
		switch {
		case errors.Is(err, syscall.EAGAIN): // another process has made the pipe non-blocking
			select {
			case <-time.After(again):
			case <-w.given:
				return written, err
			}
		case err != nil:
			return written, err
		case n == 0:
			return written, io.ErrShortWrite
		}
	}
	return written, nil
}
