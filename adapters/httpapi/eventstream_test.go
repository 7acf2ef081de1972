package httpapi

import (
	"context"
	"errors"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/streams"
	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/domain/budget"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/usecases"
)

// streamWriter takes a stream. A reader that is stuck takes nothing until the deadline.
type streamWriter struct {
	mu       sync.Mutex
	header   http.Header
	status   int
	text     strings.Builder
	stuck    bool
	pace     time.Duration // in which the reader takes 64 KiB
	deadline time.Time
	aborted  bool // the handler has ended with http.ErrAbortHandler
}

func (w *streamWriter) Header() http.Header { return w.header }

func (w *streamWriter) WriteHeader(status int) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.status = status
}

func (w *streamWriter) Write(b []byte) (int, error) {
	w.mu.Lock()
	took, deadline := w.pace*time.Duration(len(b))/(64<<10), w.deadline
	if w.stuck || !deadline.IsZero() && took > time.Until(deadline) {
		w.stuck = true
		w.mu.Unlock()
		time.Sleep(time.Until(deadline))
		return 0, errors.New("write: i/o timeout")
	}
	w.mu.Unlock()
	time.Sleep(took)
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.stuck {
		return 0, errors.New("write: i/o timeout")
	}
	return w.text.Write(b)
}

func (w *streamWriter) Flush() {}

func (w *streamWriter) SetReadDeadline(time.Time) error { return nil }

func (w *streamWriter) SetWriteDeadline(at time.Time) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.deadline = at
	w.stuck = w.stuck || !at.IsZero() && at.Before(time.Now()) // for good, as HTTP/2 has it
	return nil
}

// take returns the text since the last call.
func (w *streamWriter) take() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	text := w.text.String()
	w.text.Reset()
	return text
}

// streamed is an open stream of a test.
type streamed struct {
	places *Streams
	*fixture
	*streamWriter
	leave context.CancelFunc // as the client
	stop  context.CancelFunc // as the server
	ended chan struct{}
	lags  *lags

	memory *budget.Budget
}

// lags are the observed lags of a stream.
type lags struct {
	mu  sync.Mutex
	all []time.Duration
}

func (l *lags) add(lag time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all = append(l.all, lag)
}

// take returns the lags since the last call.
func (l *lags) take() (all []time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	all, l.all = l.all, nil
	return all
}

// over reports whether the stream has ended.
func (s streamed) over() bool {
	synctest.Wait()
	select {
	case <-s.ended:
		return true
	default:
		return false
	}
}

// publish adds entries to the feed and lets them arrive.
func (s streamed) publish(entries ...event.Entry) {
	s.fixture.mu.Lock()
	s.feed = append(s.feed, entries...)
	s.fixture.mu.Unlock()
	time.Sleep(time.Second)
	synctest.Wait()
}

// openStream opens a stream in a bubble of synctest.
func openStream(t *testing.T, feed []event.Entry, path string, headers ...string) streamed {
	t.Helper()
	fixed := newFixedStore()
	fixed.feed = feed
	return openStreamOf(t, fixed, path, headers...)
}

func openStreamOf(t *testing.T, fixed *fixedStore, path string, headers ...string) streamed {
	t.Helper()
	stopping, stop := context.WithCancel(context.Background())
	observed := new(lags)
	var places *Streams
	memory := budget.New(64 << 20)
	f := setup(t, func(o *Options) {
		o.Memory = memory
		o.Service = usecases.New(tracker.Options{Store: fixed, Now: time.Now, Random: zeros{}, Limits: tracker.DefaultLimits()}, nil)
		o.Now, o.Stopping, o.Streams = time.Now, stopping, NewStreams(10, 10, observed.add)
		places = o.Streams
	})
	f.fixedStore = fixed
	return streamed{fixture: f, places: places, lags: observed, memory: memory, stop: stop}.open(t, path, headers...)
}

