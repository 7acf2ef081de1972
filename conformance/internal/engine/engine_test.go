package engine_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/conformance/internal/engine"
	"github.com/problemtracking/problems/conformance/report"
)

const limit = 10 * time.Second

// TestDo shows how a case can end.
func TestDo(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name string
		do   func(*engine.Run)
		want report.Status
		said string // part of the failure or the reason
	}{
		{"nothing wrong", func(r *engine.Run) { r.Logf("fine") }, report.Passed, ""},
		{"an error", func(r *engine.Run) { r.Errorf("%d is wrong", 5) }, report.Failed, "5 is wrong"},
		{"a fatal error", func(r *engine.Run) { r.Fatalf("the end"); r.Errorf("not reached") }, report.Failed, "the end"},
		{"a panic", func(*engine.Run) { panic("oh") }, report.Failed, "it panicked: oh"},
		{"Goexit without a word", func(*engine.Run) { runtime.Goexit() }, report.Failed, "runtime.Goexit"},
		{"not run", func(r *engine.Run) { r.NotRun("no such machine") }, report.NotRun, "no such machine"},
		{"an error before", func(r *engine.Run) { r.Errorf("wrong"); r.NotRun("no such machine") }, report.Failed, "wrong"},
		{"the harness", func(r *engine.Run) { r.Harness().Fatalf("no disk") }, report.Broken, "the harness failed: no disk"},
		{"the harness's cleanup", func(r *engine.Run) { h := r.Harness(); h.Cleanup(func() { h.Errorf("not removed") }) }, report.Broken, "not removed"},
		{"another function of the harness", func(r *engine.Run) { r.Assistant("Reopen").Fatalf("no disk") }, report.Failed, "Reopen failed: no disk"},
		{"a cleanup", func(r *engine.Run) { r.Cleanup(func() { r.Errorf("not closed") }) }, report.Failed, "not closed"},
		{"a cleanup that panics", func(r *engine.Run) { r.Cleanup(func() { panic("oh") }) }, report.Failed, "it panicked: oh"},
		{"a context that is over", func(r *engine.Run) {
			r.Cleanup(func() {
				if r.Context().Err() == nil {
					r.Errorf("the context goes on after the case")
				}
			})
		}, report.Passed, ""},
		{"a panic in what may fail", func(r *engine.Run) { r.Try(func(engine.T) { panic("oh") }) }, report.Failed, "it panicked: oh"},
		{"steps", func(r *engine.Run) { r.Logf("opened"); r.Errorf("wrong") }, report.Failed, "The steps that led there:\n  1. opened"},
		{"how to repeat it", func(r *engine.Run) { r.Repeat("make it so", "5"); r.Errorf("wrong") }, report.Failed, "To repeat this: make it so"},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			o := engine.Do(t.Context(), "CASE-1", "", limit, test.do)
			said := o.Failure() + o.Reason
			if o.Status != test.want || !strings.Contains(said, test.said) || (test.want == report.Passed) != (said == "") {
				t.Errorf("the case ended %s, saying %q; want %s and %q", o.Status, said, test.want, test.said)
			}
			if strings.Contains(said, "not reached") {
				t.Error("the case went on after Fatalf")
			}
		})
	}
}

// A case that does not heed the end of its context is given up.
func TestDoGivesUp(t *testing.T) {
	t.Parallel()
	stuck := make(chan struct{})
	defer close(stuck)
	o := engine.Do(t.Context(), "CASE-1", "", 20*time.Millisecond, func(r *engine.Run) {
		r.Waits(func() string { return "; it waits for Godot" })
		<-stuck
	})
	if o.Status != report.Failed || !strings.Contains(o.Failure(), "did not end within 20ms, although its context was over; it waits for Godot") {
		t.Errorf("the case ended %s, saying %q; want it to be given up", o.Status, o.Failure())
	}
}

