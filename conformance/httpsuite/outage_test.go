package httpsuite

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
	"github.com/problemtracking/problems/conformance/internal/engine"
	"github.com/problemtracking/problems/conformance/report"
)

// A server that goes away is neither conformant nor not.
func TestOutageIsNoBreach(t *testing.T) {
	t.Parallel()
	for name, away := range map[string]http.HandlerFunc{
		"dropped":             func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) },
		"502":                 func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusBadGateway) },
		"503":                 func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusServiceUnavailable) },
		"503 for a long time": unavailable("3600"),
		"outcome unknown":     unknownOutcome,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := Execute(t.Context(), serve(t, begun(away)), Options{Only: regexp.MustCompile("^HTTP-W[45]-00"), CoreOnly: true})
			if r.Result != report.Incomplete || r.ExitCode() != 2 {
				t.Errorf("the run is %s: %s", r.Result, r.Reason)
			}
			for _, c := range r.Cases {
				if c.Status == report.Failed || c.Status == report.Passed || c.Status == report.Broken && !strings.Contains(c.Failure, "the server was not reached") {
					t.Errorf("%s is %s: %s", c.ID, c.Status, c.Failure)
				}
			}
		})
	}
}

// unavailable is the error of D18.
func unavailable(after string) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Retry-After", after)
		w.WriteHeader(http.StatusServiceUnavailable)
	}
}

// unknownOutcome is the error of D18 for a write that may be stored or not. The header
// is wrong, and must not lead a client to write twice.
func unknownOutcome(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Retry-After", "0")
	w.Header().Set("Content-Type", "application/problem+json")
	w.WriteHeader(http.StatusServiceUnavailable)
	_, _ = io.WriteString(w, `{"type":"/errors/outcome-unknown","status":503}`)
}

// A write that may be stored is not sent again, whatever the answer says.
func TestWriteOfUnknownOutcomeIsNotRepeated(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	target := serve(t, func(w http.ResponseWriter, r *http.Request) {
		requests.Add(1)
		unknownOutcome(w, r)
	})
	o := tried(t, target, time.Minute, func(s *session.Session) { s.Admin.Post("/problems", `{}`).Is(201) })
	if o.Status != report.Broken || requests.Load() != 1 {
		t.Errorf("%d requests, want 1, and the case ended %s: %s", requests.Load(), o.Status, o.Failure())
	}
}

func TestServerThatIsBackIsAskedAgain(t *testing.T) {
	t.Parallel()
	var requests atomic.Int64
	target := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if requests.Add(1) < 3 {
			unavailable("0")(w, r)
		}
	})
	o := tried(t, target, time.Minute, func(s *session.Session) { s.Admin.Get("/me").Is(200) })
	if o.Status != report.Passed || requests.Load() != 3 {
		t.Errorf("%d requests, want 3, and the case ended %s: %s", requests.Load(), o.Status, o.Failure())
	}
	requests.Store(0)
	o = tried(t, target, time.Minute, func(s *session.Session) { s.Admin.Post("/problems", `{}`).Is(201) })
	if o.Status != report.Broken {
		t.Errorf("a write that was sent again ended the case %s: %s", o.Status, o.Failure())
	}
}

// What was wrong before the outage stays wrong, and what others meet meanwhile says
// nothing.
func TestOutageAndFailure(t *testing.T) {
	t.Parallel()
	target := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodDelete {
			panic(http.ErrAbortHandler)
		}
	})
	o := tried(t, target, time.Minute, func(s *session.Session) {
		s.Errorf("wrong before")
		s.Admin.Delete("/me", "")
	})
	if o.Status != report.Failed {
		t.Errorf("a failure before the outage is %s: %s", o.Status, o.Failure())
	}
	o = tried(t, target, time.Minute, func(s *session.Session) {
		s.Losses.Add(1) // by another case
		s.Admin.Get("/me").Is(404)
	})
	if o.Status != report.Broken {
		t.Errorf("a failure while another case met the outage is %s: %s", o.Status, o.Failure())
	}
}

