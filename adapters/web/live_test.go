package web

import (
	"context"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"strings"
	"testing"
	"time"
)

// liveWriter takes the first message of a stream. Then its browser goes.
type liveWriter struct {
	*httptest.ResponseRecorder
	deadline time.Time
	leave    context.CancelFunc
}

func (w *liveWriter) Flush() { w.leave() }

func (w *liveWriter) SetWriteDeadline(at time.Time) error {
	w.deadline = at
	return nil
}

// liveRequest asks for the stream of a new problem.
func (s *site) liveRequest(t *testing.T, ctx context.Context) *http.Request {
	t.Helper()
	b := s.signedIn(t)
	here, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	number := strings.TrimPrefix(s.problem(t, "The lamp is dark"), "/problems/")
	r := httptest.NewRequestWithContext(ctx, "GET", s.URL+"/live?revision=1&problem="+number, nil)
	for _, cookie := range b.Jar.Cookies(here) {
		r.AddCookie(cookie)
	}
	return r
}

// A stream without news has no deadline: one of HTTP/2 would end with it, before its first
// comment.
func TestLiveHasNoDeadlineInSilence(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	ctx, leave := context.WithCancel(t.Context())
	r := s.liveRequest(t, ctx)
	w := &liveWriter{ResponseRecorder: httptest.NewRecorder(), leave: leave}
	s.Config.Handler.ServeHTTP(w, r)
	if text := w.Body.String(); !strings.HasPrefix(text, "retry: 2000\nid: ") {
		t.Fatalf("the answer is %d %q, want a stream", w.Code, text)
	}
	if !w.deadline.IsZero() {
		t.Errorf("behind its first message the stream has the deadline %v", w.deadline)
	}
}

// stuckWriter is a browser that takes nothing. A write waits for its deadline.
type stuckWriter struct {
	*httptest.ResponseRecorder
	writes    chan struct{}
	deadlines chan time.Time
}

func (w *stuckWriter) SetWriteDeadline(at time.Time) error {
	w.deadlines <- at
	return nil
}

func (w *stuckWriter) Write([]byte) (int, error) {
	at := <-w.deadlines
	close(w.writes)
	for at.After(time.Now()) {
		select {
		case at = <-w.deadlines:
		case <-time.After(time.Until(at)):
		}
	}
	w.deadlines <- at // the last one
	return 0, os.ErrDeadlineExceeded
}

// A write to a browser that takes nothing does not hold up a server that stops.
func TestLiveEndsWithinAWrite(t *testing.T) {
	t.Parallel()
	stopping, stop := context.WithCancel(t.Context())
	s := newSite(t, func(o *Options) { o.Stopping = stopping })
	w := &stuckWriter{httptest.NewRecorder(), make(chan struct{}), make(chan time.Time, 3)}
	ended := make(chan struct{})
	r := s.liveRequest(t, t.Context())
	began := time.Now()
	go func() {
		defer close(ended)
		s.Config.Handler.ServeHTTP(w, r)
	}()
	<-w.writes
	stop()
	<-ended
	if last := <-w.deadlines; last.After(began) {
		t.Errorf("the write waited for its deadline at %v", last)
	}
}
