package streams

import (
	"context"
	"net/http"
	"time"

	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/tracker"
)

// mostLookedThrough limits the time in which a poll leaves out unwanted events.
const mostLookedThrough = 2 * time.Second

// Await returns the next page with an event. Without one it returns an empty page, after
// the given time at the end of the feed. It fails if the token was revoked meanwhile.
func (s *Sender) Await(w http.ResponseWriter, r *http.Request, place context.Context, f *tracker.Follower, wait time.Duration) (tracker.EventPage, error) {
	ctx, cancel := whileConnected(r)
	defer cancel()
	if wait > 0 {
		s.extendDeadlines(w, wait+s.RequestTime)
	}
	began := s.Now()
	page, err := s.awaitEvent(ctx, place, f, wait)
	if err != nil {
		return page, err
	}
	if s.Now().Sub(began) >= check {
		return page, s.StillAllowed(ctx, httpframe.Credential(r))
	}
	return page, nil
}

// Hold returns the context of a request that waits for something else than events, until it
// should be answered, and one that ends when the wait has to end early. Its answer may take as
// long as that of Await.
func (s *Sender) Hold(w http.ResponseWriter, r *http.Request, place context.Context, wait time.Duration) (ctx, waiting context.Context, cancel context.CancelFunc) {
	connected, disconnect := whileConnected(r)
	s.extendDeadlines(w, wait+s.RequestTime)
	ctx, cancelAll := context.WithTimeout(connected, wait+s.RequestTime)
	waiting, cancelWait := s.untilStopping(ctx, place)
	return ctx, waiting, func() { cancelWait(); cancelAll(); disconnect() }
}

// StillAllowed returns an error if the token was revoked. As with a stream, only a clear answer
// of the store counts.
func (s *Sender) StillAllowed(ctx context.Context, secret access.Secret) error {
	ctx, cancel := context.WithTimeout(ctx, s.RequestTime)
	defer cancel()
	if _, err := s.Service.Recognize(ctx, secret); fault.Is(err, fault.Unauthenticated) {
		return err
	}
	return nil
}

// awaitEvent is Await with any token. A stopping server and the end of the place end
// the wait, but not a read.
func (s *Sender) awaitEvent(ctx, place context.Context, f *tracker.Follower, wait time.Duration) (tracker.EventPage, error) {
	began := s.Now()
	running, cancel := s.untilStopping(ctx, place)
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
		case !page.End && (running.Err() != nil || s.Now().Sub(began) > max(wait, mostLookedThrough)):
			return page, nil
		}
	}
}

// extendDeadlines lets the answer take this long. The server's own limits are for short
// answers. Not all writers have deadlines.
func (s *Sender) extendDeadlines(w http.ResponseWriter, limit time.Duration) {
	control := http.NewResponseController(w)
	_ = control.SetReadDeadline(time.Time{})
	_ = control.SetWriteDeadline(s.Now().Add(limit))
}