// open opens a further stream of the same server.
func (s streamed) open(t *testing.T, path string, headers ...string) streamed {
	t.Helper()
	return s.openBy(t, request("GET", api+path, "", append([]string{"Accept", "text/event-stream"}, headers...)...))
}

// openBy opens a further stream by a request.
func (s streamed) openBy(t *testing.T, r *http.Request) streamed {
	t.Helper()
	ctx, leave := context.WithCancel(t.Context())
	s.streamWriter, s.leave, s.ended = &streamWriter{header: http.Header{}}, leave, make(chan struct{})
	r = r.WithContext(ctx)
	go func() {
		defer close(s.ended)
		defer func() {
			v := recover()
			if s.aborted = v == http.ErrAbortHandler; !s.aborted && v != nil {
				panic(v)
			}
		}()
		s.ServeHTTP(s.streamWriter, r)
	}()
	t.Cleanup(func() {
		leave()
		s.stop()
		<-s.ended
	})
	synctest.Wait()
	return s
}

// ids returns the identifiers in a text of server-sent events, without those of data.
func ids(text string) (all []string) {
	for line := range strings.SplitSeq(text, "\n") {
		if id, ok := strings.CutPrefix(line, "id: "); ok {
			all = append(all, id)
		}
	}
	return all
}

func TestEventStream(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		feed := published(6)
		s := openStream(t, feed[:1:1], "/events")
		if got := s.header; s.status != 200 || got.Get("Content-Type") != "text/event-stream" || got.Get("Cache-Control") != "no-store" || got.Get("X-Accel-Buffering") != "no" {
			t.Errorf("the stream has the status %d and the headers %v", s.status, got)
		}
		begin := "retry: 2000\n\nid: " + feed[0].End().String() + "\ndata: {\"identifier\":\"" + feed[0].End().String() + `"`
		if text := s.take(); !strings.HasPrefix(text, begin) || !strings.HasSuffix(text, "}\n\n") || strings.Count(text, "\n") != 5 {
			t.Errorf("the stream begins with %q, want %q…", text, begin)
		}
		s.publish(feed[1])
		if got := ids(s.take()); len(got) != 1 || got[0] != feed[1].End().String() {
			t.Errorf("the next events are %q, want the second", got)
		}
		time.Sleep(mostSilence)
		synctest.Wait()
		if got := s.take(); got != ":\n\n" {
			t.Errorf("after a silence the stream has %q, want a comment", got)
		}
		s.leave()
		if !s.over() {
			t.Error("the stream goes on when the client has gone")
		}
	})
}

// D22: the newest stream or poll of the user with the most gives way to another user's.
func TestStreamGivesWay(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := openStream(t, published(1), "/events")
		take := func(user ident.ID) {
			t.Helper()
			if _, _, err := s.places.Acquire(user); err != nil {
				t.Error(err)
			}
		}
		for range 7 {
			take(samples.Ann.ID)
		}
		poll := s.openBy(t, request("GET", api+"/events?after=now&wait=20", ""))
		stream := s.open(t, "/events")
		take(samples.Bob.ID)
		if !stream.over() || poll.over() || s.over() {
			t.Error("the newest stream goes on, or another one ends")
		}
		take(samples.Bob.ID)
		if !poll.over() || poll.status != 200 || poll.take() != "[]\n" || s.over() {
			t.Errorf("the poll goes on, or ends with %d", poll.status)
		}
	})
}

func TestEventStreamGoesOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		feed := published(6)
		s := openStream(t, feed[:4:4], "/events?after=now", "Last-Event-ID", feed[1].End().String())
		if got := ids(s.take()); len(got) != 2 || got[0] != feed[2].End().String() || got[1] != feed[3].End().String() {
			t.Errorf("the events behind the second are %q, want the third and the fourth", got)
		}
		// The store goes away, and comes back with an event more.
		fail := func(err error) {
			s.fixture.mu.Lock()
			defer s.fixture.mu.Unlock()
			s.feedErr = err
		}
		fail(fault.New(fault.Unavailable, "the store is away"))
		time.Sleep(5 * time.Second)
		if s.over() {
			t.Fatal("the stream has ended because the store was away")
		}
		fail(nil)
		s.publish(feed[4])
		if got := ids(s.take()); len(got) != 1 || got[0] != feed[4].End().String() {
			t.Errorf("the events after the outage are %q, want the fifth", got)
		}
		s.stop()
		if !s.over() {
			t.Error("the stream goes on when the server stops")
		}
		if s.aborted {
			t.Error("the stream is aborted, though its last event is whole")
		}
	})
}

// A stream observes the age of the oldest event of each part, also when a round has more
// events than a part. The past that it reads first has no lag.
func TestEventStreamObservesItsLag(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		feed := published(4*streams.MostAtOnce + 50)
		past, round := feed[:streams.MostAtOnce+10], feed[streams.MostAtOnce+10:]
		s := openStream(t, past[:len(past):len(past)], "/events")
		if got := len(ids(s.take())); got != len(past) || len(s.lags.take()) != 0 {
			t.Errorf("the past has %d events, want %d, and none with a lag", got, len(past))
		}
		for i := range round {
			round[i].At = time.Now().Add(-time.Minute + time.Duration(i)*time.Millisecond)
		}
		round[streams.MostAtOnce+7].At = time.Now().Add(-time.Hour)
		s.publish(round...)
		if got := len(ids(s.take())); got != len(round) {
			t.Fatalf("the round has %d events, want %d", got, len(round))
		}
		lags := s.lags.take()
		if want := (len(round) + streams.MostAtOnce - 1) / streams.MostAtOnce; len(lags) != want {
			t.Fatalf("the round of %d events has the lags %v, want one for each of %d parts", len(round), lags, want)
		}
		for i, lag := range lags {
			oldest := round[i*streams.MostAtOnce].At
			if i == 1 {
				oldest = round[streams.MostAtOnce+7].At
			}
			if latest := time.Since(oldest); lag > latest || lag < latest-time.Second {
				t.Errorf("part %d has the lag %v, and its oldest event came at %v, %v ago", i, lag, oldest, latest)
			}
		}
	})
}

// mostSilence is the longest silence of a stream (D39).
const mostSilence = 15 * time.Second

// A client that asks for few events need not look at the others again.
func TestEventStreamMovesOn(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		feed := published(6)
		s := openStream(t, feed[:3:3], "/events?problem=14")
		if got := s.take(); got != streams.Reconnect {
			t.Errorf("the stream begins with %q, want no event", got)
		}
		time.Sleep(mostSilence)
		synctest.Wait()
		if got, want := s.take(), ":\nid: "+feed[2].End().String()+"\n\n"; got != want {
			t.Errorf("the heartbeat is %q, want %q", got, want)
		}
		time.Sleep(mostSilence)
		synctest.Wait()
		if got := s.take(); got != ":\n\n" {
			t.Errorf("the next heartbeat is %q, want a comment alone", got)
		}
	})
}

// revoke revokes all tokens, or takes that back.
func (s streamed) revoke(at time.Time) {
	s.fixture.mu.Lock()
	defer s.fixture.mu.Unlock()
	for i := range s.tokens {
		s.tokens[i].Revoked = at
	}
	s.access++
}

