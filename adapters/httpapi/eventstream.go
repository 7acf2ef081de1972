package httpapi

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/problemtracking/problems/adapters/httpapi/internal/frames"
	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/budget"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/tracker"
)

const (
	// streamPage is the largest number of events written at once.
	streamPage = tracker.MostOnPage
	// heartbeat is the silence after which a stream sends a comment: proxies cut a silent
	// connection. The comment comes at the next look, within 15 seconds (D39).
	heartbeat = 14 * time.Second
	// streamCheck is the time between two looks at the token, and between two attempts
	// to read from a store in trouble. A revoked token has to end its streams within 2 s,
	// and a token can be a second behind the store.
	streamCheck = 500 * time.Millisecond
	// slowest is the usual limit of one write: see Streams.
	slowest = 10 * time.Second
	// reconnect is the pause of a client before it connects again, in milliseconds.
	reconnect = "retry: 2000\n\n"
)

// whileConnected returns a context without the time limit of a request. It ends when the
// client closes its side of the connection.
func (c *call) whileConnected() (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(c.r.Context()))
	stop := context.AfterFunc(c.frame.Connection(), cancel)
	return ctx, func() { stop(); cancel() }
}

// untilStopping returns a context that also ends when the server begins to stop.
func (c *call) untilStopping(ctx context.Context) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	if c.Stopping == nil {
		return ctx, cancel
	}
	stop := context.AfterFunc(c.Stopping, cancel)
	return ctx, func() { stop(); cancel() }
}

// extendDeadlines lets the answer take this long. The server's own limits are for short
// answers. Not all writers have deadlines.
func (c *call) extendDeadlines(limit time.Duration) {
	control := http.NewResponseController(c.w)
	_ = control.SetReadDeadline(time.Time{})
	_ = control.SetWriteDeadline(c.Now().Add(limit))
}

// eventStream is a stream of server-sent events to one client.
type eventStream struct {
	*server
	out      eventWriter
	follower *tracker.Follower
	secret   access.Secret
	report   func(context.Context, error)
	caller   tracker.Caller
	memory   *budget.Account // of a frame that is not shared; nil: nothing counts it
	first    *frames.Frame   // nil once it is sent
	written  time.Time       // the end of the last write
	named    event.Cursor    // the last id that was sent
	checked  time.Time       // the last look at the token
	behind   bool            // there may be events behind the position
	reached  bool            // the stream was at the end of the feed once
	// shared is true for a stream with all events of its scope: many streams send the
	// same ones.
	shared bool
}

// eventWriter is the way to the client of a stream.
type eventWriter interface {
	// write sends a text, or its chunk, before the deadline.
	write(chunk, text []byte, deadline time.Time) error
}

// openStream reads the first events, so that their failure comes in place of the stream, and
// has the answer send them.
func (c *call) openStream(f *tracker.Follower, in tracker.Follow) error {
	s := &eventStream{
		server: c.server, follower: f, secret: httpframe.Credential(c.r), report: c.frame.Report,
		named: f.Position(), checked: c.Now(), behind: true, reached: in.Now,
		shared: in.Problem == 0 && !in.Predicate.Sent, caller: c.caller,
	}
	if c.Memory != nil {
		s.memory = c.Memory.Open(nil)
		s.memory.For(c.caller.User)
		c.after(s.memory.Close)
	}
	var err error
	if s.first, err = s.encode(c.r.Context()); err != nil {
		return c.unlessGone(err)
	}
	s.memory.Add(s.first.Size())
	c.sendTo = func(w http.ResponseWriter) { c.streamEvents(w, s, in) }
	return nil
}

// streamEvents sends events until the client goes, the token is revoked, the server stops,
// or the client reads too slowly. The client then connects again, with Last-Event-ID. If
// the stream starts from now, its first frame is an id without an event: otherwise a client
// without an event would start from another now.
func (c *call) streamEvents(w http.ResponseWriter, s *eventStream, in tracker.Follow) {
	header := w.Header()
	header.Set("Content-Type", mediaEvents)
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no")
	// HTTP/1.0 has no chunks, and a predicate needs the memory of the request.
	detachable := c.r.ProtoMajor == 1 && c.r.ProtoMinor > 0 && !in.Predicate.Sent
	if detachable {
		header.Set("Connection", "close")
	}
	handled := &handledStream{w, http.NewResponseController(w)}
	s.out = handled
	_ = handled.control.SetReadDeadline(time.Time{})
	w.WriteHeader(http.StatusOK)
	begin := reconnect
	if in.Now {
		begin += "id: " + s.named.String() + "\n\n"
	}
	if s.write(nil, []byte(begin)) != nil {
		return
	}
	if detachable && c.detach(s, handled) {
		return
	}
	connected, cancel := c.whileConnected()
	defer cancel()
	ctx, cancelStream := c.untilStopping(connected)
	defer cancelStream()
	s.run(ctx)
}

