// Package engine runs the cases of a suite, each in a goroutine with a T of its own, and
// returns the result of each. It knows nothing of their subjects.
package engine

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/problemtracking/problems/conformance/report"
)

// Environment says where the cases are run.
func Environment() report.Environment {
	return report.Environment{OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), Go: runtime.Version()}
}

// T is the test of a case and of its harness. *testing.T is one.
type T interface {
	// Helper marks the calling function as a helper of tests, for *testing.T.
	Helper()
	// Name returns the identifier of the case, such as FIND-001/fields.
	Name() string
	// Context is cancelled when the case is over, before its Cleanup
	// functions are called, and when it has used up its time.
	Context() context.Context
	// TempDir returns a new directory, and removes it after the case.
	TempDir() string
	// Cleanup has a function called after the case; the last one first.
	Cleanup(func())
	// Logf adds a line to the log. The report of a failure shows the latest lines.
	Logf(format string, args ...any)
	// Errorf fails the case and goes on.
	Errorf(format string, args ...any)
	// Fatalf fails the case and ends the calling goroutine. Call it in the goroutine of
	// the case.
	Fatalf(format string, args ...any)
}

// Outcome is how a case ended.
type Outcome struct {
	Status report.Status
	// Reason is the reason for not running a case. Waived cases are no gap.
	Reason string
	Waived bool
	// Complaints come from the case and from the harness.
	Complaints []string
	// Logs are the lines of the log, without the oldest ones of a long log.
	Logs []string
	// Repeat is the command for running the case again as it was. Seed began its random
	// choices. Both may be empty.
	Repeat, Seed string
	Took         time.Duration
}

// mostLogs is the limit of log lines of a case.
const mostLogs = 25

// Failure returns all complaints and the log as one text; empty after a success.
func (o Outcome) Failure() string {
	if len(o.Complaints) == 0 {
		return ""
	}
	text := strings.Join(o.Complaints, "\n")
	if len(o.Logs) > 0 {
		text += "\nThe steps that led there:\n  " + strings.Join(o.Logs, "\n  ")
	}
	if o.Repeat != "" {
		text += "\nTo repeat this: " + o.Repeat
	}
	return text
}

// mostGrace is how long a case has at most to end after its context is over.
const mostGrace = 30 * time.Second

// Do runs a case with a time limit. A case beyond the limit, with its context cancelled,
// is given up a little later: its goroutines are left behind. Its directories are made in
// dir, or in the system's temporary directory if dir is empty.
func Do(ctx context.Context, name, dir string, limit time.Duration, do func(*Run)) Outcome {
	began := time.Now()
	ctx, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("the case has used up its %v", limit))
	defer cancel()
	r := &Run{name: name, dir: dir, ctx: ctx}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer r.cleanUp() // also when the case ends its goroutine
		defer cancel()
		r.guarded(func() { do(r) })
	}()
	<-ctx.Done()
	grace := min(limit/4, mostGrace)
	patience := time.NewTimer(grace)
	defer patience.Stop()
	select {
	case <-done:
	case <-patience.C:
		r.giveUp(limit, grace)
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Outcome.Took = time.Since(began)
	return r.verdict()
}

// giveUp reports a case, or its clean-up, without an end.
func (r *Run) giveUp(limit, grace time.Duration) {
	r.mu.Lock()
	cleaning := r.cleaning
	r.mu.Unlock()
	if cleaning {
		r.Errorf("cleaning up after it did not end within %v%s", grace, r.pending())
	} else {
		r.Errorf("it did not end within %v, although its context was over%s", limit, r.pending())
	}
}

// pending returns the call under way in the case.
func (r *Run) pending() string {
	r.mu.Lock()
	waits := r.waits
	r.mu.Unlock()
	if waits == nil {
		return ""
	}
	return waits()
}

// Waits sets the function for the end of the sentence about a case without an end.
func (r *Run) Waits(what func() string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.waits = what
}

// Run is a case under way. It is the T of the case.
type Run struct {
	name string
	dir  string // where its directories are made
	ctx  context.Context

	mu       sync.Mutex
	broken   bool
	panicked bool
	logged   int // lines, with the omitted ones
	waits    func() string
	cleaning bool
	cleanups []func()
	Outcome
}

var _ T = (*Run)(nil)

// verdict returns the outcome as it stands.
func (r *Run) verdict() Outcome {
	o := r.Outcome
	o.Complaints, o.Logs = slices.Clone(o.Complaints), slices.Clone(o.Logs) // a case may go on after it was given up
	switch {
	case r.broken:
		o.Status = report.Broken
	case len(o.Complaints) > 0:
		o.Status = report.Failed
	case o.Reason != "":
		o.Status = report.NotRun
	default:
		o.Status = report.Passed
	}
	o.Waived = o.Waived && o.Status == report.NotRun
	return o
}

// guarded calls fn, and takes a panic for a complaint.
func (r *Run) guarded(fn func()) {
	finished := false
	defer func() {
		if problem := recover(); problem != nil {
			r.mu.Lock()
			r.panicked = true
			r.mu.Unlock()
			r.Errorf("it panicked: %v\n%s", problem, debug.Stack())
		} else if !finished && !r.ended() {
			r.Errorf("its goroutine was ended by runtime.Goexit, and nobody said why")
		}
	}()
	fn()
	finished = true
}

