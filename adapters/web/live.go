package web

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/problemtracking/problems/domain/event"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/tracker"
)

const (
	// liveCheck is the time between two looks at the session. An ended one has to end its
	// streams within 2 s.
	liveCheck = 1500 * time.Millisecond
	// liveBeat is the longest silence: proxies cut a silent connection.
	liveBeat = 15 * time.Second
	// liveWrite limits one write. The browser of a cut stream connects again.
	liveWrite = 10 * time.Second
)

// live is a stream of changes to an open page. It sends only the news of a change: the page
// loads itself anew.
type live struct {
	*request
	follower *tracker.Follower
	control  *http.ResponseController
	written  time.Time
	checked  time.Time
}

// showLive sends the changes of a problem, or of the problems of a predicate.
func showLive(q *request) (answer, error) {
	cmd, err := q.follow()
	if err != nil {
		return answer{}, err
	}
	place, release := context.Background(), func() {}
	if q.Stream != nil {
		if place, release, err = q.Stream(q.caller.User); err != nil {
			return answer{}, err
		}
	}
	outdated := false
	follower, err := q.as().Follow(q.context(), cmd)
	if fault.Is(err, fault.CursorGone) { // the history has changed, and so the page
		cmd.After, cmd.Now, outdated = event.Cursor{}, true, true
		follower, err = q.as().Follow(q.context(), cmd)
	}
	if err != nil {
		release()
		return answer{}, err
	}
	if cmd.Problem != 0 { // behind Follow, so a change in between is not missed
		current, err := q.as().Problem(q.context(), cmd.Problem, 0)
		if err != nil {
			follower.Close()
			release()
			return answer{}, err
		}
		outdated = outdated || q.r.URL.Query().Get("revision") != strconv.FormatInt(current.Revision, 10)
	}
	return answer{stream: func() {
		defer release()
		defer follower.Close()
		l := &live{request: q, follower: follower, control: http.NewResponseController(q.w), checked: q.Now()}
		l.run(place, outdated)
	}}, nil
}

// position returns the end of the feed. A page asks for it before it reads anything, so its
// stream begins where the page ends.
func (q *request) position() (string, error) {
	follower, err := q.as().Follow(q.context(), tracker.Follow{Now: true, Limit: 1})
	if err != nil {
		return "", err
	}
	defer follower.Close()
	return follower.Position().String(), nil
}

// follow reads the parameters.
func (q *request) follow() (cmd tracker.Follow, err error) {
	asked := q.r.URL.Query()
	cmd = tracker.Follow{Now: true, Limit: tracker.MostOnPage}
	if text := cmp.Or(q.r.Header.Get("Last-Event-ID"), asked.Get("after")); text != "" {
		if cmd.After, err = event.ParseCursor(text); err != nil {
			return cmd, fault.New(fault.MalformedRequest, "this is no position in the feed of this server")
		}
		cmd.Now = false
	}
	if asked.Has("predicate") {
		cmd.Predicate = patch.Set(asked.Get("predicate"))
		return cmd, nil
	}
	n, err := strconv.ParseInt(asked.Get("problem"), 10, 64)
	if err != nil || n < 1 {
		return cmd, fault.New(fault.MalformedRequest, "a problem or a predicate is needed")
	}
	cmd.Problem = problem.ID(n)
	return cmd, nil
}

// run sends until the browser goes, the session or the place ends, or the server stops.
func (l *live) run(place context.Context, outdated bool) {
	ctx, cancel := context.WithCancel(context.WithoutCancel(l.context()))
	defer cancel()
	defer context.AfterFunc(l.frame.Connection(), cancel)()
	defer context.AfterFunc(place, cancel)()
	if l.Stopping != nil {
		defer context.AfterFunc(l.Stopping, cancel)()
	}
	header := l.w.Header()
	header.Set("Content-Type", "text/event-stream")
	header.Set("Cache-Control", "no-store")
	header.Set("X-Accel-Buffering", "no")
	_ = l.control.SetReadDeadline(time.Time{}) // the server's own limits are for pages
	l.w.WriteHeader(http.StatusOK)
	begin := "retry: 2000\nid: " + l.follower.Position().String() + "\n\n"
	if outdated {
		begin += news(1)
	}
	for ok := l.write(ctx, begin); ok && ctx.Err() == nil; {
		ok = l.step(ctx)
	}
}

// step sends the next changes, or waits a moment for them.
func (l *live) step(ctx context.Context) bool {
	if l.Now().Sub(l.checked) >= liveCheck {
		l.checked = l.Now()
		if fault.Is(l.recognize(ctx), fault.Unauthenticated) {
			return false
		}
	}
	page, err := l.follower.Next(ctx)
	away := fault.Is(err, fault.Unavailable) && ctx.Err() == nil
	switch {
	case away: // nothing is lost: the store has not moved on either
	case err != nil:
		return false // the browser connects again, and learns of it
	case len(page.Events) > 0:
		last := page.Events[len(page.Events)-1]
		return l.write(ctx, fmt.Sprintf("id: %s\n", last.Cursor)+news(len(page.Events)))
	case !page.End:
		return true
	}
	if l.Now().Sub(l.written) >= liveBeat && !l.write(ctx, ":\nid: "+l.follower.Position().String()+"\n\n") {
		return false
	}
	waiting, cancel := context.WithTimeout(ctx, liveCheck)
	defer cancel()
	if away { // the feed may have events in memory, and Wait would not wait
		<-waiting.Done()
		return true
	}
	_ = l.follower.Wait(waiting) // the end of the time is no failure
	return true
}

// news returns a message about a number of changes.
func news(changes int) string { return fmt.Sprintf("data: {\"changes\":%d}\n\n", changes) }

// write sends a text. It returns false when the browser does not take it. The end of ctx cuts
// a write that waits for the browser.
func (l *live) write(ctx context.Context, text string) bool {
	l.written = l.Now()
	_ = l.control.SetWriteDeadline(l.written.Add(liveWrite))
	cut := make(chan struct{})
	keep := context.AfterFunc(ctx, func() {
		defer close(cut)
		_ = l.control.SetWriteDeadline(longAgo)
	})
	_, err := l.w.Write([]byte(text))
	sent := err == nil && l.control.Flush() == nil
	if !keep() {
		<-cut // nothing may change the deadline behind the handler
	}
	if !sent {
		return false
	}
	_ = l.control.SetWriteDeadline(time.Time{}) // HTTP/2 ends a stream at its deadline, also in silence
	return true
}

// longAgo is a deadline that has passed.
var longAgo = time.Unix(1, 0)
