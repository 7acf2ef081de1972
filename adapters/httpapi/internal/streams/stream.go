package streams

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/problemtracking/problems/adapters/httpapi/internal/sse"
	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/budget"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/tracker"
)

const (
	// MediaType is the media type of a stream.
	MediaType = "text/event-stream"
	// MostAtOnce is the largest number of events written at once.
	MostAtOnce = tracker.MostOnPage
	// Reconnect is the first message of a stream: the pause of a client before it connects
	// again, in milliseconds.
	Reconnect = "retry: 2000\n\n"
	// Slowest is the usual time for a client to take one piece.
	Slowest = httpframe.PieceTime
	// heartbeat is the silence after which a stream sends a comment: proxies cut a silent
	// connection. The comment comes at the next look, within 15 seconds (D39).
	heartbeat = 14 * time.Second
	// check is the time between two looks at the token, and between two attempts to read from
	// a store in trouble. A revoked token has to end its streams within 2 s, and a token can
	// be a second behind the store.
	check = 500 * time.Millisecond
)

// Stream is a stream of server-sent events to one client.
type Stream struct {
	*Sender
	out      writer
	place    context.Context // ends when the place is another's
	follower *tracker.Follower
	secret   access.Secret
	report   func(context.Context, error)
	caller   tracker.Caller
	memory   *budget.Account // of a page that is not shared, or sent slowly; nil: nothing counts it
	charged  bool            // memory has the page
	first    *sse.Page       // nil once it is sent
	written  time.Time       // the end of the last write
	named    event.Cursor    // the last id that was sent
	checked  time.Time       // the last look at the token
	behind   bool            // there may be events behind the position
	reached  bool            // the stream was at the end of the feed once
	// shared is true for a stream with all events of its scope: many streams send the
	// same ones.
	shared bool
	// fromNow is true for a stream without a position to start behind, and filtered for one
	// with a predicate.
	fromNow, filtered bool

	mu      sync.Mutex
	waiting context.Context // of the write under way; nil: there is none
	began   time.Time       // of that write
	size    int             // of its page, in bytes
	look    *time.Timer     // at that write
}

// writer is the way to the client of a stream.
type writer interface {
	// write sends a text, or its chunk, in pieces of at most httpframe.PieceSize. Before each
	// one it calls next for its deadline, and stops at an error.
	write(chunk, text []byte, next func() (deadline time.Time, err error)) error
	// cut lets a write fail that waits for the client. It may be called beside write.
	cut()
}

// Open returns a stream for a request, until the end of its place. It reads the first events, so that their failure comes
// in place of the stream. The stream has to be closed at its end.
func (s *Sender) Open(r *http.Request, place context.Context, caller tracker.Caller, f *tracker.Follower, in tracker.Follow) (*Stream, error) {
	t := &Stream{
		Sender: s, place: place, follower: f, secret: httpframe.Credential(r), report: httpframe.Of(r).Report,
		named: f.Position(), checked: s.Now(), behind: true, reached: in.Now,
		shared: in.Problem == 0 && !in.Predicate.Sent, caller: caller,
		fromNow: in.Now, filtered: in.Predicate.Sent,
	}
	if s.Memory != nil {
		t.memory = s.Memory.Open(nil)
		t.memory.For(caller.User)
	}
	var err error
	if t.first, err = t.encode(r.Context()); err != nil {
		t.Close()
		return nil, err
	}
	t.charge(t.first.Size())
	return t, nil
}

// Close gives back the memory of the stream.
func (s *Stream) Close() { s.memory.Close() }

