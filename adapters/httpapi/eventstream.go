package httpapi

import (
	"context"
	"net/http"
	"sync"
	"time"

	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/tracker"
)

const (
	// streamPage is the number of events written at once.
	streamPage = 100
	// heartbeat is the longest silence of a stream: proxies cut a silent connection.
	heartbeat = 15 * time.Second
	// streamCheck is the time between two looks at the token, and between two attempts
	// to read from a store in trouble. A revoked token has to end its streams within 2 s.
	streamCheck = time.Second
	// slowest limits one write. A slower reader is cut, and goes on where it was.
	slowest = 10 * time.Second
	// reconnect is the pause of a client before it connects again, in milliseconds.
	reconnect = "retry: 2000\n\n"
)

// whileConnected returns a context without the time limit of a request. It ends when the
// client closes its side of the connection, and when the server stops.
func (c *call) whileConnected() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(c.r.Context()))
	connection := context.AfterFunc(c.frame.Connection(), cancel)
	stopping := func() bool { return true }
	if c.Stopping != nil {
		stopping = context.AfterFunc(c.Stopping, cancel)
	}
	return ctx, func() {
		connection()
		stopping()
		cancel()
	}
}

// extendDeadlines lets the answer take this long. The server's own limits are for short
// answers. Not all writers have deadlines.
func (c *call) extendDeadlines(limit time.Duration) {
	control := http.NewResponseController(c.w)
	_ = control.SetReadDeadline(time.Time{})
	_ = control.SetWriteDeadline(time.Now().Add(limit))
}

// eventStream is a stream of server-sent events to one client.
type eventStream struct {
	*call
	follower *tracker.Follower
	control  *http.ResponseController
	buf      []byte
	written  time.Time    // the end of the last write
	named    event.Cursor // the last id that was sent
}

// streamEvents sends events until the client goes, the token is revoked, the server stops,
// or the client reads too slowly. The client then connects again, with Last-Event-ID. If
// the stream starts from now, its first frame is an id without an event: otherwise a client
// without an event would start from another now.
func (c *call) streamEvents(w http.ResponseWriter, f *tracker.Follower, fromNow bool) {
	ctx, cancel := c.whileConnected()
	defer cancel()
	header := w.Header()
	header.Set("Content-Type", mediaEvents)
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no")
	s := &eventStream{call: c, follower: f, control: http.NewResponseController(w), named: f.Position()}
	_ = s.control.SetReadDeadline(time.Time{})
	w.WriteHeader(http.StatusOK)
	s.buf = append(s.buf, reconnect...)
	if fromNow {
		s.buf = append(s.buf, "id: "+s.named.String()+"\n\n"...)
	}
	if s.flush(w) != nil {
		return
	}
	for s.step(ctx, w) {
	}
}

// step sends the next events, or waits a moment for them. It returns false at the end of
// the stream.
func (s *eventStream) step(ctx context.Context, w http.ResponseWriter) bool {
	if !s.authenticated(ctx) {
		return false
	}
	page, err := s.next(ctx)
	switch {
	case ctx.Err() != nil:
		return false
	case fault.Is(err, fault.Unavailable):
		// No event can be lost: the store has not moved on either.
		select {
		case <-ctx.Done():
			return false
		case <-time.After(streamCheck):
		}
	case err != nil:
		s.frame.Report(ctx, err)
		return false // the next request gets the error
	}
	for _, e := range page.Events {
		s.buf = append(s.buf, "id: "...)
		s.buf = append(s.buf, e.Cursor.String()...)
		s.buf = append(s.buf, "\ndata: "...)
		s.buf = append(s.buf, s.encoded.get(e, page.Catalogue)...)
		s.buf = append(s.buf, "\n\n"...)
		s.named = e.Cursor
		if page.End && s.streams.lag != nil {
			s.streams.lag(s.Now().Sub(e.At))
		}
	}
	if len(s.buf) == 0 && time.Since(s.written) >= heartbeat {
		s.buf = append(s.buf, ':')
		if at := s.follower.Position(); at != s.named {
			// Events were left out: a new connection need not look at them again.
			s.buf = append(s.buf, "\nid: "...)
			s.buf = append(s.buf, at.String()...)
			s.named = at
		}
		s.buf = append(s.buf, "\n\n"...)
	}
	if s.flush(w) != nil {
		return false
	}
	s.streams.count(len(page.Events))
	if err == nil && page.End {
		waiting, cancel := context.WithTimeout(ctx, streamCheck)
		_ = s.follower.Wait(waiting)
		cancel()
	}
	return ctx.Err() == nil
}

// next returns the next page, within the time of a request.
func (s *eventStream) next(ctx context.Context) (tracker.EventPage, error) {
	ctx, cancel := context.WithTimeout(ctx, s.Limits.RequestTime)
	defer cancel()
	return s.follower.Next(ctx)
}

// authenticated reports whether the token is still valid. While the store cannot say, the
// stream stays: it cannot send anything new either.
func (s *eventStream) authenticated(ctx context.Context) bool {
	_, err := s.Service.Recognize(ctx, httpframe.Credential(s.r))
	return !fault.Is(err, fault.Unauthenticated)
}

// flush sends the buffer, if there is something in it.
func (s *eventStream) flush(w http.ResponseWriter) error {
	if len(s.buf) == 0 {
		return nil
	}
	_ = s.control.SetWriteDeadline(time.Now().Add(slowest))
	_, err := w.Write(s.buf)
	if err == nil {
		err = s.control.Flush()
	}
	s.written = time.Now()
	if s.buf = s.buf[:0]; cap(s.buf) > largestStreamBuffer {
		s.buf = nil
	}
	return err
}

// largestStreamBuffer is the capacity, in bytes, that an idle stream may hold.
const largestStreamBuffer = 4 << 10

// encodedEvents holds the JSON of the latest events: many streams send the same ones.
type encodedEvents struct {
	mu     sync.Mutex
	known  map[event.Cursor]encodedEvent
	recent []event.Cursor // in the order of their arrival
}

type encodedEvent struct {
	catalogue ident.Version // with the names in it
	json      []byte
}

// The bounds of encodedEvents: their number, and the length of one in bytes.
const (
	mostEncoded    = 512
	longestEncoded = 8 << 10
)

// get returns the JSON of an event.
func (k *encodedEvents) get(v tracker.PublishedEvent, catalogue *metadata.Catalogue) []byte {
	k.mu.Lock()
	defer k.mu.Unlock()
	known, ok := k.known[v.Cursor]
	if ok && known.catalogue == catalogue.Version {
		return known.json
	}
	e := wire.Encoder{Catalogue: catalogue}
	e.Event(v)
	if len(e.Buf) > longestEncoded {
		return e.Buf
	}
	if k.known == nil {
		k.known = map[event.Cursor]encodedEvent{}
	}
	if !ok {
		if len(k.recent) == mostEncoded {
			delete(k.known, k.recent[0])
			k.recent = append(k.recent[:0], k.recent[1:]...)
		}
		k.recent = append(k.recent, v.Cursor)
	}
	k.known[v.Cursor] = encodedEvent{catalogue.Version, e.Buf}
	return e.Buf
}
