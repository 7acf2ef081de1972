package httpapi

import (
	"context"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2/negotiation"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/adapters/httpframe"
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

const mediaEvents = "text/event-stream"

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
		text := c.query.Get(paramProblem)
		n, err := strconv.ParseInt(text, 10, 64)
		if err != nil || n < 1 || strconv.FormatInt(n, 10) != text {
			return in, fault.New(fault.MalformedRequest, "%s has to be the identifier of a problem: a whole number from 1, without sign or leading zeros", paramProblem)
		}
		in.Problem = problem.ID(n)
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

// whole returns a parameter of the query that is a whole number within bounds.
func (c *call) whole(name string, usual, least, most int) (int, error) {
	if !c.query.Has(name) {
		return usual, nil
	}
	text := c.query.Get(name)
	n, err := strconv.Atoi(text)
	if err != nil || strconv.Itoa(n) != text || n < least || n > most {
		return 0, fault.New(fault.MalformedRequest, "%s has to be a whole number from %d to %d, without sign or leading zeros", name, least, most)
	}
	return n, nil
}

// listEvents answers with a page of events, or opens a stream of them.
func (c *call) listEvents() (answer, error) {
	in, err := c.readEvents()
	if err != nil {
		return answer{}, err
	}
	if in.stream {
		in.Limit = streamPage
	}
	if in.stream || in.wait > 0 {
		release, err := c.streams.Acquire(c.caller.User)
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
	page, err := c.await(follower, in.wait)
	if err != nil {
		return answer{}, err
	}
	c.streams.count(len(page.Events))
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

// mostLookedThrough limits the time in which a poll leaves out unwanted events.
const mostLookedThrough = 2 * time.Second

// await returns the next page with an event. Without one it returns an empty page, after
// the given time at the end of the feed. It fails if the token was revoked meanwhile.
func (c *call) await(f *tracker.Follower, wait time.Duration) (tracker.EventPage, error) {
	ctx, cancel := c.whileConnected()
	defer cancel()
	if wait > 0 {
		c.extendDeadlines(wait + c.Limits.RequestTime)
	}
	began := c.Now()
	page, err := c.awaitEvent(ctx, f, wait)
	if err != nil {
		return page, c.unlessGone(err)
	}
	if c.Now().Sub(began) >= streamCheck {
		return page, c.stillAllowed(ctx)
	}
	return page, nil
}

// stillAllowed returns an error if the token was revoked. As with a stream, only a clear answer
// of the store counts.
func (c *call) stillAllowed(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, c.Limits.RequestTime)
	defer cancel()
	if _, err := c.Service.Recognize(ctx, httpframe.Credential(c.r)); fault.Is(err, fault.Unauthenticated) {
		return err
	}
	return nil
}

// awaitEvent is await with any token. A stopping server ends the wait, but not a read.
func (c *call) awaitEvent(ctx context.Context, f *tracker.Follower, wait time.Duration) (tracker.EventPage, error) {
	began := c.Now()
	running, cancel := c.untilStopping(ctx)
	defer cancel()
	waiting, cancelWait := context.WithTimeout(running, wait)
	defer cancelWait()
	for {
		page, err := f.Next(ctx)
		if err != nil {
			return page, err
		}
		switch {
		case len(page.Events) > 0:
			return page, nil
		case page.End && (waiting.Err() != nil || f.Wait(waiting) != nil):
			return page, nil
		case !page.End && (running.Err() != nil || c.Now().Sub(began) > max(wait, mostLookedThrough)):
			return page, nil
		}
	}
}