// A revoked token ends its stream within 2 s: whenever other requests have the server read
// the tokens, and whenever events come, such as one just before a look at the token.
func TestEventStreamEndsWithTheToken(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		random := rand.New(rand.NewPCG(1, 2))
		wait := func(most time.Duration) { time.Sleep(time.Duration(random.Int64N(int64(most)))) }
		s := openStream(t, published(1), "/events?after=now")
		event := func() {
			s.fixture.mu.Lock()
			defer s.fixture.mu.Unlock()
			next := s.feed[len(s.feed)-1]
			next.Number++
			s.feed = append(s.feed, next)
		}
		for range 200 {
			for range 10 {
				wait(700 * time.Millisecond)
				event()
				wait(700 * time.Millisecond)
				if w := s.do(request("GET", api+"/problems/12", "")); w.Code != 200 {
					t.Fatalf("another request has the status %d", w.Code)
				}
			}
			if s.over() {
				t.Fatal("the stream has ended with a valid token")
			}
			s.revoke(samples.Time)
			for end := time.Now().Add(2 * time.Second); time.Now().Before(end); {
				time.Sleep(min(time.Until(end), time.Duration(random.Int64N(int64(1200*time.Millisecond)))))
				event()
			}
			if !s.over() {
				t.Fatal("the stream goes on 2 s after its token was revoked")
			}
			s.revoke(time.Time{})
			time.Sleep(2 * time.Second) // the server knows the tokens for a second
			s = s.open(t, "/events?after=now")
		}
	})
}

// A revoked token ends a poll that waits as well: neither an event nor the end of the wait has
// another answer.
func TestPollEndsWithTheToken(t *testing.T) {
	t.Parallel()
	for _, happens := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			s := openStream(t, published(1), "/events?after=now")
			answer := make(chan *httptest.ResponseRecorder, 1)
			go func() { answer <- s.do(request("GET", api+"/events?after=now&wait=10", "")) }()
			time.Sleep(time.Second)
			s.revoke(samples.Time)
			time.Sleep(2 * time.Second)
			if happens {
				s.publish(published(2)[1])
			}
			if w := <-answer; w.Code != http.StatusUnauthorized || strings.Contains(w.Body.String(), "batchIdentifier") {
				t.Errorf("with an event (%v), the answer is %d %s", happens, w.Code, w.Body)
			}
		})
	}
}

// A slow reader gets a page with a large event, too.
func TestPollWaitsForSlowReaders(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		feed := large()
		s := openStream(t, feed[:1:1], "/events?after=now&wait=10", "Accept", "application/json")
		s.slowly(streams.Slowest - time.Second)
		s.publish(feed[1])
		<-s.ended
		if got := eventsIn(t, s.take()); len(got) != 1 || got[0].Identifier != feed[1].End().String() {
			t.Errorf("there are %d events, want the large one", len(got))
		}
	})
}

// A stopping server answers a poll that waits at once, with the position.
func TestPollEndsWithTheServer(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := openStream(t, published(1), "/events?after=now")
		answer := make(chan *httptest.ResponseRecorder, 1)
		go func() { answer <- s.do(request("GET", api+"/events?after=now&wait=60", "")) }()
		time.Sleep(5 * time.Second)
		s.leave() // the other stream would keep the tokens fresh
		time.Sleep(5 * time.Second)
		s.stop()
		began := time.Now()
		if w := <-answer; w.Code != http.StatusOK || w.Header().Get("Link") == "" || strings.TrimSpace(w.Body.String()) != "[]" {
			t.Errorf("the answer is %d %v %s", w.Code, w.Header(), w.Body)
		}
		if took := time.Since(began); took > time.Second {
			t.Errorf("the answer took %s", took)
		}
	})
}

// While the store is away, the comments still come: a stream that is silent is dead.
func TestEventStreamLivesWithoutTheStore(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		fixed := newFixedStore()
		fixed.feed, fixed.feedErr, fixed.feedFrom = published(streams.MostAtOnce+10), fault.New(fault.Unavailable, "the store is away"), streams.MostAtOnce
		s := openStreamOf(t, fixed, "/events")
		if got := len(ids(s.take())); got != streams.MostAtOnce {
			t.Fatalf("the stream begins with %d events, want those that can be read", got)
		}
		for range 3 {
			time.Sleep(mostSilence)
			synctest.Wait()
			if got := s.take(); !strings.HasPrefix(got, ":\n") {
				t.Errorf("without the store the stream has %q, want a comment", got)
			}
		}
		s.fixture.mu.Lock()
		s.feedErr = nil
		s.fixture.mu.Unlock()
		time.Sleep(500 * time.Millisecond) // to its next look
		synctest.Wait()
		if got := len(ids(s.take())); got != 10 {
			t.Errorf("with the store again the stream has %d events, want the other 10", got)
		}
	})
}

