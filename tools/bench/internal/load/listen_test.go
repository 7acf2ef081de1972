package load

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"time"
)

// fakeFeed is a server with comments and a stream of their events. It drops one event, and
// sends one twice, counted from 1.
type fakeFeed struct {
	mu           sync.Mutex
	problems     int
	events       []int // by their problems
	lost, double int
}

func (f *fakeFeed) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch {
	case strings.HasSuffix(r.URL.Path, "/events"):
		f.mu.Unlock()
		f.stream(w, r)
		f.mu.Lock()
	case strings.HasSuffix(r.URL.Path, "/problems"):
		f.problems++
		w.WriteHeader(http.StatusCreated)
		fmt.Fprintf(w, `{"identifier":%d}`, f.problems)
	default:
		var id int
		_, _ = fmt.Sscanf(strings.TrimPrefix(r.URL.Path, API), "/problems/%d/comments", &id)
		f.events = append(f.events, id)
		w.WriteHeader(http.StatusCreated)
	}
}

func (f *fakeFeed) stream(w http.ResponseWriter, r *http.Request) {
	fmt.Fprint(w, "retry: 1\n\n")
	for sent := 0; r.Context().Err() == nil; time.Sleep(time.Millisecond) {
		f.mu.Lock()
		events := f.events[sent:]
		f.mu.Unlock()
		for _, id := range events {
			sent++
			frame := fmt.Sprintf("id: %d\ndata: {\"problem\":{\"identifier\":%d}}\n\n", sent, id)
			if sent != f.lost {
				fmt.Fprint(w, frame)
			}
			if sent == f.double {
				fmt.Fprint(w, frame)
			}
		}
		_ = http.NewResponseController(w).Flush()
	}
}

func TestListening(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		rule      string
		feed      *fakeFeed
		writers   int
		listeners int
		want      string // part of the error
	}{
		{"each stream has each event", &fakeFeed{}, 3, mostTimed + 2, ""},
		{"nobody listens", &fakeFeed{}, 3, 0, ""},
		{"one event is there twice", &fakeFeed{double: 3}, 3, 1, "an event twice: id: 3"},
		{"one event is there twice, in place of another of its problem", &fakeFeed{lost: 2, double: 3}, 1, 1, "an event twice: id: 3"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(test.feed)
			t.Cleanup(server.Close)
			c := Contender{Name: "a fake", URL: server.URL}
			s := NewScene(100, make([]string, 100))
			h, err := Listening{Writing: Writing{Writers: c, Scene: s, Connections: test.writers, Rate: 100, Duration: 100 * time.Millisecond}, Streams: c, Listeners: test.listeners}.Drive(t.Context())
			if test.want != "" {
				if err == nil || !strings.Contains(err.Error(), test.want) {
					t.Errorf("after %d writes and failures %v, the error is %v; want one with %q", h.Writes, h.Failures, err, test.want)
				}
				return
			}
			if want := min(test.listeners, mostTimed) * h.Writes; err != nil || h.Writes == 0 || len(h.Arrivals) != want {
				t.Errorf("%d writes have %d arrivals, want %d; %v", h.Writes, len(h.Arrivals), want, err)
			}
		})
	}
}

// A count of events does not depend on the parts in which a stream arrives.
func TestTallyCountsAcrossReads(t *testing.T) {
	t.Parallel()
	const events = 1000
	text := "retry: 1\n\n" + strings.Repeat("id: x\ndata: {}\n\n:\n\n", events)
	for _, size := range []int{1, 2, 7, 4096} {
		s := &stream{events: &inParts{text, size}}
		if err := s.tally(); err == nil || s.count.Load() != events {
			t.Errorf("in parts of %d bytes there are %d events, %v; want %d", size, s.count.Load(), err, events)
		}
	}
}

// inParts reads a text in parts of a size.
type inParts struct {
	text string
	size int
}

func (r *inParts) Read(b []byte) (int, error) {
	if r.text == "" {
		return 0, fmt.Errorf("the end")
	}
	n := copy(b, r.text[:min(len(r.text), r.size)])
	r.text = r.text[n:]
	return n, nil
}