// Send sends events until the client goes, the token is revoked, the server stops, or the
// client reads too slowly. The client then connects again, with Last-Event-ID. If the stream
// starts from now, its first page is an id without an event: otherwise a client without an
// event would start from another now.
//
// When it returns true, the stream goes on in a goroutine of its own, which calls end.
func (s *Stream) Send(w http.ResponseWriter, r *http.Request, end func()) (detached bool) {
	header := w.Header()
	header.Set("Content-Type", MediaType)
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no")
	// HTTP/1.0 has no chunks, and a predicate needs the memory of the request.
	detachable := r.ProtoMajor == 1 && r.ProtoMinor > 0 && !s.filtered
	if detachable {
		header.Set("Connection", "close")
	}
	handled := &handledStream{w: w, control: http.NewResponseController(w)}
	s.out = handled
	_ = handled.control.SetReadDeadline(time.Time{})
	w.WriteHeader(http.StatusOK)
	begin := Reconnect
	if s.fromNow {
		begin += "id: " + s.named.String() + "\n\n"
	}
	if s.write(context.WithoutCancel(r.Context()), nil, []byte(begin)) == nil {
		if detachable && s.detach(r, handled, end) {
			return true
		}
		connected, cancel := whileConnected(r)
		defer cancel()
		ctx, cancelStream := s.untilStopping(connected, s.place)
		defer cancelStream()
		s.run(ctx)
	}
	if handled.broken {
		panic(http.ErrAbortHandler) // the client must not take half a stream for a whole one
	}
	return false
}

// run sends events until the end of the stream.
func (s *Stream) run(ctx context.Context) {
	for ctx.Err() == nil && s.step(ctx) {
	}
}

// handledStream writes to a client within its handler.
type handledStream struct {
	w       http.ResponseWriter
	control *http.ResponseController
	broken  bool // a text was sent in part
}

func (h *handledStream) write(_, text []byte, next func() (time.Time, error)) error {
	for piece := range slices.Chunk(text, httpframe.PieceSize) {
		deadline, err := next()
		if err != nil {
			return err
		}
		_ = h.control.SetWriteDeadline(deadline)
		h.broken = true // until all of it is sent
		if _, err := h.w.Write(piece); err != nil {
			return err
		}
	}
	err := h.control.Flush()
	h.broken = err != nil
	_ = h.control.SetWriteDeadline(time.Time{}) // HTTP/2 ends a stream at its deadline, also in silence
	return err
}

func (h *handledStream) cut() { _ = h.control.SetWriteDeadline(longAgo) }

// step sends the next events, or waits for them until the next look at the token. It
// returns false at the end of the stream.
func (s *Stream) step(ctx context.Context) bool {
	if !s.allowed(ctx) {
		return false
	}
	switch err := s.send(ctx); {
	case ctx.Err() != nil:
		return false
	case fault.Is(err, fault.Unavailable):
		// No event can be lost: the store has not moved on either.
		if s.beat(ctx) != nil {
			return false
		}
		select {
		case <-ctx.Done():
			return false
		case <-time.After(check):
		}
	case err != nil:
		if !errors.Is(err, errEnd) {
			s.report(ctx, err)
		}
		return false // the next request gets the error
	}
	if !s.behind {
		waiting, cancel := context.WithTimeout(ctx, check-s.Now().Sub(s.checked))
		s.behind = s.follower.Wait(waiting) == nil
		cancel()
	}
	return ctx.Err() == nil
}

// errEnd is the end of a stream without a failure of the service: the token is revoked, or
// the client has gone or reads too slowly.
var errEnd = errors.New("the end of the stream")

// send sends the next events, if there can be any, or else a heartbeat when it is time.
func (s *Stream) send(ctx context.Context) error {
	if !s.behind {
		return s.beat(ctx)
	}
	next, err := s.next(ctx)
	defer s.uncharge()
	if err != nil {
		return err
	}
	defer s.pages.Release(next)
	if !s.allowed(ctx) {
		return errEnd // the read can have taken long
	}
	s.behind = !next.End
	if next.Events == 0 {
		s.reached = s.reached || next.End
		return s.beat(ctx)
	}
	if err := s.write(ctx, next.Chunk, next.Text); err != nil {
		return err
	}
	s.named = next.Last
	s.Streams.Count(next.Events)
	if s.reached && s.Streams.lag != nil {
		s.Streams.lag(s.written.Sub(next.Oldest))
	}
	s.reached = s.reached || next.End
	return nil
}

// beat sends a comment after a long silence. When events were left out, it moves the id of
// the client on, so a new connection need not look at them again.
func (s *Stream) beat(ctx context.Context) error {
	if s.Now().Sub(s.written) < heartbeat {
		return nil
	}
	text := ":\n\n"
	if at := s.follower.Position(); at != s.named {
		text, s.named = ":\nid: "+at.String()+"\n\n", at
	}
	return s.write(ctx, nil, []byte(text))
}