// The first events are read before the stream begins, so their failure is an error.
func TestEventStreamFailsBeforeItBegins(t *testing.T) {
	t.Parallel()
	f := setup(t, func(o *Options) {
		slow := newFixedStore()
		slow.feed = published(3)
		o.Service = usecases.New(tracker.Options{Store: slow, Now: o.Now, Random: zeros{}, Limits: tracker.DefaultLimits(), SearchFor: -1}, nil) // no time at all
	})
	for _, accept := range []string{mediaEvents, mediaJSON} {
		f.send(t, request("GET", api+"/events?predicate=TRUEPREDICATE", "", "Accept", accept), 422, fault.QueryTooExpensive)
	}
}

func TestEventStreamCutsSlowReaders(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		feed := published(6)
		s := openStream(t, feed[:1:1], "/events")
		s.take()
		s.streamWriter.mu.Lock()
		s.stuck = true
		s.streamWriter.mu.Unlock()
		s.publish(feed[1])
		if s.over() {
			t.Fatal("the stream has ended at once")
		}
		time.Sleep(streams.Slowest)
		if !s.over() {
			t.Error("the stream goes on although its reader takes nothing")
		}
		if !s.aborted {
			t.Error("the stream has ended as if its last event were whole")
		}
	})
}

// slowly has the reader take 64 KiB in this time.
func (w *streamWriter) slowly(pace time.Duration) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.pace = pace
}

// large returns a feed of two events. The second one has about a megabyte.
func large() []event.Entry {
	feed := published(2)
	feed[1].Events[0].Title = strings.Repeat("x", 1<<20)
	return feed
}

// A slow reader gets a large event, too: each piece has a time of its own.
func TestEventStreamWaitsForSlowReaders(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		feed := large()
		s := openStream(t, feed[:1:1], "/events")
		s.take()
		s.slowly(streams.Slowest - time.Second)
		s.publish(feed[1])
		time.Sleep(20 * streams.Slowest)
		if s.over() {
			t.Fatal("the stream has ended although its reader takes each piece in time")
		}
		if got := ids(s.take()); len(got) != 1 || got[0] != feed[1].End().String() {
			t.Errorf("the events are %q, want the large one", got)
		}
	})
}

// A slow write ends with the token, with the server, and with the memory of the user.
func TestEventStreamEndsWithinASlowWrite(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		rule string
		end  func(s streamed)
	}{
		{"the token is revoked", func(s streamed) { s.revoke(samples.Time) }},
		{"the server stops", func(s streamed) { s.stop() }},
		{"the client goes", func(s streamed) { s.leave() }},
		{"the user holds too much memory", func(s streamed) {
			other := s.memory.Open(nil)
			other.For(samples.Ann.ID)
			other.Add(s.memory.Total() / 2)
		}},
	} {
		synctest.Test(t, func(t *testing.T) {
			feed := large()
			s := openStream(t, feed[:1:1], "/events")
			s.take()
			s.slowly(time.Second)
			s.publish(feed[1])
			test.end(s)
			time.Sleep(2 * time.Second)
			if _, waits := s.memory.Held(); strings.Contains(test.rule, "memory") {
				if s.over() {
					t.Errorf("%s: the stream has ended within the time of one piece; %d wait", test.rule, waits)
				}
				time.Sleep(streams.Slowest)
			}
			if !s.over() {
				t.Errorf("%s: the stream goes on with its large event", test.rule)
			}
			if !s.aborted {
				t.Errorf("%s: the stream has ended as if its large event were whole", test.rule)
			}
		})
	}
}

