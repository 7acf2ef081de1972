// Package frames encodes pages of events for streams, once for all streams at the same
// position.
package frames

import (
	"strconv"
	"sync"
	"time"

	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/domain/event"
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
	made   time.Time
}

// New encodes a page of events.
func New(page tracker.EventPage, now time.Time) *Frame {
	f := &Frame{Events: len(page.Events), Next: page.Next, End: page.End, made: now}
	if f.Events == 0 {
		return f
	}
	f.Oldest = page.Events[0].At
	pooled := httpframe.GetBuf()
	text := *pooled
	e := wire.Encoder{Catalogue: page.Catalogue, Buf: make([]byte, 0, 1<<10)}
	for _, v := range page.Events {
		e.Buf = e.Buf[:0]
		e.Event(v)
		text = append(append(append(text, "id: "...), v.Cursor.String()...), "\ndata: "...)
		text = append(append(text, e.Buf...), "\n\n"...)
		if v.At.Before(f.Oldest) {
			f.Oldest = v.At
		}
		f.Last = v.Cursor
	}
	// Other streams may send the frame long after this one.
	f.Chunk, f.Text = Chunk(text)
	*pooled = text
	httpframe.PutBuf(pooled)
	return f
}

// Chunk returns a text as a chunk of HTTP/1.1, and the text within it.
func Chunk(text []byte) (chunk, within []byte) {
	const most = len("7fffffffffffffff\r\n\r\n")
	chunk = strconv.AppendInt(make([]byte, 0, len(text)+most), int64(len(text)), 16)
	chunk = append(chunk, '\r', '\n')
	begin := len(chunk)
	chunk = append(append(chunk, text...), '\r', '\n')
	return chunk, chunk[begin : begin+len(text)]
}

// Frames holds the latest frames: streams at the same position send the same one. Its
// methods may be called from many goroutines at once.
type Frames struct {
	mu     sync.Mutex
	known  map[Key]*Frame
	recent []Key // in the order of their arrival
	bytes  int   // of the texts of all known frames
}

// Key is what a frame depends on: the position of the stream, and whether it has events of
// administration.
type Key struct {
	After event.Cursor
	Admin bool
}

// The bounds of Frames: their number, their size in bytes, and the age of a frame. The
// names of a frame can be as old as that. A full frame of usual events has some 70 KB.
const (
	mostFrames  = 64
	frameBytes  = 4 << 20
	oldestFrame = time.Second
)

// Get returns the frame behind a position, or nil when there is none as young as needed.
func (k *Frames) Get(key Key, now time.Time) *Frame {
	k.mu.Lock()
	defer k.mu.Unlock()
	if f := k.known[key]; f != nil && now.Sub(f.made) < oldestFrame {
		return f
	}
	return nil
}

// Put adds a frame with events, and drops the oldest ones beyond the bounds.
func (k *Frames) Put(key Key, f *Frame) {
	if f.Events == 0 || len(f.Text) > frameBytes {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known == nil {
		k.known = make(map[Key]*Frame)
	}
	if former, known := k.known[key]; known {
		k.bytes -= len(former.Text)
	} else {
		k.recent = append(k.recent, key)
	}
	k.known[key] = f
	k.bytes += len(f.Text)
	drop := 0
	for ; len(k.recent)-drop > mostFrames || k.bytes > frameBytes; drop++ {
		oldest := k.recent[drop]
		k.bytes -= len(k.known[oldest].Text)
		delete(k.known, oldest)
	}
	k.recent = append(k.recent[:0], k.recent[drop:]...)
}
