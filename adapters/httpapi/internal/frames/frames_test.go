package frames

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/domain/budget"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/tracker"
)

// framePage returns a page of events with a title of so many bytes behind a position.
func framePage(after int64, events, title int) tracker.EventPage {
	page := tracker.EventPage{Catalogue: samples.Catalogue(), End: true}
	e := samples.Events()[0]
	e.Title = strings.Repeat("x", title)
	for n := range int64(events) {
		e.Cursor = event.Cursor{Number: after + n + 1, Index: 1}
		page.Events = append(page.Events, e)
		page.Size += e.Size()
	}
	page.Next = e.Cursor
	return page
}

func at(n int) Key { return Key{After: event.Cursor{Number: int64(n), Index: 1}} }

// held returns the bytes that the budget holds, and compares those of the kept frames.
func held(t *testing.T, b *budget.Budget, k *Frames) int64 {
	t.Helper()
	var size int64
	for _, f := range k.known {
		size += f.Size()
	}
	if size != k.bytes || len(k.known) != len(k.recent)-k.gone {
		t.Fatalf("%d frames with %d bytes are kept, and %d with %d are counted", len(k.known), size, len(k.recent)-k.gone, k.bytes)
	}
	bytes, _ := b.Held()
	return bytes
}

func TestFrameIsAChunk(t *testing.T) {
	t.Parallel()
	for _, title := range []int{1, 100, 1 << 20} {
		page := framePage(7, 3, title)
		page.Events[1].At = page.Events[1].At.Add(-1)
		f := New(page)
		if want := fmt.Sprintf("%x\r\n%s\r\n", len(f.Text), f.Text); string(f.Chunk) != want {
			t.Errorf("the chunk of %d bytes is %.50q…, want %.50q…", len(f.Chunk), f.Chunk, want)
		}
		if f.Events != 3 || f.Last != page.Events[2].Cursor || f.Next != page.Next || !f.End || !f.Oldest.Equal(page.Events[1].At) {
			t.Errorf("the frame is %d events up to %v and %v, the oldest of %v", f.Events, f.Last, f.Next, f.Oldest)
		}
		if text := string(f.Text); strings.Count(text, "\n") != 9 || strings.Count(text, "\ndata: {\"identifier\":\"") != 3 || strings.Count(text, "id: ") != 3 {
			t.Errorf("the text is %.500q", text)
		}
		if f.Size() > int64(len(f.Chunk))*3/2 {
			t.Errorf("the frame of %d bytes takes %d", len(f.Chunk), f.Size())
		}
	}
	if chunk := Chunk([]byte(":\n\n")); string(chunk) != "3\r\n:\n\n\r\n" {
		t.Errorf("the chunk of a comment is %q", chunk)
	}
}

// However many streams wait for a frame, one of them makes it.
func TestFramesAreMadeOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := budget.New(1 << 30)
		k := NewFrames(b)
		made, may := 0, make(chan struct{})
		var waiting sync.WaitGroup
		for range 10 {
			waiting.Go(func() {
				f, err := k.Of(t.Context(), at(7), func() (*Frame, error) {
					made++
					<-may
					return New(framePage(7, 1, 1)), nil
				})
				if err != nil || f.Next != (event.Cursor{Number: 8, Index: 1}) {
					t.Errorf("a stream gets %+v, %v", f, err)
				}
				k.Release(f)
			})
		}
		synctest.Wait()
		close(may)
		waiting.Wait()
		if made != 1 {
			t.Errorf("the frame was made %d times", made)
		}
		f := k.known[at(7)]
		if f == nil || held(t, b, k) != f.Size() {
			t.Errorf("the budget holds %d bytes, and the frame is %+v", held(t, b, k), f)
		}
	})
}

