package httpapi

import (
	"strconv"
	"sync"
	"time"

	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/tracker"
)

// eventFrame is some events as they are sent.
type eventFrame struct {
	chunk []byte       // text as a chunk of HTTP/1.1
	text  []byte       // a part of chunk
	times []time.Time  // of the events
	last  event.Cursor // of the last event
	next  event.Cursor // the position behind
	end   bool         // of the feed
	made  time.Time
}

// newEventFrame encodes a page of events.
func newEventFrame(page tracker.EventPage, now time.Time) *eventFrame {
	f := &eventFrame{next: page.Next, end: page.End, made: now}
	if len(page.Events) == 0 {
		return f
	}
	f.times = make([]time.Time, 0, len(page.Events))
	pooled := httpframe.GetBuf()
	text := *pooled
	e := wire.Encoder{Catalogue: page.Catalogue, Buf: make([]byte, 0, 1<<10)}
	for _, v := range page.Events {
		e.Buf = e.Buf[:0]
		e.Event(v)
		text = append(append(append(text, "id: "...), v.Cursor.String()...), "\ndata: "...)
		text = append(append(text, e.Buf...), "\n\n"...)
		f.times, f.last = append(f.times, v.At), v.Cursor
	}
	// Other streams may send the frame long after this one.
	f.chunk, f.text = chunkOf(text)
	*pooled = text
	httpframe.PutBuf(pooled)
	return f
}

// chunkOf returns a text as a chunk of HTTP/1.1, and the text within it.
func chunkOf(text []byte) (chunk, within []byte) {
	const most = len("7fffffffffffffff\r\n\r\n")
	chunk = strconv.AppendInt(make([]byte, 0, len(text)+most), int64(len(text)), 16)
	chunk = append(chunk, '\r', '\n')
	begin := len(chunk)
	chunk = append(append(chunk, text...), '\r', '\n')
	return chunk, chunk[begin : begin+len(text)]
}

// eventFrames holds the latest frames: streams at the same position send the same one.
type eventFrames struct {
	mu     sync.Mutex
	known  map[frameKey]*eventFrame
	recent []frameKey // in the order of their arrival
	bytes  int        // of the texts of all known frames
}

type frameKey struct {
	after event.Cursor
	admin bool
}

// The bounds of eventFrames: their number, their size in bytes, and the age of a frame. The
// names of a frame can be as old as that. A full frame of usual events has some 70 KB.
const (
	mostFrames  = 64
	frameBytes  = 4 << 20
	oldestFrame = time.Second
)

// get returns the frame behind a position, or nil when there is none as young as needed.
func (k *eventFrames) get(key frameKey, now time.Time) *eventFrame {
	k.mu.Lock()
	defer k.mu.Unlock()
	if f := k.known[key]; f != nil && now.Sub(f.made) < oldestFrame {
		return f
	}
	return nil
}

// put adds a frame with events, and drops the oldest ones beyond the bounds.
func (k *eventFrames) put(key frameKey, f *eventFrame) {
	if len(f.times) == 0 || len(f.text) > frameBytes {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.known == nil {
		k.known = make(map[frameKey]*eventFrame)
	}
	if former, known := k.known[key]; known {
		k.bytes -= len(former.text)
	} else {
		k.recent = append(k.recent, key)
	}
	k.known[key] = f
	k.bytes += len(f.text)
	drop := 0
	for ; len(k.recent)-drop > mostFrames || k.bytes > frameBytes; drop++ {
		oldest := k.recent[drop]
		k.bytes -= len(k.known[oldest].text)
		delete(k.known, oldest)
	}
	k.recent = append(k.recent[:0], k.recent[drop:]...)
}
