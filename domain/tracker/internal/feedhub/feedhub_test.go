package feedhub

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// The hub remembers the newest entries without gaps, within its bounds. It seldom copies
// them, so its listeners seldom wait for it.
func TestHubRemembersTheNewestEntries(t *testing.T) {
	t.Parallel()
	for title, least := range map[int]int64{10: mostRecent, 16 << 10: recentBytes / (17 << 10)} {
		h := New(nil, nil, 0)
		names := metadata.NewCatalogue(ident.Version{}, metadata.Content{})
		entry := event.Entry{Events: []event.Event{{Title: strings.Repeat("x", title)}}}
		cuts, first := 0, int64(1)
		for n := range int64(4 * mostRecent) {
			entry.Number = n + 1
			h.add(t.Context(), []event.Entry{entry}, names)
			from := max(entry.Number-least+1, 1)
			entries, _, ok := h.Remembered(from, mostRecent)
			if !ok || int64(len(entries)) != entry.Number-from+1 || entries[0].Number != from {
				t.Fatalf("%d bytes: of the entries up to %d there are %d from %d: %v", title, entry.Number, len(entries), from, ok)
			}
			if len(h.recent) > mostRecent*5/4 || h.size > recentBytes*5/4 || h.size != int64(len(h.recent))*entry.Size() {
				t.Fatalf("%d bytes: there are %d entries of %d bytes", title, len(h.recent), h.size)
			}
			if h.recent[0].Number != first {
				cuts, first = cuts+1, h.recent[0].Number
			}
		}
		if most := 4 * mostRecent / int(least/4); cuts > most || cuts == 0 {
			t.Errorf("%d bytes: the entries were cut %d times, want at most %d", title, cuts, most)
		}
	}
}

// D45: a server whose memory has former texts reads the feed anew after a redaction, also one
// by another server.
func TestHubForgetsRewrittenEntries(t *testing.T) {
	t.Parallel()
	h := New(nil, nil, 0)
	names := metadata.NewCatalogue(ident.Version{}, metadata.Content{})
	h.add(t.Context(), []event.Entry{{Number: 1}, {Number: 2}}, names)
	redacted := event.Event{Lines: []event.Line{{Type: string(problem.Redacted)}}}
	h.add(t.Context(), []event.Entry{{Number: 3, Events: []event.Event{{}, redacted}}, {Number: 4}}, names)
	for from, want := range map[int64]bool{1: false, 2: false, 3: true, 4: true} {
		if entries, _, ok := h.Remembered(from, 10); ok != want || int64(len(entries)) != 5-from && ok {
			t.Errorf("from %d on, the hub remembers %v: %v", from, entries, ok)
		}
	}
	h.add(t.Context(), []event.Entry{{Number: 5}}, names)
	if entries, _, ok := h.Remembered(3, 10); !ok || len(entries) != 3 || h.size != entries[0].Size()+entries[1].Size()+entries[2].Size() {
		t.Errorf("then it has %v, of %d bytes: %v", entries, h.size, ok)
	}
}

// Many listeners get their events in fewer and larger parts, within the time for them.
func TestPauseGrowsWithListeners(t *testing.T) {
	t.Parallel()
	for listeners, want := range map[int]time.Duration{0: shortestPause, 100: 30 * time.Millisecond, 100_000: longestPause} {
		h := &Hub{listeners: listeners, paces: map[time.Duration]int{0: listeners}}
		if got := h.pause(); got != want {
			t.Errorf("the pause with %d listeners is %v, want %v", listeners, got, want)
		}
	}
}

// The pause under load is the shortest that any listener wants.
func TestPauseIsThatOfTheFastestListener(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := New(growing{}, func(context.Context) (*metadata.Catalogue, error) { return nil, nil }, time.Hour)
		const slow = 50 * time.Millisecond
		check := func(when string, want time.Duration) {
			t.Helper()
			if got := h.pause(); got != want {
				t.Errorf("%s, the pause is %v, want %v", when, got, want)
			}
		}
		leaveSlow := h.Listen(slow)
		check("with a slow listener", slow)
		leaveSlower := h.Listen(2 * slow)
		check("with a slower one", slow)
		leaveFast := h.Listen(0)
		check("with a fast one", shortestPause+3*pauseOfListener)
		leaveFast()
		leaveSlow()
		check("after the fast and the slow one have left", 2*slow)
		leaveSlower()
		synctest.Wait()
	})
}

// A fast listener does not wait for the end of a pause of the slow ones.
func TestFastListenerEndsThePause(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		h := New(growing{}, func(context.Context) (*metadata.Catalogue, error) { return nil, nil }, time.Second)
		begun := time.Now()
		defer h.Listen(time.Hour)()
		time.Sleep(time.Second) // the first read finds events, and the next one is an hour later
		synctest.Wait()
		before := h.latest()
		if before == 0 {
			t.Fatal("nothing was read")
		}
		defer h.Listen(0)()
		if err := h.Wait(t.Context(), before); err != nil {
			t.Fatal(err)
		}
		if passed := time.Since(begun); passed > 2*time.Second {
			t.Errorf("the events came after %v", passed)
		}
	})
}

// latest returns the number of the newest known entry.
func (h *Hub) latest() int64 {
	h.mu.Lock()
	defer h.mu.Unlock()
	return h.last
}

// growing is a store whose feed has one entry more in each read.
type growing struct{ store.Store }

func (growing) FeedEnds(context.Context) (oldest, newest event.Entry, err error) {
	return event.Entry{Number: 1}, event.Entry{Number: 1}, nil
}

func (growing) Feed(_ context.Context, from int64, limit int, _ int64) ([]event.Entry, error) {
	return []event.Entry{{Number: from}, {Number: from + 1}}[:min(limit, 2)], nil
}
