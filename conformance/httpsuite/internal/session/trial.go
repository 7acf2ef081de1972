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

// Trial is the T of a case under way. It masks tokens. When the whole run was ended, the
// case counts as not run, and not as a failure of the server.
type Trial struct {
	*engine.Run
	level report.Level

	mu         sync.Mutex
	secrets    []string
	complaints int
	told       map[string]bool // the lacks it has complained of
	ended      bool            // the run, before the case was over
	shaken     bool            // by an outage that this case met itself
	sound      bool            // it complained before any outage

	Most     int64     // how long the body of an answer may be
	limiters patience  // with rate limiters
	outages  *patience // with a server that is away, of all cases of the run together

	Losses *atomic.Int64 // the number of times that the server was away, for all cases of the run
	before int64         // how many of these were before the case
}

var _ engine.T = (*Trial)(nil)

// outagePause is the wait before another attempt to connect to a closed port.
const outagePause = 200 * time.Millisecond

// mostComplaints is the number of complaints that a case shows. The first ones matter
// most: a server without a header lacks it in every answer.
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

// say makes a complaint. After an outage the complaint says nothing about the server: it
// may have lost the problems of the case, and done a request once, twice or not at all.
// Such a case is broken, and never passes.
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

// complain counts a complaint and reports whether to show it.
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

// Logf adds a line to the story of a failure. Each request with its answer has one.
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

// broken complains of a failed exchange. It does not complain when the whole run was
// ended. It does when the case has used up its own time.
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

// unreached reports whether an exchange failed because the server was away, or went away
// during the exchange.
func unreached(err error) bool {
	for _, sign := range []error{syscall.ECONNREFUSED, syscall.ECONNRESET, syscall.EPIPE, io.EOF, io.ErrUnexpectedEOF} {
		if errors.Is(err, sign) {
			return true
		}
	}
	var call *net.OpError
	return errors.As(err, &call) && call.Op == "dial" || strings.Contains(err.Error(), "server closed idle connection")
}

// retryable waits after an error without a connection, and reports whether to send the
// request again: the server has not received it.
func (t *Trial) retryable(err error) bool {
	var call *net.OpError
	if !errors.As(err, &call) || call.Op != "dial" {
		return false
	}
	t.Losses.Add(1)
	return t.wait(t.outages, outagePause)
}

// away reports whether an answer says that the server is away. The status 503 is
// unavailable or outcome-unknown (D18). A proxy sends 502 and 504.
func (a *Answer) away() bool {
	return a.Status == http.StatusBadGateway || a.Status == http.StatusServiceUnavailable || a.Status == http.StatusGatewayTimeout
}

// outcomeUnknown reports whether the server does not know if the write was stored (D18). A
// client repeats it only with a key or a condition.
func (a *Answer) outcomeUnknown() bool {
	var problem struct{ Type string }
	return json.Unmarshal(a.Body, &problem) == nil && path.Base(problem.Type) == "outcome-unknown"
}

// again waits, when an answer asks for that, and reports whether to send the request
// again. It complains when the server stays away.
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

// confide adds a secret. Complaints mask it.
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
