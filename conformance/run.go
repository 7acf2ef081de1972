package conformance

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/crash"
	"github.com/problemtracking/problems/conformance/internal/engine"
	"github.com/problemtracking/problems/conformance/report"
	"github.com/problemtracking/problems/domain/rules"
)

// Version is the version of the suite. Each new or stricter case raises it.
const Version = "0.9.0"

// Options say how the suite is run.
type Options struct {
	// Seed begins the random choices; 0 draws one.
	Seed uint64
	// Only chooses cases by their ID; nil chooses all.
	Only *regexp.Regexp
	// Long is how long Seeded cases go on, with a new seed each round.
	Long time.Duration
	// Rounds is how many rounds Seeded cases have at least; 0 stands for 1.
	// With more than one, and with Long, each round of FIND-001/random asks
	// 500 queries instead of 100.
	Rounds int
	// Patience is the time limit of a case, or of one round of it; 0 stands for two
	// minutes, and for ten with the race detector. It finds a store with endless waits;
	// nothing else depends on it.
	Patience time.Duration
	// Parallel is how many cases are at work at once; 0 stands for four per
	// processor, since most of them wait for a disk or a server.
	Parallel int
}

// Run runs every case for the capabilities of the harness, each in a parallel subtest named
// by its ID. The -conformance flags of go test choose cases and
// a seed, and write the report. The subtests go on after Run has returned: end their
// resources by t.Cleanup, not by defer.
func Run(t *testing.T, h Harness) {
	t.Helper()
	RunWith(t, h, Options{})
}

// RunWith is Run with options, for a further run under other conditions. The flags
// of go test override the seed and the times, and the larger number of rounds counts. A case
// runs only if both the flags and the options choose it.
func RunWith(t *testing.T, h Harness, o Options) {
	t.Helper()
	h.Name = cmp.Or(h.Name, t.Name())
	if crash.ActAsChild(h, t.Name()) {
		return
	}
	if err := crash.ClaimName(t, h.Name); err != nil {
		t.Fatal(err)
	}
	wish, err := engine.Wished()
	if err != nil {
		t.Fatal(err)
	}
	h.Version = cmp.Or(h.Version, wish.Version)
	o.Seed, o.Long, o.Rounds = cmp.Or(wish.Seed, o.Seed), cmp.Or(wish.Long, o.Long), max(wish.Rounds, o.Rounds)
	o.Patience = cmp.Or(wish.Patience, o.Patience)
	s, err := newSession(h, o)
	if err != nil {
		t.Fatal(err)
	}
	s.test = t.Name()
	s.repeat = func(id, seed string) string {
		return fmt.Sprintf("go test -run %s -conformance.run '^%s$' -conformance.seed %s", engine.Pattern(t.Name()), id, seed)
	}
	if err := wish.Begin(h.Name); err != nil {
		t.Fatal(err)
	}
	jobs := s.jobs()
	if testing.Short() {
		s.shorten(jobs)
	}
	if wish.Only != nil {
		engine.Select(jobs, wish.Only)
		s.only = append(s.only, wish.Only.String())
	}
	engine.Subtests(t, jobs, s.Parallel, func(cases []report.Case) {
		r := s.report(cases)
		if len(s.only) < 2 && r.Count(report.Core).NotRun+r.Count(report.Extended).NotRun == len(cases) {
			t.Errorf("no case was run: %s", r.Reason)
		}
		if t.Failed() {
			r.Doubt("go test failed although no case did: the race detector does so")
		}
		t.Log(r.Text())
		if err := wish.Keep(r); err != nil {
			t.Error(err)
		}
	})
}

// Execute holds the stores of the harness against the cases without package testing, and
// returns the report. It fails for an incomplete harness, and in a child process of another
// harness.
func Execute(ctx context.Context, h Harness, o Options) (*report.Report, error) {
	if h.Name == "" {
		return nil, fmt.Errorf("the harness has no Name")
	}
	if crash.ActAsChild(h, "") {
		return nil, fmt.Errorf("this process was started as the child of another harness")
	}
	s, err := newSession(h, o)
	if err != nil {
		return nil, err
	}
	return s.report(engine.Execute(ctx, s.jobs(), s.Parallel)), nil
}

// session is a run under way.
type session struct {
	Options
	h       Harness
	test    string                       // the calling test; empty outside of tests
	repeat  func(id, seed string) string // how to run a case again
	only    []string                     // the expressions of the chosen cases
	started time.Time
}

