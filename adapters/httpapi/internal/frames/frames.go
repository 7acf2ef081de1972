// Package frames encodes pages of events for streams, once for all streams at the same
// position.
package frames

import (
	"context"
	"slices"
	"strconv"
	"sync"
	"time"

	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/budget"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/tracker"
)

// Frame is some events as they are sent.
type Frame struct {
	Chunk  []byte       // text as a chunk of HTTP/1.1
	Text   []byte       // a part of Chunk
	Events int          // their number
	Oldest time.Time    // the earliest time of the events
	Last   event.Cursor // of the last event
	Next   event.Cursor // the position behind
	End    bool         // of the feed

	holders int // the streams that send it, and Frames; not of a frame that is not shared
}

// headroom is the room for the length of a chunk in front of its text, in bytes.
const headroom = len("7fffffffffffffff\r\n")

// New encodes a page of events.
func New(page tracker.EventPage) *Frame {
	f := &Frame{Events: len(page.Events), Next: page.Next, End: page.End}
	if f.Events == 0 {
		return f
	}
	f.Oldest = page.Events[0].At
	// The JSON of a usual event is a third longer than its size. Text needs as much room as
	// in memory, and now and then an escape. The token of the author comes on top, twice.
	length := page.Size + page.Size/4 + 256*int64(f.Events)
	e := wire.Encoder{Catalogue: page.Catalogue, Buf: make([]byte, headroom, length)}
	for _, v := range page.Events {
		e.ServerSent(v)
		if v.At.Before(f.Oldest) {
			f.Oldest = v.At
		}
		f.Last = v.Cursor
	}
	f.Chunk, f.Text = enclose(e.Buf)
	return f
}

// Size returns the size of the frame in memory, in bytes.
func (f *Frame) Size() int64 { return int64(cap(f.Chunk)) }

// Chunk returns a text as a chunk of HTTP/1.1.
func Chunk(text []byte) []byte {
	chunk, _ := enclose(append(make([]byte, headroom, headroom+len(text)+len("\r\n")), text...))
	return chunk
}

// enclose makes a chunk of the text behind the headroom of a buffer.
func enclose(buf []byte) (chunk, text []byte) {
	var room [headroom]byte
	length := strconv.AppendInt(room[:0], int64(len(buf)-headroom), 16)
	length = append(length, '\r', '\n')
	begin := headroom - len(length)
	copy(buf[begin:], length)
	chunk = append(buf, '\r', '\n')[begin:]
	return chunk, chunk[len(length) : len(chunk)-len("\r\n")]
}

// Key is what a frame depends on: the position of the stream, whether it has events of
// administration, and the names in it.
type Key struct {
	After     event.Cursor
	Admin     bool
	Catalogue ident.Version
}

// Frames shares frames: streams at the same position send the same one, and one of them
// makes it. It keeps the latest frames for the streams that are late. Its methods may be
// called from many goroutines at once.
type Frames struct {
	most int64 // bytes of the kept frames

	mu     sync.Mutex
	memory *budget.Account // holds the frames in use
	known  map[Key]*Frame
	making map[Key]*making
	recent []Key // of known, in the order of their arrival; the first ones may have gone
	gone   int   // the number of these
	bytes  int64 // of all known frames
}

// making is a frame that a stream makes now.
type making struct {
	done      chan struct{} // closed at the end
	frame     *Frame
	err       error
	abandoned bool // the stream has ended first
}

// The bounds of the kept frames: their number, and their size in bytes. A frame of a
// thousand usual events has some 900 KB.
const (
	mostFrames = 1024
	frameBytes = 16 << 20
)

// NewFrames returns Frames without a frame. The budget, if not nil, counts all shared
// frames in use. At most an eighth of it is for those that are kept.
func NewFrames(memory *budget.Budget) *Frames {
	k := &Frames{most: frameBytes, known: make(map[Key]*Frame), making: make(map[Key]*making)}
	if memory != nil {
		k.memory, k.most = memory.Open(nil), min(frameBytes, memory.Total()/8)
	}
	return k
}

// Of returns the frame of a key. If nobody has made it, it calls produce, for all streams
// that wait for this frame. The caller has to Release the frame. An error of produce is that
// of all of them, unless ctx has ended: then another stream makes the frame.
func (k *Frames) Of(ctx context.Context, key Key, produce func() (*Frame, error)) (*Frame, error) {
	for {
		k.mu.Lock()
		if f := k.known[key]; f != nil {
			k.hold(f)
			k.mu.Unlock()
			return f, nil
		}
		m := k.making[key]
		if m == nil {
			m = &making{done: make(chan struct{})}
			k.making[key] = m
			k.mu.Unlock()
			return k.produce(ctx, key, m, produce)
		}
		k.mu.Unlock()
		select {
		case <-m.done:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
		switch {
		case m.abandoned:
		case m.err != nil:
			return nil, m.err
		default:
			k.mu.Lock()
			defer k.mu.Unlock()
			k.hold(m.frame)
			return m.frame, nil
		}
	}
}

// produce makes the frame of a key, and holds it for the caller.
func (k *Frames) produce(ctx context.Context, key Key, m *making, produce func() (*Frame, error)) (*Frame, error) {
	defer func() {
		k.mu.Lock()
		defer k.mu.Unlock()
		if m.frame != nil {
			k.hold(m.frame)
			k.keep(key, m.frame)
		} else {
			m.abandoned = m.err == nil || ctx.Err() != nil // without an error, produce has panicked
		}
		delete(k.making, key)
		close(m.done)
	}()
	m.frame, m.err = produce()
	return m.frame, m.err
}

// Release ends the use of a shared frame. It ignores any other.
func (k *Frames) Release(f *Frame) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.release(f)
}

// hold counts a user of a frame. The caller holds the lock.
func (k *Frames) hold(f *Frame) {
	if f.holders++; f.holders == 1 {
		k.memory.Add(f.Size())
	}
}

// release is Release for a caller that holds the lock.
func (k *Frames) release(f *Frame) {
	if f.holders == 0 {
		return
	}
	if f.holders--; f.holders == 0 {
		k.memory.Add(-f.Size())
	}
}

// keep keeps a new frame, and drops the oldest ones beyond the bounds. It does not keep a
// frame that leads nowhere: there can be events behind its position at any time. The caller
// holds the lock.
func (k *Frames) keep(key Key, f *Frame) {
	if f.Next == key.After || f.Size() > k.most {
		return
	}
	k.hold(f)
	k.known[key] = f
	k.recent = append(k.recent, key)
	k.bytes += f.Size()
	for ; len(k.recent)-k.gone > mostFrames || k.bytes > k.most; k.gone++ {
		oldest := k.recent[k.gone]
		k.bytes -= k.known[oldest].Size()
		k.release(k.known[oldest])
		delete(k.known, oldest)
	}
	if k.gone > len(k.recent)/2 {
		k.recent = slices.Delete(k.recent, 0, k.gone)
		k.gone = 0
	}
}
