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

// Job is a case to run.
type Job struct {
	// Case has ID, Rule, Source, Profile, Level and Seed. A case left out of the run also
	// has Reason and Waived.
	report.Case
	Limit time.Duration
	// Dir is the parent of the case's directories; empty for the system's directory of
	// temporary files.
	Dir string
	Do  func(*Run)
}

// run runs the job, unless its case has a Reason.
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

// Select leaves out the jobs without a match of their ID: it sets their Reason. A nil
// expression matches all.
func Select(jobs []Job, only *regexp.Regexp) {
	for i := range jobs {
		if only != nil && !only.MatchString(jobs[i].ID) && !jobs[i].Waived {
			jobs[i].Reason = "not chosen by " + only.String()
		}
	}
}

// Execute runs the jobs, at most parallel at once, and returns their cases in order.
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

// reserve is the time for the report before go test's deadline. Cases unfinished by then
// are given up.
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

// Subtests runs the jobs as parallel subtests named by their IDs, at most parallel at once.
// It calls done with their cases when all have ended. The flag -parallel of go test does
// not count: most cases wait for a disk or a server.
//
// The report has cases left out by -run and -skip as not run, and so cases with a Reason:
// they are no subtests. A case without a verdict of its own is a skipped subtest.
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