func TestCleanupsRunBackwards(t *testing.T) {
	t.Parallel()
	var order []string
	var dir string
	o := engine.Do(t.Context(), "CASE-1", "", limit, func(r *engine.Run) {
		dir = r.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "file"), nil, 0o600); err != nil {
			r.Fatalf("%v", err)
		}
		r.Cleanup(func() { order = append(order, "first") })
		r.Cleanup(func() {
			order = append(order, "second")
			r.Cleanup(func() { order = append(order, "late") })
		})
		r.Fatalf("wrong")
	})
	if want := []string{"second", "late", "first"}; !slices.Equal(order, want) {
		t.Errorf("the cleanups ran in the order %v; want %v", order, want)
	}
	if _, err := os.Stat(dir); !os.IsNotExist(err) {
		t.Errorf("the directory is still there after the case: %v", err)
	}
	if o.Status != report.Failed {
		t.Errorf("the case ended %s", o.Status)
	}
}

func TestLogsKeepTheLast(t *testing.T) {
	t.Parallel()
	o := engine.Do(t.Context(), "CASE-1", "", limit, func(r *engine.Run) {
		for i := range 1000 {
			r.Logf("line %d", i+1)
		}
		r.Errorf("wrong")
	})
	if last := o.Logs[len(o.Logs)-1]; last != "1000. line 1000" || len(o.Logs) > 100 {
		t.Errorf("%d lines are kept, the last is %q; want the end of 1000", len(o.Logs), last)
	}
}

func TestWaive(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		do     func(*engine.Run)
		status report.Status
		waived bool
	}{
		"not run": {func(r *engine.Run) { r.NotRun("no strace") }, report.NotRun, false},
		"waived":  {func(r *engine.Run) { r.Waive("no files") }, report.NotRun, true},
		"wrong":   {func(r *engine.Run) { r.Errorf("wrong"); r.Waive("no files") }, report.Failed, false},
	} {
		if o := engine.Do(t.Context(), "CASE-1", "", limit, test.do); o.Status != test.status || o.Waived != test.waived {
			t.Errorf("%s: the case ended %s, waived %v", name, o.Status, o.Waived)
		}
	}
}

// What is tried may fail without failing the case.
func TestTry(t *testing.T) {
	t.Parallel()
	cleaned := false
	o := engine.Do(t.Context(), "CASE-1", "", limit, func(r *engine.Run) {
		complaints := r.Try(func(t engine.T) {
			t.Cleanup(func() { cleaned = true })
			t.Fatalf("refused")
		})
		if !slices.Equal(complaints, []string{"refused"}) {
			r.Errorf("the attempt complained %q", complaints)
		}
		if complaints := r.Try(func(engine.T) {}); complaints != nil {
			r.Errorf("the attempt complained %q", complaints)
		}
	})
	if o.Status != report.Passed || !cleaned {
		t.Errorf("the case ended %s: %s (cleaned up: %v)", o.Status, o.Failure(), cleaned)
	}
}

func jobs() []engine.Job {
	pass := func(*engine.Run) {}
	job := func(id string, do func(*engine.Run)) engine.Job {
		return engine.Job{Case: report.Case{ID: id, Rule: "It holds.", Source: "D1", Profile: "p", Level: report.Core}, Limit: limit, Do: do}
	}
	waived := job("C-3", pass)
	waived.Reason, waived.Waived = "declared not to be there", true
	return []engine.Job{job("A-1", pass), job("B-2", func(r *engine.Run) { r.Fatalf("it is wrong") }), waived, job("D-4", pass)}
}

func statuses(cases []report.Case) string {
	var all []string
	for _, c := range cases {
		all = append(all, fmt.Sprint(c.ID, " ", c.Status, " ", c.Reason))
	}
	return strings.Join(all, "; ")
}

