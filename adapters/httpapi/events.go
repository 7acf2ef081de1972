package httpapi

import (
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2/negotiation"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/streams"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/tracker"
)

// The parameters of the feed, beside limit and predicate (D39).
const (
	paramAfter   = "after"
	paramWait    = "wait"
	paramProblem = "problem"
	lastEventID  = "Last-Event-ID"

	afterNow = "now" // the position behind the newest event
	mostWait = 60    // seconds
)

// paramEventPredicate and paramEventProblem are keys of parameters. Searches have another
// predicate, and the key Problem belongs to the problem of a path.
const (
	paramEventPredicate = "eventPredicate"
	paramEventProblem   = "eventProblem"
)

// tagEvents is the chapter of the feed in the OpenAPI document.
const tagEvents = "Events"

const mediaEvents = streams.MediaType

func eventEndpoints() []endpoint {
	return []endpoint{{
		id: "listEvents", method: http.MethodGet, path: "/events", tag: tagEvents,
		summary: "Read the feed of events",
		description: "Everything that happens to problems, in one order without gaps: one event for each problem of a request. Metadata, users and tokens have events, too, for tokens of the scope admin. " +
			"The header Link always leads to the next events, also from an empty page: an event that was read once stays, and none comes before it any more. " +
			"With Accept: text/event-stream, the same events come as a stream of server-sent events, as they happen: the data are an event, the id is its identifier, and Last-Event-ID goes on behind one. A comment comes every 15 seconds.",
		scope:   access.Read,
		query:   []string{paramAfter, paramLimit, paramWait, paramPredicate, paramProblem},
		shown:   map[string]string{paramLimit: paramPageLimit, paramPredicate: paramEventPredicate, paramProblem: paramEventProblem},
		headers: []string{lastEventID},
		answers: []result{{status: 200, description: "Events in their order: at most 100 unless limit says otherwise, and of about 1 MB, but at least one if there is any.", of: []wire.Event{}, headers: []string{"Link"}, stream: true,
			example: func(e *wire.Encoder) { wire.List(e, samples.Events(), e.Event) }}},
		faults: []fault.Kind{fault.InvalidPredicate, fault.QueryTooExpensive, fault.CursorGone},
		do:     (*call).listEvents,
	}}
}

// eventsInput is a request for events.
type eventsInput struct {
	tracker.Follow
	wait   time.Duration
	stream bool
}

// readEvents reads the parameters and headers of a request for events.
func (c *call) readEvents() (in eventsInput, err error) {
	accept := strings.ToLower(strings.Join(c.r.Header.Values("Accept"), ","))
	c.w.Header().Add("Vary", "Accept")
	in.stream = negotiation.SelectQValue(accept, []string{mediaJSON, mediaEvents}) == mediaEvents
	if in.stream && (c.query.Has(paramWait) || c.query.Has(paramLimit)) {
		return in, fault.New(fault.MalformedRequest, "%s and %s mean nothing for a stream: leave them out, or ask for application/json", paramLimit, paramWait)
	}
	if in.Limit, err = c.whole(paramLimit, usualLimit, 1, tracker.MostOnPage); err != nil {
		return in, err
	}
	seconds, err := c.whole(paramWait, 0, 0, mostWait)
	if err != nil {
		return in, err
	}
	in.wait = time.Duration(seconds) * time.Second
	if c.query.Has(paramProblem) {
		id, ok := problem.ParseID(c.query.Get(paramProblem))
		if !ok {
			return in, fault.New(fault.MalformedRequest, "%s has to be the identifier of a problem: a whole number from 1, without sign or leading zeros", paramProblem)
		}
		in.Problem = id
	}
	if c.query.Has(paramPredicate) {
		in.Predicate = patch.Set(c.query.Get(paramPredicate))
	}
	return in, c.readPosition(&in.Follow)
}

// readPosition reads where to start. A client that reconnects sends the URL of its first
// request once more: so Last-Event-ID overrides after=now.
func (c *call) readPosition(f *tracker.Follow) error {
	var cursors []event.Cursor
	if after := c.query.Get(paramAfter); after == afterNow {
		f.Now = true
	} else if c.query.Has(paramAfter) {
		cursor, err := event.ParseCursor(after)
		if err != nil {
			return fault.New(fault.MalformedRequest, `%s has to be "now", the identifier of an event, or a cursor from the header Link`, paramAfter)
		}
		cursors = append(cursors, cursor)
	}
	if lines := c.r.Header.Values(lastEventID); len(lines) > 0 && lines[0] != "" {
		cursor, err := event.ParseCursor(lines[0])
		if err != nil || len(lines) > 1 {
			return fault.New(fault.MalformedRequest, "the header %s has to be the identifier of an event", lastEventID)
		}
		cursors = append(cursors, cursor)
		f.Now = false
	}
	if len(cursors) == 2 && cursors[0] != cursors[1] {
		return fault.New(fault.MalformedRequest, "%s and the header %s name different positions: send one of them", paramAfter, lastEventID)
	}
	if len(cursors) > 0 {
		f.After = cursors[0]
	}
	return nil
}

// listEvents answers with a page of events, or opens a stream of them.
func (c *call) listEvents() (answer, error) {
	in, err := c.readEvents()
	if err != nil {
		return answer{}, err
	}
	if in.stream {
		in.Limit = streams.MostAtOnce
	}
	if in.stream || in.wait > 0 {
		release, err := c.sender.Streams.Acquire(c.caller.User)
		if err != nil {
			return answer{}, err
		}
		c.after(release)
	}
	follower, err := c.Service.Follow(c.r.Context(), c.caller, in.Follow)
	if err != nil {
		return answer{}, err
	}
	c.after(follower.Close)
	if in.stream && c.r.Method != http.MethodHead {
		return answer{}, c.openStream(follower, in.Follow)
	}
	page, err := c.sender.Await(c.w, c.r, follower, in.wait)
	if err != nil {
		return answer{}, c.unlessGone(err)
	}
	c.sender.Streams.Count(len(page.Events))
	values := url.Values{}
	for name := range c.query {
		values.Set(name, c.query.Get(name))
	}
	values.Set(paramAfter, page.Next.String())
	return answer{
		status: http.StatusOK,
		header: http.Header{"Link": {"<" + c.r.URL.EscapedPath() + "?" + values.Encode() + `>; rel="next"`}},
		body:   listInParts(c, page.Catalogue, page.Events, (*wire.Encoder).Event),
	}, nil
}

// openStream has the answer be a stream of events.
func (c *call) openStream(f *tracker.Follower, in tracker.Follow) error {
	stream, err := c.sender.Open(c.r, c.caller, f, in)
	if err != nil {
		return c.unlessGone(err)
	}
	c.after(stream.Close)
	c.sendTo = func(w http.ResponseWriter) {
		ends := c.ends
		if stream.Send(w, c.r, func() { callAll(ends) }) {
			c.ends = nil // they are the stream's now
		}
	}
	return nil
}

// Streams bound and count the requests that wait for events: streams, and polls with a
// wait. One Streams is for one handler. Its methods may be called from many goroutines.
type Streams = streams.Streams

// NewStreams returns Streams with a limit for all users together and one for each. lag,
// if not nil, is called for each part that a stream sends, with the time since the oldest
// event of the part. It is not called while a stream reads the past: before it has been
// at the end of the feed once.
func NewStreams(most, mostOfUser int, lag func(time.Duration)) *Streams {
	return streams.New(most, mostOfUser, lag)
}

// The limits of Streams by default.
const (
	DefaultStreams       = 2000
	DefaultStreamsOfUser = 1000
)
