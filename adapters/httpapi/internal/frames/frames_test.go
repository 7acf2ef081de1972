package frames

import (
	"strings"
	"testing"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/tracker"
)

// pageSize is the number of events of a full page of a stream.
const pageSize = 100

// framePage returns a page with a full frame of long events behind a position.
func framePage(after int64) tracker.EventPage {
	page := tracker.EventPage{Catalogue: samples.Catalogue(), End: true}
	e := samples.Events()[0]
	e.Title = strings.Repeat("A long title. ", 70)
	for n := range int64(pageSize) {
		e.Cursor = event.Cursor{Number: after + n + 1, Index: 1}
		page.Events = append(page.Events, e)
	}
	page.Next = e.Cursor
	return page
}

// Under load each frame is full. Then above all its encoding has to be shared.
func TestEventFramesShareFullFrames(t *testing.T) {
	t.Parallel()
	var frames Frames
	key := Key{After: event.Cursor{Number: 100, Index: 1}}
	f := New(framePage(100), samples.Time)
	if len(f.Text) < 100<<10 || f.Events != pageSize || f.Last != f.Next || !f.End {
		t.Fatalf("the frame has %d bytes and %d events from %v to %v", len(f.Text), f.Events, f.Last, f.Next)
	}
	frames.Put(key, f)
	if frames.Get(key, samples.Time.Add(oldestFrame-1)) != f {
		t.Error("a full frame is not shared")
	}
	if frames.Get(Key{After: key.After, Admin: true}, samples.Time) != nil {
		t.Error("a stream of the scope admin gets the frame of another scope")
	}
	if frames.Get(key, samples.Time.Add(oldestFrame)) != nil {
		t.Error("an old frame is shared")
	}
}

func TestEventFramesAreBounded(t *testing.T) {
	t.Parallel()
	var frames Frames
	at := func(n int) Key { return Key{After: event.Cursor{Number: int64(n), Index: 1}} }
	put := func(n, size int) {
		frames.Put(at(n), &Frame{Text: make([]byte, size), Events: 1, made: samples.Time})
	}
	kept := func() (number, size int) {
		for _, f := range frames.known {
			number, size = number+1, size+len(f.Text)
		}
		if number != len(frames.recent) || size != frames.bytes {
			t.Fatalf("there are %d frames with %d bytes, but %d and %d are known", number, size, len(frames.recent), frames.bytes)
		}
		return number, size
	}
	for n := range 2 * mostFrames {
		put(n, 100)
	}
	if number, _ := kept(); number != mostFrames || frames.Get(at(mostFrames-1), samples.Time) != nil || frames.Get(at(mostFrames), samples.Time) == nil {
		t.Errorf("there are %d frames, want the latest %d", number, mostFrames)
	}
	put(2*mostFrames, frameBytes/2)
	put(2*mostFrames, frameBytes/2)
	put(2*mostFrames+1, frameBytes/2)
	if number, size := kept(); number != 2 || size != frameBytes {
		t.Errorf("there are %d frames with %d bytes, want two with %d", number, size, frameBytes)
	}
	put(1, frameBytes+1)
	if number, size := kept(); number != 2 || size != frameBytes {
		t.Errorf("after a frame beyond the bounds there are %d with %d bytes", number, size)
	}
}
