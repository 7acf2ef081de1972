package diagnose

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"
)

// TestPages asks for each page. A trace of Go begins with its version.
func TestPages(t *testing.T) {
	recorder := NewRecorder(time.Second)
	if err := recorder.Start(); err != nil {
		t.Fatal(err)
	}
	defer recorder.Stop()
	on, off := Handler(recorder), Handler(nil)
	for _, c := range []struct {
		pages  http.Handler
		path   string
		status int
		begin  string
	}{
		{on, "/debug/flight", http.StatusOK, "go 1."},
		{off, "/debug/flight", http.StatusNotFound, "the flight recorder is off: set PROBLEMS_FLIGHT_RECORDER"},
		{on, "/debug/pprof/heap", http.StatusOK, "\x1f\x8b"},
		{on, "/debug/pprof/goroutine?debug=1", http.StatusOK, "goroutine profile"},
		{on, "/debug/pprof/profile?seconds=1", http.StatusOK, "\x1f\x8b"},
		{on, "/debug/pprof/", http.StatusOK, "<html>"},
		{on, "/debug/pprof/cmdline", http.StatusNotFound, "404"},
		{on, "http://[::1]/debug/pprof/", http.StatusOK, "<html>"},
		{on, "http://localhost:1/debug/pprof/", http.StatusOK, "<html>"},
		{on, "http://localhost.evil.example:6060/debug/pprof/", http.StatusMisdirectedRequest, "profiles are for this machine"},
		{on, "http://10.0.0.1:6060/debug/flight", http.StatusMisdirectedRequest, "profiles are for this machine"},
	} {
		w := httptest.NewRecorder()
		if strings.HasPrefix(c.path, "/") {
			c.path = "http://127.0.0.1:6060" + c.path
		}
		c.pages.ServeHTTP(w, httptest.NewRequest(http.MethodGet, c.path, nil))
		if w.Code != c.status || !strings.HasPrefix(w.Body.String(), c.begin) {
			t.Errorf("%s: status %d, %.40q; want %d and %q", c.path, w.Code, w.Body, c.status, c.begin)
		}
	}
}
