package queries

import (
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// streamCases are about the feed as a stream of server-sent events (D39). The case that
// waits for a comment comes first, so that the others run meanwhile.
func streamCases() []session.Case {
	const source = "D39"
	return []session.Case{
		session.Extended("HTTP-EV-013", source, "a stream names the pause before a new connection, is not buffered, and has a comment every 15 seconds", streamsStayAlive),
		session.Extended("HTTP-EV-009", source, "a stream sends the same events, with their identifiers, and goes on behind Last-Event-ID", streamSendsTheSame),
		session.Extended("HTTP-EV-012", source, "a revoked token ends its streams within 2 seconds", revokedTokenEndsStreams),
		session.Extended("HTTP-EV-014", source, "a cursor of another history is refused before a stream begins", foreignCursorsStartNoStream),
		session.Extended("HTTP-EV-015", source, "Last-Event-ID overrides after=now, also with the position of a stream without events", lastEventIDOverridesNow),
		session.Extended("HTTP-EV-016", source, "a user has at most 1,000 streams", streamsOfAUserAreLimited),
	}
}

func streamSendsTheSame(s *session.Session) {
	p := s.Problem()
	start := now(s)
	write := func(titles ...string) func() {
		return func() {
			for _, title := range titles {
				s.Admin.Patch(p.Path, `{"title":`+session.Encode(title)+`}`).Is(200)
			}
		}
	}
	write("before")()
	got := s.Admin.Stream("/events?after="+start+of(p), 3, write("one", "two"))
	want := eventsAfter(s, s.Admin, start, of(p))
	for i, e := range got {
		if session.Encode(e.Data) != session.Encode(want[i]) || e.ID != session.At(want[i], "/identifier") {
			s.Fatalf("event %d of the stream is %q %s, want %s", i, e.ID, session.Encode(e.Data), session.Encode(want[i]))
		}
	}
	again := s.Admin.Stream("/events?after=now"+of(p), 3, write("three"), session.With("Last-Event-ID", got[0].ID))
	var titles []any
	for _, e := range again {
		titles = append(titles, session.At(e.Data, "/problem/title"))
	}
	if text := session.Encode(titles); text != `["one","two","three"]` {
		s.Fatalf("behind the first event the stream sends %s", text)
	}
}

// revokedTokenEndsStreams tries several times: a busy machine delays an end.
func revokedTokenEndsStreams(s *session.Session) {
	const limit, attempts = 2 * time.Second, 5
	p := s.Problem()
	bob := s.User()
	var took time.Duration
	for range attempts {
		made := s.Admin.Post("/tokens", `{"user":`+bob.Part()+`,"scope":"read"}`).Is(201)
		stream := s.As(session.Secret(made)).OpenStream("/events?after=now" + of(p))
		s.Admin.Patch(p.Path, `{"title":`+session.Encode(s.Unique("Title"))+`}`).Is(200)
		stream.Events(1)
		s.Admin.Delete("/tokens/"+made.Text("/identifier"), "").Is(204)
		revoked := time.Now()
		ended := stream.Ended(10 * limit)
		took = time.Since(revoked)
		stream.Close()
		if !ended {
			s.Fatalf("%v after its token was revoked, the stream is still open", took)
		}
		s.As(session.Secret(made)).Get("/events").Fault(401, "unauthenticated")
		if took <= limit {
			return
		}
	}
	s.Fatalf("in each of %d attempts, the stream ended more than %v after its token was revoked, at last %v", attempts, limit, took)
}

// streamsStayAlive allows some seconds more for a busy machine.
func streamsStayAlive(s *session.Session) {
	const pause, more = 15 * time.Second, 5 * time.Second
	p := s.Problem()
	stream := s.Admin.OpenStream("/events?after=now" + of(p))
	defer stream.Close()
	if got := stream.Header.Get("X-Accel-Buffering"); got != "no" {
		s.Fatalf("the stream has X-Accel-Buffering: %q, want no: otherwise nginx keeps the events back", got)
	}
	if got := stream.Header.Get("Cache-Control"); !strings.Contains(got, "no-store") {
		s.Fatalf("the stream has Cache-Control: %q, want no-store", got)
	}
	first, _ := stream.Next(pause)
	if milliseconds, err := strconv.Atoi(first.Retry); err != nil || milliseconds < 1 {
		s.Fatalf("the stream begins with the pause %q before a new connection, want retry with milliseconds", first.Retry)
	}
	last := first.At
	for {
		b, came := stream.Next(time.Until(last.Add(pause + more)))
		if !came {
			s.Fatalf("the stream ended or was silent for %v, want a comment every %v", time.Since(last), pause)
		}
		if b.Comment {
			return
		}
		last = b.At
	}
}

func foreignCursorsStartNoStream(s *session.Session) {
	stream := session.With("Accept", "text/event-stream")
	a := s.Admin.Get("/events?after="+foreignCursor, stream)
	if a.Status != 410 {
		a.Fault(400, "malformed-request") // another server has another form
	} else {
		a.Fault(410, "cursor-gone")
	}
	for _, other := range []*session.Answer{
		s.Admin.Get("/events?after="+foreignCursor, stream, session.With("Last-Event-ID", foreignCursor)),
		s.Admin.Get("/events?after=now", stream, session.With("Last-Event-ID", foreignCursor)),
		s.Admin.Get("/events", stream, session.With("Last-Event-ID", foreignCursor)),
		s.Admin.Get("/events", session.With("Last-Event-ID", foreignCursor)),
	} {
		other.Fault(a.Status, a.Slug())
	}
}

func lastEventIDOverridesNow(s *session.Session) {
	p := s.Problem()
	path := "/events?after=now" + of(p)
	stream := s.Admin.OpenStream(path)
	defer stream.Close()
	var position session.Block
	for came := true; came && !position.HasID; {
		position, came = stream.Next(10 * time.Second) // less than a heartbeat, which has it as well
	}
	if position.ID == "" || position.Data != nil {
		s.Fatalf("a stream from now does not begin with the identifier of its position")
	}
	stream.Close()
	s.Admin.Patch(p.Path, `{"title":"one"}`).Is(200)
	s.Admin.Patch(p.Path, `{"title":"two"}`).Is(200)
	missed := eventsAfter(s, s.Admin, position.ID, of(p))
	if len(missed) != 2 {
		s.Fatalf("behind the position of the stream there are %d events, want 2", len(missed))
	}
	for read, after := range []string{position.ID, fmt.Sprint(session.At(missed[0], "/identifier"))} {
		want := missed[read:]
		got := s.Admin.Stream(path, len(want), func() {}, session.With("Last-Event-ID", after))
		for i, e := range got {
			if session.Encode(e.Data) != session.Encode(want[i]) {
				s.Fatalf("behind %s, event %d of the stream is %s, want %s", after, i, session.Encode(e.Data), session.Encode(want[i]))
			}
		}
	}
}

func streamsOfAUserAreLimited(s *session.Session) {
	const most = 1000
	p := s.Problem()
	bob := s.User()
	n, refusal, closeAll := bob.OpenStreams("/events?after=now"+of(p), most+1)
	defer closeAll()
	if refusal == nil {
		s.Fatalf("a user has %d streams, want at most %d", n, most)
	}
	if n == 0 {
		s.Fatalf("%v\nwant a stream", refusal)
	}
	refusal.Fault(429, "rate-limited")
	if refusal.Header.Get("Retry-After") == "" {
		s.Fatalf("%v\nhas no Retry-After", refusal)
	}
	bob.Get("/events?after=now" + of(p)).Is(200) // no limit for those who do not wait
	s.Admin.Stream("/events?after="+now(s)+of(p), 1, func() {
		s.Admin.Patch(p.Path, `{"title":"for another user"}`).Is(200)
	})
}
