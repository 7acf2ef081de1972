package sse

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

// eventPage returns a page of events with a title of so many bytes behind a position.
func eventPage(after int64, events, title int) tracker.EventPage {
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

// held returns the bytes that the budget holds, and compares those of the kept pages.
func held(t *testing.T, b *budget.Budget, c *Cache) int64 {
	t.Helper()
	var size int64
	for _, p := range c.known {
		size += p.Size()
	}
	if size != c.bytes || len(c.known) != len(c.recent)-c.gone {
		t.Fatalf("%d pages with %d bytes are kept, and %d with %d are counted", len(c.known), size, len(c.recent)-c.gone, c.bytes)
	}
	bytes, _ := b.Held()
	return bytes
}

func TestPageIsAChunk(t *testing.T) {
	t.Parallel()
	for _, title := range []int{1, 100, 1 << 20} {
		page := eventPage(7, 3, title)
		page.Events[1].At = page.Events[1].At.Add(-1)
		p := NewPage(page)
		if want := fmt.Sprintf("%x\r\n%s\r\n", len(p.Text), p.Text); string(p.Chunk) != want {
			t.Errorf("the chunk of %d bytes is %.50q…, want %.50q…", len(p.Chunk), p.Chunk, want)
		}
		if p.Events != 3 || p.Last != page.Events[2].Cursor || p.Next != page.Next || !p.End || !p.Oldest.Equal(page.Events[1].At) {
			t.Errorf("the page is %d events up to %v and %v, the oldest of %v", p.Events, p.Last, p.Next, p.Oldest)
		}
		if text := string(p.Text); strings.Count(text, "\n") != 9 || strings.Count(text, "\ndata: {\"identifier\":\"") != 3 || strings.Count(text, "id: ") != 3 {
			t.Errorf("the text is %.500q", text)
		}
		if p.Size() > int64(len(p.Chunk))*3/2 {
			t.Errorf("the page of %d bytes takes %d", len(p.Chunk), p.Size())
		}
	}
	if chunk := Chunk([]byte(":\n\n")); string(chunk) != "3\r\n:\n\n\r\n" {
		t.Errorf("the chunk of a comment is %q", chunk)
	}
}

// However many streams wait for a page, one of them makes it.
func TestPagesAreMadeOnce(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		b := budget.New(1 << 30)
		c := NewCache(b)
		made, may := 0, make(chan struct{})
		var waiting sync.WaitGroup
		for range 10 {
			waiting.Go(func() {
				p, err := c.Of(t.Context(), at(7), func() (*Page, error) {
					made++
					<-may
					return NewPage(eventPage(7, 1, 1)), nil
				})
				if err != nil || p.Next != (event.Cursor{Number: 8, Index: 1}) {
					t.Errorf("a stream gets %+v, %v", p, err)
				}
				c.Release(p)
			})
		}
		synctest.Wait()
		close(may)
		waiting.Wait()
		if made != 1 {
			t.Errorf("the page was made %d times", made)
		}
		p := c.known[at(7)]
		if p == nil || held(t, b, c) != p.Size() {
			t.Errorf("the budget holds %d bytes, and the page is %+v", held(t, b, c), p)
		}
	})
}

// The page of a stream that ends is made by another one. Any other error is that of all.
func TestPagesAreMadeAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		away := errors.New("the store is away")
		for name, test := range map[string]struct {
			leaves bool
			want   error
		}{"the store is away": {false, away}, "the stream ends": {true, nil}} {
			c := NewCache(nil)
			ctx, leave := context.WithCancel(t.Context())
			may := make(chan struct{})
			var first, second error
			var all sync.WaitGroup
			all.Go(func() {
				_, first = c.Of(ctx, at(7), func() (*Page, error) { <-may; return nil, away })
			})
			synctest.Wait()
			all.Go(func() {
				_, second = c.Of(t.Context(), at(7), func() (*Page, error) { return NewPage(eventPage(7, 1, 1)), nil })
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

// Streams of another scope, or with other names, have pages of their own. A page that
// leads nowhere is not kept.
func TestPagesDifferByKey(t *testing.T) {
	t.Parallel()
	c := NewCache(nil)
	made := 0
	of := func(key Key, page tracker.EventPage) {
		_, err := c.Of(t.Context(), key, func() (*Page, error) { made++; return NewPage(page), nil })
		if err != nil {
			t.Error(err)
		}
	}
	moved := eventPage(7, 0, 0)
	moved.Next = event.Cursor{Number: 9, Index: 1}
	for _, test := range []struct {
		rule string
		key  Key
		page tracker.EventPage
		kept bool
	}{
		{"events", at(7), eventPage(7, 1, 1), true},
		{"another scope", Key{After: at(7).After, Admin: true}, eventPage(7, 1, 1), true},
		{"another catalogue", Key{After: at(7).After, Catalogue: ident.Version{Number: 2}}, eventPage(7, 1, 1), true},
		{"no event of those that came", at(8), moved, true},
		{"the end of the feed", at(9), tracker.EventPage{Next: at(9).After, End: true}, false},
	} {
		made = 0
		of(test.key, test.page)
		of(test.key, test.page)
		if want := map[bool]int{true: 1, false: 2}[test.kept]; made != want {
			t.Errorf("%s: two streams have made %d pages, want %d", test.rule, made, want)
		}
	}
}

func TestPagesAreBounded(t *testing.T) {
	t.Parallel()
	for name, total := range map[string]int64{"much memory": 1 << 30, "little memory": 16 << 20} {
		b := budget.New(total)
		c := NewCache(b)
		put := func(n, size int) *Page {
			p, err := c.Of(t.Context(), at(n), func() (*Page, error) { return NewPage(eventPage(int64(n), 1, size)), nil })
			if err != nil {
				t.Fatal(err)
			}
			return p
		}
		for n := range 3 * mostPages {
			c.Release(put(n, 1))
		}
		held(t, b, c)
		if len(c.known) != mostPages || c.known[at(2*mostPages-1)] != nil || c.known[at(2*mostPages)] == nil {
			t.Errorf("%s: %d pages are kept, want the latest %d", name, len(c.known), mostPages)
		}
		slow := put(10_000, 1<<19)
		for n := range 40 {
			c.Release(put(20_000+n, 1<<19))
		}
		if most := min(int64(16<<20), total/8); c.bytes > most || c.bytes < most-1<<20 {
			t.Errorf("%s: %d bytes are kept, want some below %d", name, c.bytes, most)
		}
		if got := held(t, b, c); got != c.bytes+slow.Size() {
			t.Errorf("%s: the budget holds %d bytes, want those of the kept %d and of one that is sent", name, got, c.bytes)
		}
		c.Release(slow)
		if got := held(t, b, c); got != c.bytes {
			t.Errorf("%s: the budget holds %d bytes, want those of the kept %d", name, got, c.bytes)
		}
		large := put(30_000, 17<<20)
		if c.known[at(30_000)] != nil || len(c.known) == 0 {
			t.Errorf("%s: a page beyond the bound is kept, and drops all others", name)
		}
		c.Release(large)
		if got := held(t, b, c); got != c.bytes {
			t.Errorf("%s: the budget holds %d bytes, want those of the kept %d", name, got, c.bytes)
		}
	}
}
