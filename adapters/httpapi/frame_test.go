package httpapi

import (
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/adapters/httpframe"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
)

func TestRequestID(t *testing.T) {
	t.Parallel()
	f := setup(t)
	for sent, want := range map[string]string{
		"":                             "r1",
		"abc-DEF_1.2":                  "abc-DEF_1.2",
		strings.Repeat("a", 128):       strings.Repeat("a", 128),
		strings.Repeat("a", 129):       "r1",
		"a b":                          "r1",
		"<script>":                     "r1",
		"ä":                            "r1",
		secretOf(access.Read).Reveal(): "r1", // D17: the log never shows one
	} {
		w := f.do(request("GET", "/x", "", "X-Request-Id", sent))
		if got := w.Header().Get("X-Request-Id"); got != want || !strings.Contains(w.Body.String(), `"urn:request:`+want+`"`) {
			t.Errorf("%q became %q: %s", sent, got, w.Body)
		}
	}
}

func TestPanicIsAnswered(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.during = func() { panic("secret") }
	w := f.send(t, request("GET", api+"/problems/12", ""), 500, fault.Internal)
	if strings.Contains(w.Body.String(), "secret") || !strings.Contains(f.log.String(), "secret") || !strings.Contains(f.log.String(), "frame_test.go") {
		t.Errorf("answer %s, log %s", w.Body, f.log)
	}
	f.during = nil
	f.send(t, request("GET", api+"/problems/12", ""), 200, "")
}

// A panic after the header ends the connection: half an answer must not pass for a
// whole one.
func TestPanicAfterTheHeaderAborts(t *testing.T) {
	t.Parallel()
	s := setup(t)
	var observed httpframe.Exchange
	o := Options{Limits: DefaultLimits(), Now: time.Now, NewRequestID: func() string { return "r1" }, Observe: func(x httpframe.Exchange) { observed = x }}
	o.Logger = slog.New(slog.NewTextHandler(s.log, nil))
	h := (&server{Options: o}).wrap(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, "half")
		panic("secret")
	}))
	defer func() {
		if v := recover(); v != http.ErrAbortHandler {
			t.Errorf("panic %v", v)
		}
		if observed.Status != 200 || observed.Bytes != 4 || !strings.Contains(s.log.String(), "secret") || !strings.Contains(s.log.String(), "frame_test.go") {
			t.Errorf("observed %+v, log %s", observed, s.log)
		}
	}()
	h.ServeHTTP(httptest.NewRecorder(), request("GET", "/", ""))
}

func TestObserve(t *testing.T) {
	t.Parallel()
	f := setup(t)
	f.do(request("GET", api+"/problems/12", ""))
	f.do(request("HEAD", api+"/problems/99", ""))
	f.do(request("GET", api+"/x", ""))
	f.do(request("PUT", api+"/problems", "", "Authorization", ""))
	f.do(request("PUT", api+"/problems/99/keywords/a", ""))
	want := []httpframe.Exchange{
		{Method: "GET", Route: api + "/problems/{identifier}", Status: 200, Token: f.tokens[2].ID},
		{Method: "HEAD", Route: api + "/problems/{identifier}", Status: 404, Token: f.tokens[2].ID},
		{Method: "GET", Status: 404},
		{Method: "PUT", Status: 405},
		{Method: "PUT", Route: api + "/problems/{identifier}/keywords/{keyword}", Status: 404, Token: f.tokens[2].ID},
	}
	for i, got := range f.exchanges {
		if (got.Bytes > 0) == (got.Method == "HEAD") || got.RequestID != "r1" || got.Remote != "192.0.2.1:1234" || got.Context == nil {
			t.Errorf("%+v", got)
		}
		got.Bytes, got.RequestID, got.Remote, got.Context = 0, "", "", nil
		if got != want[i] {
			t.Errorf("%+v, not %+v", got, want[i])
		}
	}
	if len(f.exchanges) != len(want) {
		t.Errorf("%d exchanges", len(f.exchanges))
	}
}