// The streams of a connection of HTTP/2 share its speed, so a piece takes longer. A frame in
// memory counts for its user all the same, and a client that takes nothing is cut.
func TestEventStreamOverHTTP2WaitsForSlowReaders(t *testing.T) {
	t.Parallel()
	const size = httpframe.PieceSize / 2 // less than a stream writes at once
	for _, test := range []struct {
		rule           string
		pace           time.Duration
		crowded, whole bool
	}{
		{"250 streams share 200 kbit/s", httpframe.MostStreams * httpframe.PieceSize * time.Second / 25_000, false, true},
		{"the client takes nothing", time.Hour, false, false},
		{"the user holds too much memory", 10 * time.Minute, true, false},
	} {
		synctest.Test(t, func(t *testing.T) {
			feed := published(2)
			feed[1].Events[0].Title = strings.Repeat("x", size)
			s := openStream(t, feed[:1:1], "/events")
			r := request("GET", api+"/events", "", "Accept", "text/event-stream", "Last-Event-ID", feed[0].End().String())
			r.ProtoMajor, r.ProtoMinor = 2, 0
			s = s.openBy(t, r)
			s.slowly(test.pace)
			s.publish(feed[1])
			time.Sleep(streams.Slowest)
			if held, _ := s.memory.Held(); held < size {
				t.Errorf("%s: the budget holds %d bytes, want the event", test.rule, held)
			}
			if test.crowded {
				other := s.memory.Open(nil)
				other.For(samples.Ann.ID)
				other.Add(s.memory.Total() / 2)
			}
			time.Sleep(min(2*test.pace, time.Hour))
			if got := s.take(); s.over() == test.whole || s.aborted == test.whole || strings.Contains(got, "}\n\n") != test.whole {
				t.Errorf("%s: the stream has ended (%v) with %d bytes", test.rule, s.over(), len(got))
			}
		})
	}
}

// A stream without news has no deadline: one of HTTP/2 would end with it.
func TestEventStreamHasNoDeadlineInSilence(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := openStream(t, published(1), "/events")
		s.streamWriter.mu.Lock()
		defer s.streamWriter.mu.Unlock()
		if !s.deadline.IsZero() {
			t.Errorf("behind its first event the stream has the deadline %v", s.deadline)
		}
	})
}

// A store with another history ends the stream. The next request gets the error.
func TestEventStreamEndsWithTheHistory(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		s := openStream(t, published(3), "/events")
		s.take()
		s.fixture.mu.Lock()
		s.feed = published(2)
		s.feed[1].Batch = samples.Ann.ID
		s.fixture.mu.Unlock()
		time.Sleep(time.Minute)
		if !s.over() {
			t.Error("the stream goes on in another history")
		}
	})
}

func TestWaitForEvents(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		feed := published(4)
		for _, test := range []struct {
			rule    string
			query   string
			publish time.Duration // after; 0: never
			took    time.Duration
			events  int
		}{
			{"nothing comes", "wait=30", 0, 30 * time.Second, 0},
			{"an event comes", "wait=60", 10 * time.Second, 11 * time.Second, 1},
			{"another event comes", "wait=20&problem=14", 10 * time.Second, 20 * time.Second, 0},
		} {
			s := openStream(t, feed[:1:1], "/events?after=now&"+test.query, "Accept", "application/json")
			began := time.Now()
			if test.publish > 0 {
				time.Sleep(test.publish)
				s.publish(feed[1])
			}
			<-s.ended
			if took := time.Since(began); took > test.took || took < test.took-time.Second {
				t.Errorf("%s: the answer took %v, want %v", test.rule, took, test.took)
			}
			if got := eventsIn(t, s.take()); len(got) != test.events {
				t.Errorf("%s: there are %d events, want %d", test.rule, len(got), test.events)
			}
		}
	})
}
