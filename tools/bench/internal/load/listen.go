package load

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httputil"
	"strconv"
	"sync"
	"sync/atomic"
	"time"
)

// Listening has the settings of one run of writes with listeners: streams of all events
// from now on.
type Listening struct {
	Writing
	Streams   Contender // has the streams: the server of the writers, or another one on the same store
	Listeners int
}

// Heard is the result of such a run.
type Heard struct {
	Written
	// Arrivals are the times from the answer to a write until its event was read. An event
	// that comes before the answer has 0.
	Arrivals Latencies `json:"-"`
}

// mostTimed is the number of listeners with times. The others only count events, because
// the client shares the machine with the server.
const mostTimed = 4

// Drive opens the streams and lets the writers write. It returns when each stream has had
// each event.
func (l Listening) Drive(ctx context.Context) (h Heard, err error) {
	deadline := time.Now().Add(l.Duration + slack)
	workers, err := l.connect(deadline)
	if err != nil {
		return h, err
	}
	defer closeAll(workers)
	streams, err := Open(ctx, l.Streams, l.Scene.tokens, l.Listeners, deadline)
	if err != nil {
		return h, err
	}
	defer streams.Close()
	streams.read()
	acknowledged, written, err := l.write(ctx, workers)
	h.Written = written
	if err != nil {
		return h, err
	}
	if err := streams.await(ctx, h.Writes, deadline); err != nil {
		return h, err
	}
	h.Arrivals, err = streams.arrivals(acknowledged)
	return h, err
}

// Streams are open streams of events.
type Streams struct {
	all     []*stream
	readers sync.WaitGroup
}

// stream is one of them.
type stream struct {
	*conn
	events io.Reader
	count  atomic.Int64
	timed  bool
	// seen has the times of the events, by problem; of a timed stream.
	mu   sync.Mutex
	seen map[int64][]time.Time
	err  error
	// ids has the lines of the events' ids; of a timed stream.
	ids map[string]bool
}

// Open opens streams from now on, in turn with each of the tokens.
func Open(ctx context.Context, c Contender, tokens []string, n int, deadline time.Time) (s *Streams, err error) {
	s = new(Streams)
	defer func() {
		if err != nil {
			s.Close()
		}
	}()
	for i := range n {
		if err := ctx.Err(); err != nil {
			return s, err
		}
		one, err := openStream(c, tokens[i%len(tokens)], "now", deadline)
		if err != nil {
			return s, err
		}
		one.timed = i < mostTimed
		s.all = append(s.all, one)
	}
	return s, nil
}

// openStream opens a stream behind a cursor. It returns when the stream has begun.
func openStream(c Contender, token, after string, deadline time.Time) (*stream, error) {
	conn, err := dial(c.URL, deadline)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", c.Name, err)
	}
	s := &stream{conn: conn, seen: map[int64][]time.Time{}, ids: map[string]bool{}}
	path := API + "/events"
	if after != "" {
		path += "?after=" + after
	}
	_, err = fmt.Fprintf(conn, "GET %s HTTP/1.1\r\nHost: %s\r\nAuthorization: %s\r\nAccept: text/event-stream\r\n\r\n", path, conn.host, token)
	if err == nil {
		var response *http.Response
		if response, err = http.ReadResponse(conn.in, nil); err == nil && response.StatusCode != http.StatusOK {
			err = fmt.Errorf("GET %s: %s", path, response.Status)
		}
	}
	if err == nil {
		s.events = httputil.NewChunkedReader(conn.in)
		// The first line is "retry": then the stream has its position.
		var first [len("retry:")]byte
		if _, err = io.ReadFull(s.events, first[:]); err == nil && string(first[:]) != "retry:" {
			err = fmt.Errorf("the stream begins with %q", first)
		}
	}
	if err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("%s: a stream: %w", c.Name, err)
	}
	return s, nil
}

// Close closes the streams, and waits for their readers.
func (s *Streams) Close() {
	for _, one := range s.all {
		_ = one.Close()
	}
	s.readers.Wait()
}

// read begins to read all streams.
func (s *Streams) read() {
	for _, one := range s.all {
		s.readers.Go(func() {
			read := one.tally
			if one.timed {
				read = one.time
			}
			err := read()
			one.mu.Lock()
			defer one.mu.Unlock()
			one.err = err
		})
	}
}

// dataLine is the begin of an event, behind the end of the line before.
const dataLine = "\ndata: "

// tally counts the events of a stream up to its end.
func (s *stream) tally() error {
	buf := make([]byte, 4<<10)
	kept := 0
	for {
		n, err := s.events.Read(buf[kept:])
		text := buf[:kept+n]
		s.count.Add(int64(bytes.Count(text, []byte(dataLine))))
		kept = min(len(text), len(dataLine)-1)
		copy(buf, text[len(text)-kept:])
		if err != nil {
			return err
		}
	}
}

// time notes when events arrive, up to the end of the stream. An event that comes twice is an
// error: in the number of events, it can hide one that is missing.
func (s *stream) time() error {
	lines := bufio.NewReaderSize(s.events, 64<<10)
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil {
			return err
		}
		now := time.Now()
		if bytes.HasPrefix(line, []byte("id: ")) {
			if s.ids[string(line)] {
				return fmt.Errorf("it has an event twice: %s", bytes.TrimSpace(line))
			}
			s.ids[string(line)] = true
		}
		if !bytes.HasPrefix(line, []byte(dataLine[1:])) {
			continue
		}
		if id, ok := problemIn(line); ok {
			s.mu.Lock()
			s.seen[id] = append(s.seen[id], now)
			s.mu.Unlock()
		}
		s.count.Add(1)
	}
}

// problemIn returns the problem of an event.
func problemIn(line []byte) (int64, bool) {
	_, rest, found := bytes.Cut(line, []byte(`"problem":{"identifier":`))
	digits := 0
	for digits < len(rest) && '0' <= rest[digits] && rest[digits] <= '9' {
		digits++
	}
	id, err := strconv.ParseInt(string(rest[:digits]), 10, 64)
	return id, found && err == nil
}

// await returns when each stream has had so many events.
func (s *Streams) await(ctx context.Context, events int, deadline time.Time) error {
	for n, one := range s.all {
		for one.count.Load() < int64(events) {
			one.mu.Lock()
			err := one.err
			one.mu.Unlock()
			if err == nil && time.Now().After(deadline) {
				err = errors.New("too slow")
			}
			if err == nil {
				err = ctx.Err()
			}
			if err != nil {
				return fmt.Errorf("stream %d of %d has %d of %d events: %w", n+1, len(s.all), one.count.Load(), events, err)
			}
			time.Sleep(time.Millisecond)
		}
		if got := one.count.Load(); got > int64(events) {
			return fmt.Errorf("stream %d of %d has %d events, of %d writes", n+1, len(s.all), got, events)
		}
	}
	return nil
}

// arrivals returns the times from the answers to the events, which have the same order for
// each problem.
func (s *Streams) arrivals(acknowledged map[int64][]time.Time) (Latencies, error) {
	var all Latencies
	for _, one := range s.all {
		if !one.timed {
			continue
		}
		one.mu.Lock()
		for id, answers := range acknowledged {
			seen := one.seen[id]
			if len(seen) != len(answers) {
				one.mu.Unlock()
				return nil, fmt.Errorf("problem %d has %d events, of %d writes", id, len(seen), len(answers))
			}
			for i, answer := range answers {
				all = append(all, max(0, seen[i].Sub(answer)))
			}
		}
		one.mu.Unlock()
	}
	return Gather(all), nil
}
