package feed

import (
	"context"
	"errors"
	"math/rand/v2"
	"mime"
	"net/http"
	"time"

	"github.com/tmaxmax/go-sse"

	"github.com/problemtracking/problems/app/internal/remote"
)

// longestPause limits the time between two attempts to connect, unless the server asks
// for a longer one.
const longestPause = 30 * time.Second

// Follow delivers the events, and further ones as they happen, until ctx ends. A lost
// connection, a restart of the server and a fail-over make it connect again, from the
// position it has reached. It fails with ErrGone, with the error of Deliver, and when the
// server refuses the request for good.
func Follow(ctx context.Context, o Options) error {
	r := newReader(o)
	lost := false
	for attempt := 0; ; attempt++ {
		err := r.connect(ctx, func() {
			if lost {
				r.Report("connected again")
			}
			lost, attempt = false, 0
		})
		switch {
		case isDelivery(err):
			return err
		case ctx.Err() != nil:
			return nil
		case isGone(err):
			if err := r.leap(ctx, err); err != nil {
				return err
			}
			continue
		case !isTemporary(err):
			return err
		}
		if !lost {
			r.Report(err.Error() + "; trying again")
		}
		lost = true
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(r.pause(attempt, err)):
		}
	}
}

// pause returns the time before another attempt. It is random, because all clients of a
// server lose it at the same moment.
func (r *reader) pause(attempt int, err error) time.Duration {
	pause := min(r.Pause<<min(attempt, 10), longestPause)
	pause = pause/2 + rand.N(pause/2+1)
	if refusal, ok := errors.AsType[*remote.Refusal](err); ok {
		pause = max(pause, refusal.After)
	}
	return pause
}

// isTemporary reports whether the same request may succeed another time.
func isTemporary(err error) bool {
	if _, ok := errors.AsType[*remote.ForeignError](err); ok {
		return false
	}
	refusal, ok := errors.AsType[*remote.Refusal](err)
	return !ok || refusal.Status >= 500 || refusal.Status == http.StatusTooManyRequests || refusal.Status == http.StatusRequestTimeout
}

// connect delivers the events of one connection until it breaks. It calls connected when
// the server has accepted the request.
func (r *reader) connect(ctx context.Context, connected func()) error {
	if r.at == Now {
		// The page has a position before the stream begins: a lost connection then loses no event.
		if _, err := r.page(ctx, 1); err != nil {
			return err
		}
	}
	header := http.Header{"Accept": {"text/event-stream"}, "Accept-Encoding": {"identity"}}
	if r.at != "" {
		header.Set("Last-Event-ID", r.at)
	}
	response, body, err := r.get(ctx, header, r.query())
	if err != nil {
		return err
	}
	defer body.end()
	if kind, _, err := mime.ParseMediaType(response.Header.Get("Content-Type")); err != nil || kind != "text/event-stream" {
		return r.Server.Foreign(errors.New("a stream of events was expected"))
	}
	connected()
	body.before = func() error { return r.deliver(ctx) }
	r.lines.Reset() // of an earlier connection
	r.reached = ""
	for event, err := range sse.Read(body, &sse.ReadConfig{MaxEventSize: largestEvent}) {
		switch {
		case err != nil:
			return r.lost(ctx, err)
		case event.Data != "" && event.LastEventID == "":
			return r.Server.Foreign(errors.New("an event without an identifier"))
		case event.Data != "":
			if err := r.take(ctx, []byte(event.Data), event.LastEventID); err != nil {
				return err
			}
		case event.LastEventID != "": // a heartbeat behind unwanted events
			r.reached = event.LastEventID
		}
	}
	return r.lost(ctx, errors.New("it ended the stream"))
}

// lost delivers the rest, and returns the error of a broken connection.
func (r *reader) lost(ctx context.Context, err error) error {
	if isDelivery(err) {
		return err
	}
	if err := r.deliver(ctx); err != nil {
		return err
	}
	return r.Server.Lost(err)
}