// A server that nobody listens for is asked again when somebody does.
func TestServerThatIsStartedAgain(t *testing.T) {
	t.Parallel()
	s := newSuite(serve(t, begun(http.NotFound)), Options{})
	t.Cleanup(s.server.Close)
	var dials atomic.Int64
	s.server.Wire.Transport.(*http.Transport).DialContext = func(ctx context.Context, network, address string) (net.Conn, error) {
		if dials.Add(1) < 3 {
			return nil, &net.OpError{Op: "dial", Net: network, Err: syscall.ECONNREFUSED}
		}
		return new(net.Dialer).DialContext(ctx, network, address)
	}
	o := engine.Do(t.Context(), "HTTP-X-001", "", time.Minute, func(r *engine.Run) {
		session.New(s.server.Trial(r, report.Core), s.server, s.Seed).Admin.Post("/problems", `{}`).Is(201)
	})
	if o.Status != report.Passed || dials.Load() != 3 {
		t.Errorf("after %d attempts the case ended %s: %s", dials.Load(), o.Status, o.Failure())
	}
}

func TestTokenThatIsRefusedInTheEnd(t *testing.T) {
	t.Parallel()
	var revoked atomic.Bool
	known := begun(http.NotFound)
	target := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if strings.Contains(r.URL.Path, "/keywords/") {
			revoked.Store(true)
		}
		if revoked.Load() {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		known(w, r)
	})
	r := Execute(t.Context(), target, Options{Only: regexp.MustCompile("^HTTP-W5-001$")})
	if r.Result != report.Incomplete || !strings.Contains(r.Text()+fmt.Sprint(r.Cases), "is refused after the last one (401)") {
		t.Errorf("the run is %s: %s", r.Result, r.Reason)
	}
}

func TestEndlessAnswerIsAComplaint(t *testing.T) {
	t.Parallel()
	o := tried(t, serve(t, endless), time.Minute, func(s *session.Session) {
		s.Most = 1 << 20
		s.Admin.Get("/users").Is(200)
	})
	if o.Status != report.Failed || !strings.Contains(o.Failure(), "a body of more than 1 MiB") {
		t.Errorf("the case ended %s: %s", o.Status, o.Failure())
	}
}

func TestTextAfterJSONIsAComplaint(t *testing.T) {
	t.Parallel()
	for body, want := range map[string]report.Status{
		`{"name":"Ann"}`:                report.Passed,
		"{\"name\":\"Ann\"}\n":          report.Passed,
		`{"name":"Ann"}{"name":"Bo"}`:   report.Failed,
		`{"name":"Ann"}}`:               report.Failed,
		"{\"name\":\"Ann\"}\n<p>Bo</p>": report.Failed,
	} {
		target := serve(t, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = io.WriteString(w, body)
		})
		o := tried(t, target, time.Minute, func(s *session.Session) { s.Admin.Get("/users").Is(200) })
		if o.Status != want || want == report.Failed && !strings.Contains(o.Failure(), "is not JSON") {
			t.Errorf("after the body %q the case ended %s: %s; want %s", body, o.Status, o.Failure(), want)
		}
	}
}

// Twenty who wait for a second together have waited for about a second.
func TestWaitsTogetherCountOnce(t *testing.T) {
	t.Parallel()
	var requests sync.Map
	target := serve(t, func(w http.ResponseWriter, r *http.Request) {
		if _, again := requests.LoadOrStore(r.URL.Path, true); !again {
			w.Header().Set("Retry-After", "1")
			w.WriteHeader(http.StatusTooManyRequests)
		}
	})
	o := tried(t, target, 20*time.Second, func(s *session.Session) {
		for i, a := range session.Together(20, func(i int) *session.Answer { return s.Admin.Get(fmt.Sprintf("/problems/%d", i)) }) {
			if a.Status != 200 {
				s.Errorf("request %d: %v", i, a)
			}
		}
	})
	if o.Status != report.Passed {
		t.Errorf("the case ended %s: %s", o.Status, o.Failure())
	}
}
