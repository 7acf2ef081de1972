package conformance

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"testing"
	"time"

	"github.com/problemtracking/problems/conformance/internal/engine"
	"github.com/problemtracking/problems/conformance/report"
)

// Version is that of the suite. It is raised with every case that is added or
// demands more.
const Version = "0.1.0"

// The flags of tests that call Run.
var (
	seedFlag   = flag.Uint64("conformance.seed", 0, "seed of the random choices; 0 draws one")
	runFlag    = flag.String("conformance.run", "", "regular expression that chooses cases by their identifiers")
	longFlag   = flag.Duration("conformance.long", 0, "how long cases with random choices go on, with a new seed each round")
	reportFlag = flag.String("conformance.report", "", "directory where the report is written, in a folder of the implementation's name")
)

// Options say how the suite is run.
type Options struct {
	// Seed is what random choices begin with; 0 draws one.
	Seed uint64
	// Only chooses cases by their ID; nil chooses all.
	Only *regexp.Regexp
	// Long is how long Seeded cases go on, with a new seed each round. They
	// have one round if it is 0.
	Long time.Duration
	// Parallel is how many cases are at work at once; 0 stands for four per
	// processor, since most of them wait for a disk or a server.
	Parallel int
}

// patience is how long a case may take. A store that lets somebody wait for ever
// is found by it; nothing else depends on it.
const patience = 2 * time.Minute

// Run holds the stores of the harness against every case that their capabilities
// allow, each in a parallel subtest named by its ID. The flags of go test that
// begin with -conformance choose cases and seed, and have the report written.
func Run(t *testing.T, h Harness) {
	t.Helper()
	if h.Name == "" {
		h.Name = t.Name()
	}
	actAsChild(h)
	o, err := flagged()
	if err != nil {
		t.Fatal(err)
	}
	s, err := newSession(h, o)
	if err != nil {
		t.Fatal(err)
	}
	s.repeat = "go test -run '^" + t.Name() + "$' -conformance.run '^%s$' -conformance.seed %d"
	engine.Subtests(t, s.jobs(), s.Parallel, func(cases []report.Case) {
		r := s.report(cases)
		t.Log(r.Text())
		if core, extended := r.Count(report.Core), r.Count(report.Extended); core.NotRun+extended.NotRun == len(cases) {
			t.Errorf("no case was run: %s", r.Reason)
		}
		if *reportFlag == "" {
			return
		}
		if err := report.Write(filepath.Join(*reportFlag, filepath.Base(h.Name)), r); err != nil {
			t.Errorf("the report could not be written: %v", err)
		}
	})
}

// flagged returns the options that the flags give.
func flagged() (Options, error) {
	o := Options{Seed: *seedFlag, Long: *longFlag}
	if *runFlag == "" {
		return o, nil
	}
	only, err := regexp.Compile(*runFlag)
	if err != nil {
		return o, fmt.Errorf("-conformance.run is no regular expression: %w", err)
	}
	o.Only = only
	return o, nil
}

// Execute holds the stores of the harness against the cases without package
// testing, and returns what it found. It fails only when the harness does not say
// what it has to say; all else is in the report.
func Execute(ctx context.Context, h Harness, o Options) (*report.Report, error) {
	if h.Name == "" {
		return nil, fmt.Errorf("the harness has no Name")
	}
	actAsChild(h)
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
	repeat  string // the format of the command that repeats a case, given its ID and seed
	started time.Time
}

func newSession(h Harness, o Options) (*session, error) {
	if err := h.check(); err != nil {
		return nil, err
	}
	for o.Seed == 0 {
		o.Seed = rand.Uint64()
	}
	if o.Parallel == 0 {
		o.Parallel = 4 * runtime.GOMAXPROCS(0)
	}
	return &session{Options: o, h: h, repeat: "run the case %s with the seed %d", started: time.Now()}, nil
}

// jobs returns what is to be done.
func (s *session) jobs() []engine.Job {
	var jobs []engine.Job
	seeded := 0
	for _, c := range Cases() {
		j := engine.Job{
			Case: report.Case{
				ID: c.ID, Rule: c.Rule, Source: c.Source(), Profile: c.Profile, Level: c.Level(),
				Seed: strconv.FormatUint(s.Seed, 10),
			},
			Limit: patience,
			Do:    func(r *engine.Run) { s.check(c, r, s.Seed) },
		}
		if j.Reason = s.h.waives(c); j.Reason != "" {
			j.Waived = true
		}
		if c.Seeded && s.Long > 0 && !j.Waived {
			seeded++
			j.Limit += s.Long
			j.Do = func(r *engine.Run) { s.rounds(c, r) }
		}
		jobs = append(jobs, j)
	}
	s.Parallel = max(s.Parallel, seeded+1) // those who go on must not keep the others waiting
	engine.Select(jobs, s.Only)
	return jobs
}

// rounds runs a case again and again, each time with another seed, until it fails
// or its time is over.
func (s *session) rounds(c Case, r *engine.Run) {
	end := s.started.Add(s.Long)
	for seed := s.Seed; seed == s.Seed || time.Now().Before(end) && r.Context().Err() == nil; seed++ {
		o := engine.Do(r.Context(), c.ID, patience, func(inner *engine.Run) { s.check(c, inner, seed) })
		if o.Status != report.Passed {
			r.Adopt(o)
			return
		}
	}
}

// check runs a case on a store of its own.
func (s *session) check(c Case, r *engine.Run, seed uint64) {
	r.Repeat(fmt.Sprintf(s.repeat, c.ID, seed))
	b := &bench{T: r, Env: newEnv(r), ctx: r.Context(), c: c, h: s.h, seed: seed, engine: r, seen: newScope()}
	b.author = b.ID()
	b.open()
	c.run(b)
}

// report sums up.
func (s *session) report(cases []report.Case) *report.Report {
	r := &report.Report{
		Suite:          report.Suite{Name: "store", Version: Version, Long: report.Duration(s.Long)},
		Implementation: report.Implementation{Name: s.h.Name, Version: s.h.Version, URL: s.h.URL},
		Environment:    engine.Environment(),
		Seed:           strconv.FormatUint(s.Seed, 10),
		Started:        s.started.UTC(),
		Duration:       report.Duration(time.Since(s.started)),
		Capabilities:   s.h.Caps.declared(),
		Durability:     durability(s.h, cases),
		Cases:          cases,
	}
	if s.Only != nil {
		r.Suite.Only = s.Only.String()
	}
	r.Conclude()
	return r
}
