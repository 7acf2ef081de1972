package session

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"path"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/problemtracking/problems/conformance/internal/engine"
	"github.com/problemtracking/problems/conformance/report"
)

// Trial is a case under way: the T of the case. It masks tokens, and knows when the
// whole run was ended, which is no failure of the server.
type Trial struct {
	*engine.Run
	level report.Level

	mu         sync.Mutex
	secrets    []string
	complaints int
	told       map[string]bool // what one complaint is enough for
	ended      bool            // the run, before the case was over
	shaken     bool            // by an outage that this case met itself
	sound      bool            // of what it has complained, something was not due to an outage

	Most     int64     // how long the body of an answer may be
	limiters patience  // with rate limiters
	outages  *patience // with a server that is away, of all cases of the run together

	Losses *atomic.Int64 // how often the server was found gone, by all cases of the run
	before int64         // how many of these were before the case
}

var _ engine.T = (*Trial)(nil)

// outagePause is how long the cases wait before they try again to reach a server
// that nobody listens for.
const outagePause = 200 * time.Millisecond

// mostComplaints is how many complaints of a case are shown. The first are what
// matters, and a server that lacks one thing lacks it in every answer.
const mostComplaints = 10

// Errorf fails the case, unless the run was ended.
func (t *Trial) Errorf(format string, args ...any) {
	if !t.over() && t.complain() {
		t.say(t.hide(fmt.Sprintf(format, args...)))
	}
}

// Fatalf fails the case, unless the run was ended, and ends its goroutine.
func (t *Trial) Fatalf(format string, args ...any) {
	t.Settle()
	if t.complain() {
		t.say(t.hide(fmt.Sprintf(format, args...)))
	}
	runtime.Goexit()
}

// say makes a complaint. After an outage it says nothing about the server: what a
// case has made may be gone, and what it has asked for done once, twice or not at
// all. Such a case is broken, which is never a pass.
func (t *Trial) say(complaint string) {
	t.mu.Lock()
	upset := t.shaken || t.Losses.Load() != t.before
	t.sound = t.sound || !upset
	sound := t.sound
	t.mu.Unlock()
	if sound {
		t.Run.Errorf("%s", complaint)
	} else {
		t.Run.Harness().Errorf("%s\n(the server was away while the case was under way)", complaint)
	}
}

// complain counts a complaint and reports whether it is to be shown.
func (t *Trial) complain() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.complaints++
	return t.complaints <= mostComplaints
}

// Hurry makes the case give up on answers beyond 1 MiB, and at once on a server that is
// away.
func (t *Trial) Hurry() {
	t.Most = 1 << 20
	t.outages = &patience{}
}

// once fails the case, but not twice for the same lack.
func (t *Trial) once(lack string, format string, args ...any) {
	t.mu.Lock()
	known := t.told[lack]
	if t.told == nil {
		t.told = map[string]bool{}
	}
	t.told[lack] = true
	t.mu.Unlock()
	if !known {
		t.Errorf(format, args...)
	}
}

// Logf keeps a line for whoever reads why the case failed: one for every request
// and its answer.
func (t *Trial) Logf(format string, args ...any) {
	t.Run.Logf("%s", t.hide(fmt.Sprintf(format, args...)))
}

// Settle ends the case as not run, when it could not be brought to its end.
func (t *Trial) Settle() {
	if t.over() {
		t.NotRun("the run was ended while it was under way")
	}
}

// over reports whether the run was ended before the case was.
func (t *Trial) over() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.ended
}

// Failed reports whether the case has complained.
func (t *Trial) Failed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.complaints > 0
}

// broken notes that an exchange failed. When that is because the whole run was
// ended, and not because the case has used up its own time, it is no complaint.
func (t *Trial) broken(request string, err error) {
	if cause := context.Cause(t.Context()); errors.Is(cause, context.Canceled) || errors.Is(cause, context.DeadlineExceeded) {
		t.mu.Lock()
		t.ended = true
		t.mu.Unlock()
		return
	}
	if !unreached(err) {
		t.Errorf("%s: %v", request, err)
		return
	}
	t.Losses.Add(1)
	t.Errorf("the server was not reached: %s: %v", request, err)
}

// unreached reports whether an exchange failed because nobody was there, or went
// away meanwhile.
func unreached(err error) bool {
	for _, sign := range []error{syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.EPIPE, io.EOF, io.ErrUnexpectedEOF} {
		if errors.Is(err, sign) {
			return true
		}
	}
	var call *net.OpError
	return errors.As(err, &call) && call.Op == "dial" || strings.Contains(err.Error(), "server closed idle connection")
}

// Refused reports whether an exchange failed before the request was sent, and whether
// it is to be tried again, now that some time has passed.
func (t *Trial) Refused(err error) bool {
	var call *net.OpError
	if !errors.As(err, &call) || call.Op != "dial" {
		return false
	}
	t.Losses.Add(1)
	return t.wait(t.outages, outagePause)
}

// away reports whether an answer says that there is nobody to answer: 503 is
// unavailable or outcome-unknown (D18), and 502 and 504 come from somebody in between.
func (a *Answer) away() bool {
	return a.Status == http.StatusBadGateway || a.Status == http.StatusServiceUnavailable || a.Status == http.StatusGatewayTimeout
}

// outcomeUnknown reports whether the answer is to a write that may be stored or not
// (D18). A client repeats it only with a key or a condition.
func (a *Answer) outcomeUnknown() bool {
	var problem struct{ Type string }
	return json.Unmarshal(a.Body, &problem) == nil && path.Base(problem.Type) == "outcome-unknown"
}

// again waits, when an answer asks for that, and reports whether the request is to
// be sent again. When it is not, and nobody was there to answer, it says so.
func (t *Trial) again(a *Answer) bool {
	switch {
	case a.Status == http.StatusTooManyRequests:
		return t.wait(&t.limiters, a.retryAfter())
	case !a.away():
		return false
	case a.Status == http.StatusServiceUnavailable:
		t.mu.Lock()
		t.shaken = true
		t.mu.Unlock()
		if a.Header.Get("Retry-After") != "" && !a.outcomeUnknown() && t.wait(t.outages, a.retryAfter()) {
			return true
		}
	default:
		t.Losses.Add(1)
	}
	if t.Context().Err() == nil {
		t.Errorf("the server was not reached: %v", a)
	}
	return false
}

// confide adds a secret that no complaint is to show.
func (t *Trial) confide(secret string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.secrets = append(t.secrets, secret)
}

func (t *Trial) hide(text string) string {
	t.mu.Lock()
	secrets := t.secrets
	t.mu.Unlock()
	return Hide(text, secrets...)
}

// wait spends some of a patience, and reports whether there was enough of it.
func (t *Trial) wait(p *patience, span time.Duration) bool {
	if !p.begin(span) {
		return false
	}
	defer p.done()
	select {
	case <-time.After(span):
		return true
	case <-t.Context().Done():
		return false
	}
}