func TestExecute(t *testing.T) {
	t.Parallel()
	all := jobs()
	all[1].Links = []string{"https://example.org/rules#d1", "https://example.org/rfc"}
	engine.Select(all, regexp.MustCompile("^[ABC]"))
	cases := engine.Execute(t.Context(), all, 2)
	if got, want := statuses(cases), "A-1 passed ; B-2 failed ; C-3 not-run declared not to be there; D-4 not-run not chosen by ^[ABC]"; got != want {
		t.Errorf("the cases ended %q; want %q", got, want)
	}
	if got, want := cases[1].Failure, "B-2: It holds. (D1)\nSee https://example.org/rules#d1\nSee https://example.org/rfc\nBut it is wrong"; got != want {
		t.Errorf("the failure reads %q; want %q", got, want)
	}
}

func TestExecuteStops(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, c := range engine.Execute(ctx, jobs(), 1) {
		if c.Status != report.NotRun || c.Reason == "" {
			t.Errorf("%s ended %s %q after the run was ended", c.ID, c.Status, c.Reason)
		}
	}
}

func TestSubtests(t *testing.T) {
	var cases []report.Case
	t.Run("group", func(t *testing.T) {
		passing := slices.DeleteFunc(jobs(), func(j engine.Job) bool { return j.ID == "B-2" })
		engine.Subtests(t, passing, 2, func(ended []report.Case) { cases = ended })
		if cases != nil {
			t.Error("the cases were handed over before they ended")
		}
	})
	if got, want := statuses(cases), "A-1 passed ; C-3 not-run declared not to be there; D-4 passed "; got != want {
		t.Errorf("the cases ended %q; want %q", got, want)
	}
}

// What a case does that is ended from outside says nothing.
func TestExecuteEndsCases(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	job := engine.Job{Case: report.Case{ID: "A-1", Level: report.Core}, Limit: limit, Do: func(r *engine.Run) {
		cancel()
		<-r.Context().Done()
		r.Fatalf("the store did not answer")
	}}
	c := engine.Execute(ctx, []engine.Job{job}, 1)[0]
	if c.Status != report.NotRun || c.Failure != "" || !strings.Contains(c.Reason, "ended during it") {
		t.Errorf("the case ended %s: %s%s", c.Status, c.Reason, c.Failure)
	}
}

func TestSeedOfTheFailure(t *testing.T) {
	t.Parallel()
	job := engine.Job{Case: report.Case{ID: "A-1", Seed: "5"}, Limit: limit, Do: func(r *engine.Run) {
		r.Repeat("again with 7", "7")
		r.Fatalf("wrong")
	}}
	if c := engine.Execute(t.Context(), []engine.Job{job}, 1)[0]; c.Seed != "7" || !strings.Contains(c.Failure, "again with 7") {
		t.Errorf("the case has the seed %s and says %q", c.Seed, c.Failure)
	}
}

// A case that goes on after it was given up takes no part in the report.
func TestGivenUpCasesAreApart(t *testing.T) {
	t.Parallel()
	stuck, gone := make(chan struct{}), make(chan struct{})
	o := engine.Do(t.Context(), "CASE-1", "", 20*time.Millisecond, func(r *engine.Run) {
		defer close(gone)
		<-stuck
		r.Logf("late")
		r.Errorf("late")
	})
	close(stuck)
	<-gone
	if len(o.Complaints) != 1 || len(o.Logs) != 0 {
		t.Errorf("the case says %q and %q", o.Complaints, o.Logs)
	}
}

func TestCleanupsAreGivenUp(t *testing.T) {
	t.Parallel()
	stuck := make(chan struct{})
	defer close(stuck)
	o := engine.Do(t.Context(), "CASE-1", "", 40*time.Millisecond, func(r *engine.Run) { r.Cleanup(func() { <-stuck }) })
	if o.Status != report.Failed || !strings.Contains(o.Failure(), "cleaning up after it did not end") {
		t.Errorf("the case ended %s, saying %q", o.Status, o.Failure())
	}
}