// next returns the events behind the position, within the time of a request. Streams that
// read the past do not share theirs: nobody else is there.
func (s *Stream) next(ctx context.Context) (*sse.Page, error) {
	if f := s.first; f != nil {
		s.first = nil
		return f, nil
	}
	names, live := s.follower.Names()
	if !s.shared || !s.reached || !live {
		f, err := s.encode(ctx)
		if err == nil {
			s.charge(f.Size())
		}
		return f, err
	}
	key := sse.Key{After: s.follower.Position(), Admin: s.caller.Scope.Covers(access.Admin), Catalogue: names}
	f, err := s.pages.Of(ctx, key, func() (*sse.Page, error) { return s.encode(ctx) })
	if err == nil {
		s.follower.Skip(f.Next)
	}
	return f, err
}

// encode loads the next events, and makes a page of them.
func (s *Stream) encode(ctx context.Context) (*sse.Page, error) {
	ctx, cancel := context.WithTimeout(budget.With(ctx, s.memory), s.RequestTime)
	defer cancel()
	page, err := s.follower.Next(ctx)
	if err != nil {
		return nil, err
	}
	return sse.NewPage(page), nil
}

// allowed reports whether the token is still valid, as of check ago. While the store
// cannot say, the stream stays: it cannot send anything new either.
func (s *Stream) allowed(ctx context.Context) bool {
	now := s.Now()
	if now.Sub(s.checked) < check {
		return true
	}
	s.checked = now
	return !s.revoked(ctx)
}

// revoked reports whether the token is revoked.
func (s *Stream) revoked(ctx context.Context) bool {
	_, err := s.Service.Recognize(ctx, s.secret)
	return fault.Is(err, fault.Unauthenticated)
}

// charge counts a page of a size for the user of the stream, until uncharge.
func (s *Stream) charge(size int64) {
	if !s.charged {
		s.charged = true
		s.memory.Add(size)
	}
}

// uncharge gives back the memory of a page.
func (s *Stream) uncharge() {
	s.charged = false
	s.memory.Close()
}

// write sends a text. chunk is the text as a chunk, if it is known. A slow client gets all of
// it, as long as it takes each piece in its time. It fails with errEnd.
func (s *Stream) write(ctx context.Context, chunk, text []byte) error {
	s.watch(ctx, len(chunk))
	defer s.unwatch()
	err := s.out.write(chunk, text, func() (time.Time, error) {
		now := s.Now()
		if ctx.Err() != nil || !s.allowed(ctx) {
			return now, errEnd
		}
		return now.Add(s.Slowest), nil
	})
	s.written = s.Now()
	if err != nil {
		return errEnd
	}
	return nil
}

// watch looks after a write that waits for the client, with a page of a size. It cuts the
// write once ctx ends, the token is revoked, or a slow client may not keep its page. The
// caller has to call unwatch behind the write.
func (s *Stream) watch(ctx context.Context, size int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.waiting, s.began, s.size = ctx, s.Now(), size
	if s.look == nil {
		s.look = time.AfterFunc(check, s.lookAfter)
		return
	}
	s.look.Reset(check)
}

// lookAfter is one look at the write. The next piece may have got another deadline since the
// last one.
func (s *Stream) lookAfter() {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.waiting == nil {
		return
	}
	if s.waiting.Err() != nil || s.revoked(s.waiting) || !s.affordable() {
		s.out.cut()
	}
	s.look.Reset(check)
}

// affordable reports whether the client may keep the page of the write. That of a slow client
// counts for its user, also if it is shared: otherwise many slow streams could hold any
// memory, each with another page. The caller holds the lock.
func (s *Stream) affordable() bool {
	if s.size == 0 || s.Now().Sub(s.began) <= s.Slowest {
		return true
	}
	s.charge(int64(s.size))
	return !s.memory.Crowded()
}

// unwatch ends watch. Then nothing changes a deadline any more.
func (s *Stream) unwatch() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.look.Stop()
	s.waiting = nil
}

// longAgo is a deadline that has passed.
var longAgo = time.Unix(1, 0)