// ended reports whether the case has said why its goroutine ends.
func (r *Run) ended() bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return len(r.Complaints) > 0 || r.Reason != ""
}

// cleanUp calls the cleanup functions, also the ones added meanwhile.
func (r *Run) cleanUp() {
	r.mu.Lock()
	r.cleaning = true
	r.mu.Unlock()
	for {
		r.mu.Lock()
		last := len(r.cleanups) - 1
		if last < 0 {
			r.mu.Unlock()
			return
		}
		fn := r.cleanups[last]
		r.cleanups = r.cleanups[:last]
		r.mu.Unlock()
		r.apart(fn)
	}
}

// apart calls fn in a goroutine with an end of its own, and waits.
func (r *Run) apart(fn func()) {
	var wait sync.WaitGroup
	wait.Go(func() { r.guarded(fn) })
	wait.Wait()
}

// Helper does nothing: complaints are sentences, not lines of code.
func (r *Run) Helper() {}

// Name returns the identifier of the case.
func (r *Run) Name() string { return r.name }

// Context returns the context of the case.
func (r *Run) Context() context.Context { return r.ctx }

// TempDir returns a new directory.
func (r *Run) TempDir() string {
	dir, err := os.MkdirTemp(r.dir, "conformance-")
	if err != nil {
		r.breakf("a directory could not be made: %v", err)
		runtime.Goexit()
	}
	r.Cleanup(func() {
		if err := os.RemoveAll(dir); err != nil {
			r.Logf("the directory could not be removed: %v", err)
		}
	})
	return dir
}

// Cleanup has fn called after the case.
func (r *Run) Cleanup(fn func()) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.cleanups = append(r.cleanups, fn)
}

// Logf keeps a line for the report of a failure.
func (r *Run) Logf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.logged++
	r.Logs = append(r.Logs, fmt.Sprintf("%d. ", r.logged)+strings.ReplaceAll(fmt.Sprintf(format, args...), "\n", "\n     "))
	if len(r.Logs) > mostLogs {
		r.Logs = slices.Delete(r.Logs, 0, 1)
	}
}

// Repeat sets the command for running the case again, and the seed.
func (r *Run) Repeat(command, seed string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Outcome.Repeat, r.Outcome.Seed = command, seed
}

// Dir returns where the directories of the case are made; empty for where the
// system has such.
func (r *Run) Dir() string { return r.dir }

// Adopt lets the case end as another run of it did.
func (r *Run) Adopt(o Outcome) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.broken, r.Outcome = o.Status == report.Broken, o
}

// Errorf fails the case.
func (r *Run) Errorf(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.Complaints = append(r.Complaints, fmt.Sprintf(format, args...))
}

// Fatalf fails the case and ends its goroutine.
func (r *Run) Fatalf(format string, args ...any) {
	r.Errorf(format, args...)
	runtime.Goexit()
}

// NotRun ends the case: it cannot be decided here, for the given reason.
func (r *Run) NotRun(reason string) {
	r.mu.Lock()
	r.Reason = reason
	r.mu.Unlock()
	runtime.Goexit()
}

// Waive ends the case: it does not concern the implementation, for the given reason.
func (r *Run) Waive(reason string) {
	r.mu.Lock()
	r.Outcome.Waived = true
	r.mu.Unlock()
	r.NotRun(reason)
}

// breakf reports a failure of the harness.
func (r *Run) breakf(format string, args ...any) {
	r.mu.Lock()
	r.broken = true
	r.mu.Unlock()
	r.Errorf(format, args...)
}

// Harness returns the case's T for a function of the harness. Its failures say nothing
// about the implementation.
func (r *Run) Harness() T { return assistant{r, "the harness failed", r.breakf} }

// Assistant returns the case's T for a function of the harness. Its complaints begin with
// the function's name.
func (r *Run) Assistant(name string) T { return assistant{r, name + " failed", r.Errorf} }

// assistant is a T with a name before its complaints.
type assistant struct {
	*Run
	who      string
	complain func(format string, args ...any)
}

func (a assistant) Errorf(format string, args ...any) {
	a.complain("%s: %s", a.who, fmt.Sprintf(format, args...))
}

func (a assistant) Fatalf(format string, args ...any) {
	a.Errorf(format, args...)
	runtime.Goexit()
}

// Try calls fn with a T of its own and returns its complaints. fn may fail, but not
// panic. Its clean-up runs after the case.
func (r *Run) Try(fn func(T)) (complaints []string) {
	attempt := &Run{name: r.name, dir: r.dir, ctx: r.ctx}
	attempt.apart(func() { fn(attempt) })
	r.Cleanup(attempt.cleanUp)
	attempt.mu.Lock()
	defer attempt.mu.Unlock()
	if attempt.panicked {
		r.Errorf("%s", strings.Join(attempt.Complaints, "\n"))
	}
	return attempt.Complaints
}
