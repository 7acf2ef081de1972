// Package feedhub reads the end of a store's feed once for all listeners of the process,
// and wakes them when it grows.
package feedhub

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/store"
)

// Hub reads the end of the feed once for all listeners of the process. It reads only
// while there is a listener: at once after a Commit of this process, and otherwise often
// enough for Commits of others. Its methods may be called from many goroutines at once.
type Hub struct {
	store     store.Store
	catalogue func(context.Context) (*metadata.Catalogue, error)
	poll      time.Duration // between two looks at the store

	woken chan struct{} // has an element after a Commit
	eager chan struct{} // has an element after the first listener with a shorter pace

	mu        sync.Mutex
	listeners int
	paces     map[time.Duration]int // the number of listeners with each pace
	stop      context.CancelFunc    // of the reading goroutine
	recent    []event.Entry         // the end of the feed, without gaps
	size      int64                 // of recent, in bytes
	names     *metadata.Catalogue   // with all objects of recent
	last      int64                 // the number of the newest known entry
	restarts  int
	grown     chan struct{} // closed when last or restarts change
}

// Bounds of the hub.
const (
	// usualPoll is the default time between two looks at the store.
	usualPoll = 500 * time.Millisecond
	// shortestPause is the time between two reads under load, with pauseOfListener more
	// for each listener, up to longestPause. Each read wakes every listener, and most of
	// the cost of a stream is that of a write, with one event or with twenty.
	shortestPause   = 5 * time.Millisecond
	pauseOfListener = 250 * time.Microsecond
	longestPause    = 40 * time.Millisecond
	// ReadBytes limits the entries of one read, in bytes, and readEntries their number.
	ReadBytes   = 1 << 20
	readEntries = 1000
	// mostRecent limits the entries in memory, and recentBytes their size. They are cut when
	// there is a quarter more, since a cut copies them all.
	mostRecent  = 4096
	recentBytes = 4 << 20
)

// New returns a Hub of a store without listeners. catalogue returns the current catalogue.
// The Hub looks at the store in intervals of poll; 0 means 500 ms.
func New(s store.Store, catalogue func(context.Context) (*metadata.Catalogue, error), poll time.Duration) *Hub {
	if poll == 0 {
		poll = usualPoll
	}
	return &Hub{store: s, catalogue: catalogue, poll: poll, woken: make(chan struct{}, 1), eager: make(chan struct{}, 1), paces: make(map[time.Duration]int), grown: make(chan struct{})}
}

// Wake makes the hub read at once. It never blocks.
func (h *Hub) Wake() { notify(h.woken) }

func notify(c chan<- struct{}) {
	select {
	case c <- struct{}{}:
	default:
	}
}

// Listen counts a listener. The first one starts the reading, the last one ends it. pace is
// the time between two reads under load that suffices for the listener; 0: the shortest one.
// The first event after a quiet time always comes at once.
func (h *Hub) Listen(pace time.Duration) (leave func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.listeners > 0 && pace < h.shortestPace() {
		notify(h.eager)
	}
	h.paces[pace]++
	if h.listeners++; h.listeners == 1 {
		ctx, cancel := context.WithCancel(context.Background())
		h.stop = cancel
		go h.run(ctx)
	}
	return sync.OnceFunc(func() {
		h.mu.Lock()
		defer h.mu.Unlock()
		if h.paces[pace]--; h.paces[pace] == 0 {
			delete(h.paces, pace)
		}
		if h.listeners--; h.listeners == 0 {
			h.stop()
			h.recent, h.size, h.last, h.names = nil, 0, 0, nil
		}
	})
}

// shortestPace returns the shortest pace of a listener. The caller holds the lock.
func (h *Hub) shortestPace() time.Duration {
	return slices.Min(slices.Collect(maps.Keys(h.paces)))
}

// Listeners returns the number of listeners.
func (h *Hub) Listeners() int {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.listeners
}

// run reads the feed until ctx ends. A failure of the store is no end: the next read goes
// on where the last one ended.
func (h *Hub) run(ctx context.Context) {
	r := reading{hub: h}
	timer := time.NewTimer(0)
	defer timer.Stop()
	for {
		pause, woken := h.poll, h.woken
		if grown, err := r.read(ctx); err == nil && grown {
			pause, woken = h.pause(), nil // there may be more
		}
		timer.Reset(pause)
		select {
		case <-ctx.Done():
			return
		case <-woken:
		case <-h.eager:
		case <-timer.C:
		}
	}
}

// pause returns the time until the next read, after one that has found events.
func (h *Hub) pause() time.Duration {
	h.mu.Lock()
	defer h.mu.Unlock()
	pause := min(shortestPause+time.Duration(h.listeners)*pauseOfListener, longestPause)
	if h.listeners == 0 {
		return pause // the last one has just left
	}
	return max(pause, h.shortestPace())
}

// reading is one life of the goroutine that reads.
type reading struct {
	hub    *Hub
	newest event.Entry // number 0: the feed is empty
	known  bool        // newest was read
	grew   bool        // the last read has found entries
	reads  int
}

// checkEvery is the number of reads of a quiet feed between two checks of the history.
const checkEvery = 20

