// Package sse encodes pages of events as streams send them: server-sent events, encoded once for
// all streams at the same position.
package sse

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

// Page is some events as they are sent.
type Page struct {
	Chunk  []byte       // text as a chunk of HTTP/1.1
	Text   []byte       // a part of Chunk
	Events int          // their number
	Oldest time.Time    // the earliest time of the events
	Last   event.Cursor // of the last event
	Next   event.Cursor // the position behind
	End    bool         // of the feed

	holders int // the streams that send it, and the Cache; not of a page that is not shared
}

// headroom is the room for the length of a chunk in front of its text, in bytes.
const headroom = len("7fffffffffffffff\r\n")

// NewPage encodes a page of events.
func NewPage(page tracker.EventPage) *Page {
	p := &Page{Events: len(page.Events), Next: page.Next, End: page.End}
	if p.Events == 0 {
		return p
	}
	p.Oldest = page.Events[0].At
	// The JSON of a usual event is a third longer than its size. Text needs as much room as
	// in memory, and now and then an escape. The token of the author comes on top, twice.
	length := page.Size + page.Size/4 + 256*int64(p.Events)
	e := wire.Encoder{Catalogue: page.Catalogue, Buf: make([]byte, headroom, length)}
	for _, v := range page.Events {
		e.ServerSent(v)
		if v.At.Before(p.Oldest) {
			p.Oldest = v.At
		}
		p.Last = v.Cursor
	}
	p.Chunk, p.Text = enclose(e.Buf)
	return p
}

// Size returns the size of the page in memory, in bytes.
func (p *Page) Size() int64 { return int64(cap(p.Chunk)) }

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

// Key is what a page depends on: the position of the stream, whether it has events of
// administration, and the names in it.
type Key struct {
	After     event.Cursor
	Admin     bool
	Catalogue ident.Version
}

// Cache shares pages: streams at the same position send the same one, and one of them
// makes it. It keeps the latest pages for the streams that are late. Its methods may be
// called from many goroutines at once.
type Cache struct {
	most int64 // bytes of the kept pages

	mu     sync.Mutex
	memory *budget.Account // holds the pages in use
	known  map[Key]*Page
	making map[Key]*making
	recent []Key // of known, in the order of their arrival; the first ones may have gone
	gone   int   // the number of these
	bytes  int64 // of all known pages
}

// making is a page that a stream makes now.
type making struct {
	done      chan struct{} // closed at the end
	page      *Page
	err       error
	abandoned bool // the stream has ended first
}

// The bounds of the kept pages: their number, and their size in bytes. A page of a
// thousand usual events has some 900 KB.
const (
	mostPages = 1024
	pageBytes = 16 << 20
)

// NewCache returns a Cache without a page. The budget, if not nil, counts all shared
// pages in use. At most an eighth of it is for those that are kept.
func NewCache(memory *budget.Budget) *Cache {
	c := &Cache{most: pageBytes, known: make(map[Key]*Page), making: make(map[Key]*making)}
	if memory != nil {
		c.memory, c.most = memory.Open(nil), min(pageBytes, memory.Total()/8)
	}
	return c
}

// Of returns the page of a key. If nobody has made it, it calls produce, for all streams
// that wait for this page. The caller has to Release the page. An error of produce is that
// of all of them, unless ctx has ended: then another stream makes the page.
func (c *Cache) Of(ctx context.Context, key Key, produce func() (*Page, error)) (*Page, error) {
	for {
		c.mu.Lock()
		if p := c.known[key]; p != nil {
			c.hold(p)
			c.mu.Unlock()
			return p, nil
		}
		m := c.making[key]
		if m == nil {
			m = &making{done: make(chan struct{})}
			c.making[key] = m
			c.mu.Unlock()
			return c.produce(ctx, key, m, produce)
		}
		c.mu.Unlock()
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
			c.mu.Lock()
			defer c.mu.Unlock()
			c.hold(m.page)
			return m.page, nil
		}
	}
}

// produce makes the page of a key, and holds it for the caller.
func (c *Cache) produce(ctx context.Context, key Key, m *making, produce func() (*Page, error)) (*Page, error) {
	defer func() {
		c.mu.Lock()
		defer c.mu.Unlock()
		if m.page != nil {
			c.hold(m.page)
			c.keep(key, m.page)
		} else {
			m.abandoned = m.err == nil || ctx.Err() != nil // without an error, produce has panicked
		}
		delete(c.making, key)
		close(m.done)
	}()
	m.page, m.err = produce()
	return m.page, m.err
}

// Release ends the use of a shared page. It ignores any other.
func (c *Cache) Release(p *Page) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.release(p)
}

// hold counts a user of a page. The caller holds the lock.
func (c *Cache) hold(p *Page) {
	if p.holders++; p.holders == 1 {
		c.memory.Add(p.Size())
	}
}

// release is Release for a caller that holds the lock.
func (c *Cache) release(p *Page) {
	if p.holders == 0 {
		return
	}
	if p.holders--; p.holders == 0 {
		c.memory.Add(-p.Size())
	}
}

// keep keeps a new page, and drops the oldest ones beyond the bounds. It does not keep a
// page that leads nowhere: there can be events behind its position at any time. The caller
// holds the lock.
func (c *Cache) keep(key Key, p *Page) {
	if p.Next == key.After || p.Size() > c.most {
		return
	}
	c.hold(p)
	c.known[key] = p
	c.recent = append(c.recent, key)
	c.bytes += p.Size()
	for ; len(c.recent)-c.gone > mostPages || c.bytes > c.most; c.gone++ {
		oldest := c.recent[c.gone]
		c.bytes -= c.known[oldest].Size()
		c.release(c.known[oldest])
		delete(c.known, oldest)
	}
	if c.gone > len(c.recent)/2 {
		c.recent = slices.Delete(c.recent, 0, c.gone)
		c.gone = 0
	}
}
