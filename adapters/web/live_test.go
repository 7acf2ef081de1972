package web

import (
	"context"
	"net/http/httptest"
	"net/url"
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

// A stream without news has no deadline: one of HTTP/2 would end with it, before its first
// comment.
func TestLiveHasNoDeadlineInSilence(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	b := s.signedIn(t)
	here, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	ctx, leave := context.WithCancel(t.Context())
	number := strings.TrimPrefix(s.problem(t, "The lamp is dark"), "/problems/")
	r := httptest.NewRequestWithContext(ctx, "GET", s.URL+"/live?revision=1&problem="+number, nil)
	for _, cookie := range b.Jar.Cookies(here) {
		r.AddCookie(cookie)
	}
	w := &liveWriter{ResponseRecorder: httptest.NewRecorder(), leave: leave}
	s.Config.Handler.ServeHTTP(w, r)
	if text := w.Body.String(); !strings.HasPrefix(text, "retry: 2000\nid: ") {
		t.Fatalf("the answer is %d %q, want a stream", w.Code, text)
	}
	if !w.deadline.IsZero() {
		t.Errorf("behind its first message the stream has the deadline %v", w.deadline)
	}
}
