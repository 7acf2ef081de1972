package load

import (
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
)

// Each connection signs in once, and goes on with the cookie of that, whatever else a page sets.
func TestPagesAreShownInASession(t *testing.T) {
	t.Parallel()
	var signIns, pages atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case r.URL.Path == "/sign-in" && r.PostFormValue("token") == "a token":
			signIns.Add(1)
			http.SetCookie(w, &http.Cookie{Name: "session", Value: "key", Path: "/", HttpOnly: true})
			w.WriteHeader(http.StatusSeeOther)
		case r.Header.Get("Cookie") == "session=key" && r.Header.Get("Accept-Encoding") == "gzip" && r.URL.Path == "/problems/103":
			http.SetCookie(w, &http.Cookie{Name: "list", Value: "seen"})
			pages.Add(1)
		default:
			http.Error(w, "this is no request of a browser that is signed in", http.StatusUnauthorized)
		}
	}))
	t.Cleanup(server.Close)
	run := (&fakeServer{Server: server}).run(named(t, "web-problem"), 3)
	o, err := run.Drive(t.Context())
	if err != nil || len(o.Failures) > 0 || signIns.Load() != 3 || pages.Load() == 0 {
		t.Errorf("%d sign-ins, %d pages, %v, %v; want one sign-in for each of 3 connections", signIns.Load(), pages.Load(), o.Failures, err)
	}
}