// The frame of a stream that ends is made by another one. Any other error is that of all.
func TestFramesAreMadeAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		away := errors.New("the store is away")
		for name, test := range map[string]struct {
			leaves bool
			want   error
		}{"the store is away": {false, away}, "the stream ends": {true, nil}} {
			k := NewFrames(nil)
			ctx, leave := context.WithCancel(t.Context())
			may := make(chan struct{})
			var first, second error
			var all sync.WaitGroup
			all.Go(func() {
				_, first = k.Of(ctx, at(7), func() (*Frame, error) { <-may; return nil, away })
			})
			synctest.Wait()
			all.Go(func() {
				_, second = k.Of(t.Context(), at(7), func() (*Frame, error) { return New(framePage(7, 1, 1)), nil })
			})
			synctest.Wait()
			if test.leaves {
				leave()
			}
			close(may)
			all.Wait()
			leave()
			if first != away || second != test.want {
				t.Errorf("%s: the first stream gets %v and the second %v, want %v", name, first, second, test.want)
			}
		}
	})
}

// Streams of another scope, or with other names, have frames of their own. A frame that
// leads nowhere is not kept.
func TestFramesDifferByKey(t *testing.T) {
	t.Parallel()
	k := NewFrames(nil)
	made := 0
	of := func(key Key, page tracker.EventPage) {
		_, err := k.Of(t.Context(), key, func() (*Frame, error) { made++; return New(page), nil })
		if err != nil {
			t.Error(err)
		}
	}
	moved := framePage(7, 0, 0)
	moved.Next = event.Cursor{Number: 9, Index: 1}
	for _, test := range []struct {
		rule string
		key  Key
		page tracker.EventPage
		kept bool
	}{
		{"events", at(7), framePage(7, 1, 1), true},
		{"another scope", Key{After: at(7).After, Admin: true}, framePage(7, 1, 1), true},
		{"another catalogue", Key{After: at(7).After, Catalogue: ident.Version{Number: 2}}, framePage(7, 1, 1), true},
		{"no event of those that came", at(8), moved, true},
		{"the end of the feed", at(9), tracker.EventPage{Next: at(9).After, End: true}, false},
	} {
		made = 0
		of(test.key, test.page)
		of(test.key, test.page)
		if want := map[bool]int{true: 1, false: 2}[test.kept]; made != want {
			t.Errorf("%s: two streams have made %d frames, want %d", test.rule, made, want)
		}
	}
}

func TestFramesAreBounded(t *testing.T) {
	t.Parallel()
	for name, total := range map[string]int64{"much memory": 1 << 30, "little memory": 16 << 20} {
		b := budget.New(total)
		k := NewFrames(b)
		put := func(n, size int) *Frame {
			f, err := k.Of(t.Context(), at(n), func() (*Frame, error) { return New(framePage(int64(n), 1, size)), nil })
			if err != nil {
				t.Fatal(err)
			}
			return f
		}
		for n := range 3 * mostFrames {
			k.Release(put(n, 1))
		}
		held(t, b, k)
		if len(k.known) != mostFrames || k.known[at(2*mostFrames-1)] != nil || k.known[at(2*mostFrames)] == nil {
			t.Errorf("%s: %d frames are kept, want the latest %d", name, len(k.known), mostFrames)
		}
		slow := put(10_000, 1<<19)
		for n := range 40 {
			k.Release(put(20_000+n, 1<<19))
		}
		if most := min(int64(16<<20), total/8); k.bytes > most || k.bytes < most-1<<20 {
			t.Errorf("%s: %d bytes are kept, want some below %d", name, k.bytes, most)
		}
		if got := held(t, b, k); got != k.bytes+slow.Size() {
			t.Errorf("%s: the budget holds %d bytes, want those of the kept %d and of one that is sent", name, got, k.bytes)
		}
		k.Release(slow)
		if got := held(t, b, k); got != k.bytes {
			t.Errorf("%s: the budget holds %d bytes, want those of the kept %d", name, got, k.bytes)
		}
		large := put(30_000, 17<<20)
		if k.known[at(30_000)] != nil || len(k.known) == 0 {
			t.Errorf("%s: a frame beyond the bound is kept, and drops all others", name)
		}
		k.Release(large)
		if got := held(t, b, k); got != k.bytes {
			t.Errorf("%s: the budget holds %d bytes, want those of the kept %d", name, got, k.bytes)
		}
	}
}