// run sends events until the end of the stream.
func (s *eventStream) run(ctx context.Context) {
	for ctx.Err() == nil && s.step(ctx) {
	}
}

// handledStream writes to a client within its handler.
type handledStream struct {
	w       http.ResponseWriter
	control *http.ResponseController
}

func (h *handledStream) write(_, text []byte, deadline time.Time) error {
	_ = h.control.SetWriteDeadline(deadline)
	if _, err := h.w.Write(text); err != nil {
		return err
	}
	return h.control.Flush()
}

// step sends the next events, or waits for them until the next look at the token. It
// returns false at the end of the stream.
func (s *eventStream) step(ctx context.Context) bool {
	if !s.allowed(ctx) {
		return false
	}
	switch err := s.send(ctx); {
	case ctx.Err() != nil:
		return false
	case fault.Is(err, fault.Unavailable):
		// No event can be lost: the store has not moved on either.
		if s.beat() != nil {
			return false
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(streamCheck):
		}
	case err != nil:
		if !errors.Is(err, errEnd) {
			s.report(ctx, err)
		}
		return false // the next request gets the error
	}
	if !s.behind {
		waiting, cancel := context.WithTimeout(ctx, streamCheck-s.Now().Sub(s.checked))
		s.behind = s.follower.Wait(waiting) == nil
		cancel()
	}
	return ctx.Err() == nil
}

// errEnd is the end of a stream without a failure of the service: the token is revoked, or
// the client has gone or reads too slowly.
var errEnd = errors.New("the end of the stream")

// send sends the next events, if there can be any, or else a heartbeat when it is time.
func (s *eventStream) send(ctx context.Context) error {
	if !s.behind {
		return s.beat()
	}
	next, err := s.next(ctx)
	defer s.memory.Close()
	if err != nil {
		return err
	}
	defer s.frames.Release(next)
	if !s.allowed(ctx) {
		return errEnd // the read can have taken long
	}
	s.behind = !next.End
	if next.Events == 0 {
		s.reached = s.reached || next.End
		return s.beat()
	}
	if err := s.write(next.Chunk, next.Text); err != nil {
		return err
	}
	s.named = next.Last
	s.streams.count(next.Events)
	if s.reached && s.streams.lag != nil {
		s.streams.lag(s.written.Sub(next.Oldest))
	}
	s.reached = s.reached || next.End
	return nil
}

// beat sends a comment after a long silence. When events were left out, it moves the id of
// the client on, so a new connection need not look at them again.
func (s *eventStream) beat() error {
	if s.Now().Sub(s.written) < heartbeat {
		return nil
	}
	text := ":\n\n"
	if at := s.follower.Position(); at != s.named {
		text, s.named = ":\nid: "+at.String()+"\n\n", at
	}
	return s.write(nil, []byte(text))
}

// next returns the events behind the position, within the time of a request. Streams that
// read the past do not share theirs: nobody else is there.
func (s *eventStream) next(ctx context.Context) (*frames.Frame, error) {
	if f := s.first; f != nil {
		s.first = nil
		return f, nil
	}
	names, live := s.follower.Names()
	if !s.shared || !s.reached || !live {
		f, err := s.encode(ctx)
		if err == nil {
			s.memory.Add(f.Size())
		}
		return f, err
	}
	key := frames.Key{After: s.follower.Position(), Admin: s.caller.Scope.Covers(access.Admin), Catalogue: names}
	f, err := s.frames.Of(ctx, key, func() (*frames.Frame, error) { return s.encode(ctx) })
	if err == nil {
		s.follower.Skip(f.Next)
	}
	return f, err
}

// encode loads the next events, and makes a frame of them.
func (s *eventStream) encode(ctx context.Context) (*frames.Frame, error) {
	ctx, cancel := context.WithTimeout(budget.With(ctx, s.memory), s.Limits.RequestTime)
	defer cancel()
	page, err := s.follower.Next(ctx)
	if err != nil {
		return nil, err
	}
	return frames.New(page), nil
}

// allowed reports whether the token is still valid, as of streamCheck ago. While the store
// cannot say, the stream stays: it cannot send anything new either.
func (s *eventStream) allowed(ctx context.Context) bool {
	now := s.Now()
	if now.Sub(s.checked) < streamCheck {
		return true
	}
	s.checked = now
	_, err := s.Service.Recognize(ctx, s.secret)
	return !fault.Is(err, fault.Unauthenticated)
}

// write sends a text. chunk is the text as a chunk, if it is known. It fails with
// errEnd.
func (s *eventStream) write(chunk, text []byte) error {
	err := s.out.write(chunk, text, s.Now().Add(s.streams.slowest))
	s.written = s.Now()
	if err != nil {
		return errEnd
	}
	return nil
}