func newSession(h Harness, o Options) (*session, error) {
	if err := h.Check(); err != nil {
		return nil, err
	}
	for o.Seed == 0 {
		o.Seed = rand.Uint64()
	}
	o.Rounds, o.Patience = max(o.Rounds, 1), cmp.Or(o.Patience, bench.Patience)
	if o.Parallel == 0 {
		o.Parallel = 4 * runtime.GOMAXPROCS(0)
	}
	s := &session{Options: o, h: h, started: time.Now()}
	s.repeat = func(id, seed string) string { return fmt.Sprintf("run the case %s with the seed %s", id, seed) }
	if o.Only != nil {
		s.only = append(s.only, o.Only.String())
	}
	return s, nil
}

// jobs makes one job for each case, and marks those that the harness waives.
func (s *session) jobs() []engine.Job {
	var jobs []engine.Job
	seeded := 0
	for _, c := range Cases() {
		j := engine.Job{
			Case: report.Case{
				ID: c.ID, Rule: c.Rule, Source: c.Source(), Links: linksOf(c.Source()), Profile: c.Profile, Level: c.Level(),
				Seed: strconv.FormatUint(s.Seed, 10),
			},
			Limit: s.Patience,
			Do:    func(r *engine.Run) { s.Check(c, r, s.Seed) },
		}
		if j.Reason = waives(s.h, c); j.Reason != "" {
			j.Waived = true
		}
		if c.Seeded && !j.Waived && (s.Long > 0 || s.Rounds > 1) {
			seeded++
			j.Limit = s.Patience*time.Duration(s.Rounds) + s.Long
			j.Do = func(r *engine.Run) { s.rounds(c, r) }
		}
		jobs = append(jobs, j)
	}
	s.Parallel = max(s.Parallel, seeded+1) // long cases must not delay the others
	engine.Select(jobs, s.Only)
	return jobs
}

// shorten leaves out the cases with kills, power cuts and replicas. Of shared stores, it
// leaves out what runs through two handles as well, where TestSaboteurs shows that it notices
// the same.
func (s *session) shorten(jobs []engine.Job) {
	twice := make(map[string]bool)
	for _, j := range jobs {
		if id, two := strings.CutSuffix(j.ID, throughTwo); two && j.Reason == "" {
			twice[id] = true
		}
	}
	for i, c := range Cases() {
		if (c.Crash || c.Replicated || twice[c.ID]) && !jobs[i].Waived {
			jobs[i].Reason = "left out by -short"
		}
	}
}

// rounds runs a case again and again, each time with another seed, until it fails
// or has had its rounds and its time.
func (s *session) rounds(c bench.Case, r *engine.Run) {
	end := s.started.Add(s.Long)
	for n := 0; n < s.Rounds || time.Now().Before(end); n++ {
		o := engine.Do(r.Context(), c.ID, r.Dir(), s.Patience, func(inner *engine.Run) { s.Check(c, inner, s.Seed+uint64(n)) })
		if o.Status != report.Passed {
			r.Adopt(o)
			return
		}
		if r.Context().Err() != nil {
			r.NotRun(fmt.Sprintf("the run was ended after %d rounds", n+1))
		}
	}
}

// Check runs a case on a store of its own.
func (s *session) Check(c bench.Case, r *engine.Run, seed uint64) {
	digits := strconv.FormatUint(seed, 10)
	r.Repeat(s.repeat(c.ID, digits), digits)
	b := bench.NewBench(r, c, s.h, s.test, seed)
	b.Long = s.Long > 0 || s.Rounds > 1
	r.Waits(b.Pending.String)
	if !c.Replicated {
		b.Open()
	}
	c.Run(b)
}

// report builds the report of the run from its cases.
func (s *session) report(cases []report.Case) *report.Report {
	r := &report.Report{
		Suite:          report.Suite{Name: "store", Version: Version, Only: strings.Join(s.only, " and "), Rounds: s.Rounds, Long: report.Duration(s.Long)},
		Implementation: report.Implementation{Name: s.h.Name, Version: s.h.Version, URL: s.h.URL},
		Environment:    engine.Environment(),
		Seed:           strconv.FormatUint(s.Seed, 10),
		Started:        s.started.UTC(),
		Duration:       report.Duration(time.Since(s.started)),
		Capabilities:   s.h.Caps.Declared(),
		Durability:     durability(s.h, cases),
		Cases:          cases,
	}
	r.Conclude()
	return r
}

// links has the addresses of the rules by source: all runs have the same cases.
var links sync.Map

func linksOf(source string) []string {
	known, ok := links.Load(source)
	if !ok {
		known, _ = links.LoadOrStore(source, rules.Links(source))
	}
	return slices.Clone(known.([]string))
}