// read reads the entries behind the newest one, and reports whether there were any.
func (r *reading) read(ctx context.Context) (grown bool, err error) {
	h := r.hub
	if !r.known {
		return false, r.restart(ctx)
	}
	check := r.newest.Number > 0 && (r.grew || r.reads%checkEvery == 0)
	from, budget := r.newest.Number, ReadBytes+r.newest.Size() // the read ends behind the newest one
	if !check {
		from, budget = from+1, ReadBytes
	}
	entries, err := h.store.Feed(ctx, from, readEntries, budget)
	if err == nil && len(entries) > 0 && !check && r.newest.Number > 0 {
		// New entries count only behind the newest one: they may be of another history.
		check = true
		entries, err = h.store.Feed(ctx, r.newest.Number, readEntries, ReadBytes+r.newest.Size())
	}
	if err != nil {
		return false, err
	}
	r.reads++
	r.grew = false
	if check {
		if len(entries) == 0 || entries[0].Number != r.newest.Number || entries[0].Batch != r.newest.Batch {
			r.known = false // the store was set back: its feed is another one
			return true, nil
		}
		entries = entries[1:]
	}
	if len(entries) == 0 {
		return false, nil
	}
	catalogue, err := h.catalogue(ctx)
	if err != nil {
		return false, err
	}
	r.newest, r.grew = entries[len(entries)-1], true
	h.add(ctx, entries, catalogue)
	return true, nil
}

// restart reads the newest entry. With it in memory, a listener at the end of the feed does
// not ask the store.
func (r *reading) restart(ctx context.Context) error {
	_, newest, err := r.hub.store.FeedEnds(ctx)
	if err != nil {
		return err
	}
	var recent []event.Entry
	var names *metadata.Catalogue
	if newest.Number > 0 {
		if recent, err = r.hub.store.Feed(ctx, newest.Number, 1, 1); err != nil {
			return err
		}
		if names, err = r.hub.catalogue(ctx); err != nil {
			return err
		}
		if len(recent) == 0 || recent[0].Number != newest.Number || recent[0].Batch != newest.Batch {
			return nil // the store was set back in between: the next read asks again
		}
		newest = recent[0]
	}
	r.newest, r.known = newest, true
	r.hub.restart(ctx, recent, names)
	return nil
}

// restart replaces the content of the hub by the newest entry, if the feed has one, and
// tells all listeners to look at the store.
func (h *Hub) restart(ctx context.Context, recent []event.Entry, names *metadata.Catalogue) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if ctx.Err() != nil {
		return // another goroutine reads now
	}
	h.recent, h.size, h.last, h.names = recent, 0, 0, names
	for _, e := range recent {
		h.size, h.last = e.Size(), e.Number
	}
	h.restarts++
	h.signal()
}

// add appends entries and tells all listeners.
func (h *Hub) add(ctx context.Context, entries []event.Entry, catalogue *metadata.Catalogue) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if ctx.Err() != nil {
		return
	}
	if slices.ContainsFunc(entries, event.Entry.Rewrites) {
		// The entries before have former texts.
		h.recent, h.size = nil, 0
	}
	for _, e := range entries {
		h.recent = append(h.recent, e)
		h.size += e.Size()
	}
	if len(h.recent) > mostRecent*5/4 || h.size > recentBytes*5/4 {
		h.cut()
	}
	h.last, h.names = entries[len(entries)-1].Number, catalogue
	h.signal()
}

// cut drops the oldest entries beyond the bounds. The caller holds the lock.
func (h *Hub) cut() {
	n := 0
	for len(h.recent)-n > mostRecent || h.size > recentBytes && n < len(h.recent)-1 {
		h.size -= h.recent[n].Size()
		n++
	}
	// Readers may still hold the old slice.
	h.recent = append(make([]event.Entry, 0, mostRecent*5/4), h.recent[n:]...)
}

// signal ends all waits. The caller holds the lock.
func (h *Hub) signal() {
	close(h.grown)
	h.grown = make(chan struct{})
}

// Remembered returns entries from a number on, of those in memory. ok is false when memory
// lacks the first one. The entries are shared, and must not be changed. The catalogue has
// all objects of the entries.
func (h *Hub) Remembered(from int64, limit int) (entries []event.Entry, catalogue *metadata.Catalogue, ok bool) {
	h.mu.Lock()
	recent, catalogue := h.recent, h.names
	h.mu.Unlock()
	if len(recent) > 0 && recent[0].Number <= from {
		if i := from - recent[0].Number; i < int64(len(recent)) {
			return recent[i:min(int64(len(recent)), i+int64(limit))], catalogue, true
		}
	}
	return nil, nil, false
}

// Names returns the version of the catalogue of the entries in memory. ok is false when
// there are none, as without a listener.
func (h *Hub) Names() (version ident.Version, ok bool) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.names == nil {
		return version, false
	}
	return h.names.Version, true
}

// Read returns entries from a number on, of the store. The catalogue has all objects of
// the entries.
func (h *Hub) Read(ctx context.Context, from int64, limit int) ([]event.Entry, *metadata.Catalogue, error) {
	entries, err := h.store.Feed(ctx, from, limit, ReadBytes)
	if err != nil {
		return nil, nil, err
	}
	catalogue, err := h.catalogue(ctx)
	return entries, catalogue, err
}

// Growth returns the number of the newest known entry, and a channel that is closed when it may
// have changed.
func (h *Hub) Growth() (number int64, changed <-chan struct{}) {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.last, h.grown
}

// Wait returns when the feed may have grown beyond a number, or when ctx ends.
func (h *Hub) Wait(ctx context.Context, beyond int64) error {
	h.mu.Lock()
	restarts := h.restarts
	for h.last <= beyond && h.restarts == restarts {
		grown := h.grown
		h.mu.Unlock()
		select {
		case <-grown:
		case <-ctx.Done():
			return fault.Wrap(fault.Unavailable, ctx.Err(), "the request ended while it waited for events")
		}
		h.mu.Lock()
	}
	h.mu.Unlock()
	return nil
}
