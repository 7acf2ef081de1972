package httpapi

import (
	"context"
	"net/http"
	"reflect"
	"time"

	"github.com/danielgtaylor/huma/v2"

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

const (
	afterNow = "now" // the position behind the newest event
	mostWait = 60    // seconds
)

// tagEvents is the chapter of the feed in the OpenAPI document.
const tagEvents = "Events"

const mediaEvents = streams.MediaType

func (s *server) registerEvents() {
	register(s, huma.Operation{
		OperationID: "listEvents", Method: http.MethodGet, Path: "/events", Tags: []string{tagEvents},
		Summary: "Read the feed of events",
		Description: "Everything that happens to problems, in one order without gaps: one event for each problem of a request. Metadata, users and tokens have events, too, for tokens of the scope admin. " +
			"The header Link always leads to the next events, also from an empty page: an event that was read once stays, and none comes before it any more. " +
			"With Accept: text/event-stream, the same events come as a stream of server-sent events, as they happen: the data are an event, the id is its identifier, and Last-Event-ID goes on behind one. A comment comes every 15 seconds.",
		Security: needs(access.Read),
		Responses: responses{"200": {
			Description: "Events in their order: at most 100 unless limit says otherwise, and of about 1 MB, but at least one if there is any.",
			Content: map[string]*huma.MediaType{
				mediaJSON: {Schema: wire.Schema(s.api.OpenAPI().Components.Schemas, reflect.TypeFor[[]wire.Event]())},
				mediaEvents: {
					Schema: &huma.Schema{
						Type:        huma.TypeString,
						Description: "Server-sent events. The data of each are an Event, and its id is the identifier of the Event.",
					},
					Example: streams.Reconnect + "id: " + samples.Events()[0].Cursor.String() + "\ndata: {…}\n\n",
				},
			},
		}},
		Metadata: about(func(e *wire.Encoder) { wire.List(e, samples.Events(), e.Event) }, fault.InvalidPredicate, fault.QueryTooExpensive, fault.CursorGone),
	}, s.listEvents)
}

// feedInput is a request for events. Its fields describe the parameters.
type feedInput struct {
	Request
	After string `query:"after" example:"4SkBAVDU8WAAcACAAAAAAAAADQ" doc:"Start behind this: the identifier of an event, a cursor from the link to the next page, or now. Without it, the feed starts with its oldest event."`
	Paged
	Wait           Seconds `query:"wait" example:"30" doc:"The longest wait for an event, in seconds. Without it, the answer may be empty at once."`
	EventPredicate string  `query:"predicate" example:"state.resolved = NO AND assignee.identifier = $ApiUser" doc:"Only the events of problems that satisfy this condition when the event is sent, in the [predicate language](docs/predicates)."`
	EventProblem   Integer `query:"problem" format:"int64" minimum:"1" example:"12" doc:"Only the events of this problem."`
	LastEventID    string  `header:"Last-Event-ID" example:"4SkBAVDU8WAAcACAAAAAAAAADQ" doc:"The same as after, for clients that connect again to a stream. It overrides after=now."`
}

// feedOutput is a page or a stream of events.
type feedOutput struct {
	Linked
	Body func(huma.Context)
}

// eventsInput are the parameters of a request for events.
type eventsInput struct {
	tracker.Follow
	wait   time.Duration
	stream bool
}

// readEvents reads the parameters and headers of a request for events.
func (c *call) readEvents() (in eventsInput, err error) {
	c.w.Header().Add("Vary", "Accept")
	in.stream = c.prefers(mediaEvents)
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
func (s *server) listEvents(ctx context.Context, input *feedInput) (*feedOutput, error) {
	in, err := input.readEvents()
	if err != nil {
		return nil, err
	}
	c := input.call
	if in.stream {
		in.Limit = streams.MostAtOnce
	}
	place := context.Background()
	if in.stream || in.wait > 0 {
		until, release, err := s.sender.Streams.Acquire(c.caller.User)
		if err != nil {
			return nil, err
		}
		place = until
		c.after(release)
	}
	follower, err := c.as().Follow(ctx, in.Follow)
	if err != nil {
		return nil, err
	}
	c.after(follower.Close)
	if in.stream && c.r.Method != http.MethodHead {
		return c.openStream(place, follower, in.Follow)
	}
	page, err := s.sender.Await(c.w, c.r, place, follower, in.wait)
	if err != nil {
		return nil, c.unlessGone(err)
	}
	s.sender.Streams.Count(len(page.Events))
	body := listOf[wire.Event](c, page.Catalogue, page.Events, (*wire.Encoder).Event)
	return &feedOutput{c.linked(paramAfter, page.Next.String()), func(ctx huma.Context) {
		ctx.SetHeader("Content-Type", mediaJSON)
		ctx.SetStatus(http.StatusOK)
		c.sendContent(body.Content())
	}}, nil
}

// openStream has the answer be a stream of events.
func (c *call) openStream(place context.Context, f *tracker.Follower, in tracker.Follow) (*feedOutput, error) {
	stream, err := c.server.sender.Open(c.r, place, c.caller, f, in)
	if err != nil {
		return nil, c.unlessGone(err)
	}
	c.after(stream.Close)
	return &feedOutput{Body: func(huma.Context) {
		c.sent = true
		ends := c.ends
		if stream.Send(c.w, c.r, func() { callAll(ends) }) {
			c.ends = nil // they are the stream's now
		}
	}}, nil
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
