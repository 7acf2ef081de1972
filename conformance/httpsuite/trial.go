package httpsuite

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"runtime"
	"strings"
	"sync"
	"time"

	"github.com/problemtracking/problems/conformance/internal/engine"
	"github.com/problemtracking/problems/conformance/report"
)

// secretForm is the beginning of a token (D17), or of what was made of one.
var secretForm = regexp.MustCompile(`(?i)pts_[0-9a-z]{6,}`)

// hide masks all tokens in a text: the ones given and whatever looks like one.
func hide(text string, secrets ...string) string {
	for _, secret := range secrets {
		if len(secret) >= 6 { // what is shorter is no secret, and may stand anywhere
			text = strings.ReplaceAll(text, secret, "$TOKEN")
		}
	}
	return secretForm.ReplaceAllString(text, "$$TOKEN")
}

// trial is a case under way: the T of the case. It masks tokens, and knows when the
// whole run was ended, which is no failure of the server.
type trial struct {
	*engine.Run
	level report.Level

	mu         sync.Mutex
	secrets    []string
	complaints int
	told       map[string]bool // what one complaint is enough for
	ended      bool            // the run, before the case was over
	patience   time.Duration   // what is left of it for rate limiters
}

var _ engine.T = (*trial)(nil)

func newTrial(r *engine.Run, level report.Level, patience time.Duration, admin string) *trial {
	return &trial{Run: r, level: level, patience: patience, secrets: []string{admin}}
}

// mostComplaints is how many complaints of a case are shown. The first are what
// matters, and a server that lacks one thing lacks it in every answer.
const mostComplaints = 10

// Errorf fails the case, unless the run was ended.
func (t *trial) Errorf(format string, args ...any) {
	if !t.over() && t.complain() {
		t.Run.Errorf("%s", t.hide(fmt.Sprintf(format, args...)))
	}
}

// Fatalf fails the case, unless the run was ended, and ends its goroutine.
func (t *trial) Fatalf(format string, args ...any) {
	t.settle()
	if t.complain() {
		t.Run.Errorf("%s", t.hide(fmt.Sprintf(format, args...)))
	}
	runtime.Goexit()
}

// complain counts a complaint and reports whether it is to be shown.
func (t *trial) complain() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.complaints++
	return t.complaints <= mostComplaints
}

// once fails the case, but not twice for the same lack.
func (t *trial) once(lack string, format string, args ...any) {
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
func (t *trial) Logf(format string, args ...any) {
	t.Run.Logf("%s", t.hide(fmt.Sprintf(format, args...)))
}

// settle ends the case as not run, when it could not be brought to its end.
func (t *trial) settle() {
	if t.over() {
		t.NotRun("the run was ended while it was under way")
	}
}

// over reports whether the run was ended before the case was.
func (t *trial) over() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.ended
}

// failed reports whether the case has complained.
func (t *trial) failed() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.complaints > 0
}

// broken notes that an exchange failed. When that is because the whole run was
// ended, and not because the case has used up its own time, it is no complaint.
func (t *trial) broken(request string, err error) {
	if cause := context.Cause(t.Context()); errors.Is(cause, context.Canceled) || errors.Is(cause, context.DeadlineExceeded) {
		t.mu.Lock()
		t.ended = true
		t.mu.Unlock()
		return
	}
	t.Errorf("%s: %v", request, err)
}

// confide adds a secret that no complaint is to show.
func (t *trial) confide(secret string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.secrets = append(t.secrets, secret)
}

func (t *trial) hide(text string) string {
	t.mu.Lock()
	secrets := t.secrets
	t.mu.Unlock()
	return hide(text, secrets...)
}

// wait spends some of the patience for rate limiters, and reports whether there
// was enough of it.
func (t *trial) wait(span time.Duration) bool {
	t.mu.Lock()
	enough := span <= t.patience
	if enough {
		t.patience -= span
	}
	t.mu.Unlock()
	if !enough {
		return false
	}
	select {
	case <-time.After(span):
		return true
	case <-t.Context().Done():
		return false
	}
}
