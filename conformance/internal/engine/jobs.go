package engine

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"sync"
	"testing"
	"time"

	"github.com/problemtracking/problems/conformance/report"
)

// Job is a case to be run.
type Job struct {
	// Case has the facts known beforehand: ID, Rule, Source, Profile, Level and Seed; for
	// a case without a run also its Reason and Waived.
	report.Case
	Limit time.Duration
	// Dir is where the directories of the case are made; empty for where the
	// system has such.
	Dir string
	Do  func(*Run)
}

// run runs the job, unless its case has a reason not to.
func (j Job) run(ctx context.Context) report.Case {
	c := j.Case
	if c.Reason != "" {
		c.Status = report.NotRun
		return c
	}
	if ctx.Err() != nil {
		c.Status, c.Reason = report.NotRun, "the run was ended before it: "+context.Cause(ctx).Error()
		return c
	}
	o := Do(ctx, c.ID, j.Dir, j.Limit, j.Do)
	if ctx.Err() != nil { // probably the reason for the end
		c.Status, c.Reason = report.NotRun, "the run was ended during it: "+context.Cause(ctx).Error()
		return c
	}
	if o.Seed != "" {
		c.Seed = o.Seed
	}
	c.Status, c.Reason, c.Waived = o.Status, o.Reason, o.Waived
	c.Failure, c.Duration = o.Failure(), report.Duration(o.Took)
	if c.Failure != "" {
		said := fmt.Sprintf("%s: %s (%s)\n", j.ID, j.Rule, j.Source)
		for _, address := range j.Links {
			said += "See " + address + "\n"
		}
		c.Failure = said + "But " + c.Failure
	}
	return c
}

// Select gives a reason to the jobs without a match of their ID. A nil expression matches
// all.
func Select(jobs []Job, only *regexp.Regexp) {
	for i := range jobs {
		if only != nil && !only.MatchString(jobs[i].ID) && !jobs[i].Waived {
			jobs[i].Reason = "not chosen by " + only.String()
		}
	}
}

// Execute runs the jobs, so many at once, and returns their cases in order.
func Execute(ctx context.Context, jobs []Job, parallel int) []report.Case {
	cases := make([]report.Case, len(jobs))
	places := make(chan struct{}, parallel)
	var all sync.WaitGroup
	for i, j := range jobs {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			cases[i] = j.run(ctx)
		})
	}
	all.Wait()
	return cases
}

// reserve is the rest of go test's time for the report, after unfinished cases are given
// up.
const reserve = 45 * time.Second

// within returns the context of the test. It ends before go test kills the process.
func within(t *testing.T) (context.Context, context.CancelFunc) {
	end, limited := t.Deadline()
	if !limited {
		return t.Context(), func() {}
	}
	left := time.Until(end)
	return context.WithTimeoutCause(t.Context(), left-min(reserve, left/4), errors.New("go test has no more time (-timeout)"))
}

// Subtests runs the jobs as parallel subtests named by their IDs, so many at
// once, and hands over their cases when all have ended. How many are at work does
// not depend on go test's -parallel: most cases wait for a disk or a server.
//
// Cases left out by -run and -skip are reported as not run. So are cases with a reason:
// they are no subtests. Cases without a decision of their own are skipped.
func Subtests(t *testing.T, jobs []Job, parallel int, done func([]report.Case)) {
	t.Helper()
	cases := make([]report.Case, len(jobs))
	dir := t.TempDir()
	ctx, cancel := within(t)
	t.Cleanup(func() {
		cancel()
		done(cases)
	})
	places := make(chan struct{}, parallel)
	for i, j := range jobs {
		cases[i] = j.Case
		cases[i].Status = report.NotRun
		if j.Reason != "" {
			continue
		}
		j.Dir = dir
		cases[i].Reason = "not chosen by the flags of go test"
		t.Run(j.ID, func(t *testing.T) {
			ended := make(chan struct{})
			go func() {
				defer close(ended)
				places <- struct{}{}
				defer func() { <-places }()
				cases[i] = j.run(ctx)
			}()
			t.Parallel()
			<-ended
			switch c := cases[i]; {
			case c.Failure != "":
				t.Errorf("%s", c.Failure)
			case c.Reason != "" && ctx.Err() != nil:
				t.Errorf("not run: %s", c.Reason)
			case c.Reason != "":
				t.Skipf("not run: %s", c.Reason)
			}
		})
	}
}
