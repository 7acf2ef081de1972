package httpsuite

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
	"github.com/problemtracking/problems/conformance/internal/engine"
	"github.com/problemtracking/problems/conformance/report"
	"github.com/problemtracking/problems/domain/rules"
)

// Options say how the suite is run. The zero value runs all cases.
type Options struct {
	// Only chooses the cases with a matching ID; nil chooses all.
	Only *regexp.Regexp
	// CoreOnly leaves out the extended cases, for servers without their features.
	CoreOnly bool
	// Parallel is how many cases run at once; 0 means 8.
	Parallel int
	// Seed begins the random choices of HTTP-WALK-001; 0 draws one, and the report has
	// it.
	Seed uint64
	// Limit is how long a case may take; 0 means five minutes. Half of it
	// may be spent waiting for a rate limiter.
	Limit time.Duration
	// Implementation describes the server in the report. An empty URL becomes that of the
	// target.
	Implementation report.Implementation
	// Progress, unless nil, is told of every case when it has ended. It is
	// called from several goroutines.
	Progress func(Step)
	// Done, unless nil, is called by Run with the report.
	Done func(*report.Report)
}

// Step is an ended case.
type Step struct {
	Case
	// Failed is whether it has complained about something.
	Failed bool
}

// Run runs the cases as parallel subtests of "HTTP", named by their IDs. A failure names
// the broken rule, its source, and the requests before it. The -conformance flags of go
// test are those of package conformance.
func Run(t *testing.T, target Target, o Options) {
	t.Helper()
	began := time.Now()
	wish, err := engine.Wished()
	if err != nil {
		t.Fatal(err)
	}
	o.Seed, o.Limit = cmp.Or(wish.Seed, o.Seed), cmp.Or(wish.Patience, o.Limit)
	if wish.Only != nil {
		o.Only = wish.Only
	}
	o.Implementation.Name = cmp.Or(o.Implementation.Name, t.Name())
	o.Implementation.Version = cmp.Or(o.Implementation.Version, wish.Version)
	if err := wish.Begin(o.Implementation.Name); err != nil {
		t.Fatal(err)
	}
	s := newSuite(target, o)
	defer s.server.Close()
	done := func(r *report.Report) {
		if t.Failed() {
			r.Doubt("go test failed although no case did: the race detector does so")
		}
		s.done(r)
		if err := wish.Keep(r); err != nil {
			t.Error(err)
		}
	}
	if err := s.probe(t.Context()); err != nil {
		done(s.report(began, s.unable(err)))
		t.Fatalf("the server cannot be tested: %v", err)
	}
	// The group returns only after its parallel members, so the caller's server outlives
	// them.
	t.Run("HTTP", func(t *testing.T) {
		engine.Subtests(t, s.jobs(), s.Parallel, func(cases []report.Case) { done(s.report(began, cases)) })
	})
}

// Execute runs the cases without package testing and returns the report. When the context
// is cancelled, unfinished cases count as not run.
//
// An untestable server, out of reach or with another token, has the broken case
// HTTP-PROBE, with the reason. All others are not run.
func Execute(ctx context.Context, target Target, o Options) *report.Report {
	began := time.Now()
	s := newSuite(target, o)
	defer s.server.Close()
	if err := s.probe(ctx); err != nil {
		return s.report(began, s.unable(err))
	}
	return s.report(began, engine.Execute(ctx, s.jobs(), s.Parallel))
}

// suite is one run against one server.
type suite struct {
	Options
	target Target
	server *session.Server
}

func newSuite(target Target, o Options) *suite {
	o.Parallel = max(1, cmp.Or(o.Parallel, 8))
	o.Limit = cmp.Or(o.Limit, 5*time.Minute)
	for o.Seed == 0 {
		o.Seed = rand.Uint64()
	}
	target.BaseURL = strings.TrimSuffix(target.BaseURL, "/")
	o.Implementation.URL = cmp.Or(o.Implementation.URL, public(target.BaseURL))
	return &suite{Options: o, target: target, server: session.NewServer(target.BaseURL, target.AdminToken, o.Limit)}
}

// public returns a URL without its secrets: reports are published.
func public(text string) string {
	u, err := url.Parse(text)
	if err != nil || u.Host == "" { // an unknown form
		return ""
	}
	u.User, u.RawQuery, u.Fragment = nil, "", ""
	return u.String()
}

func (s *suite) done(r *report.Report) {
	if s.Done != nil {
		s.Done(r)
	}
}

// jobs returns the cases as the engine runs them.
func (s *suite) jobs() []engine.Job {
	var jobs []engine.Job
	for _, c := range Cases() {
		j := engine.Job{
			Case:  report.Case{ID: c.ID, Rule: c.Rule, Source: c.Source, Links: rules.Links(c.Source), Profile: c.Profile, Level: c.Level},
			Limit: s.Limit,
			Do:    func(r *engine.Run) { s.try(c, r) },
		}
		if s.CoreOnly && c.Level != report.Core {
			j.Reason, j.Waived = "only the core was asked for", true
		}
		jobs = append(jobs, j)
	}
	engine.Select(jobs, s.Only)
	return jobs
}

// try runs a case.
func (s *suite) try(c Case, r *engine.Run) {
	t := s.server.Trial(r, c.Level)
	if s.Progress != nil {
		defer func() { s.Progress(Step{c, t.Failed()}) }()
	}
	r.Repeat(fmt.Sprintf("problems-conformance http --url %s --only '^%s$' --seed %d --token $TOKEN", s.target.BaseURL, c.ID, s.Seed), "")
	c.run(session.New(t, s.server, s.Seed))
}

// unable returns the cases of a run without a begin, for the given reason. The probe is
// no part of the contract's core, and not counted with it.
func (s *suite) unable(err error) []report.Case {
	cases := []report.Case{{
		ID:      "HTTP-PROBE",
		Rule:    "the server is reached, takes the token, and has what the cases need",
		Source:  "the suite",
		Profile: "probe",
		Level:   report.Extended,
		Status:  report.Broken,
		Failure: err.Error(),
	}}
	for _, j := range s.jobs() {
		j.Status = report.NotRun
		j.Reason = cmp.Or(j.Reason, "the server could not be tested")
		cases = append(cases, j.Case)
	}
	return cases
}

// excuse takes back complaints about a server that no longer takes the administrator's
// token: it may be their cause. The caller's context may be over.
func (s *suite) excuse(cases []report.Case) {
	failed := func(c report.Case) bool { return c.Status == report.Failed }
	if !slices.ContainsFunc(cases, failed) {
		return
	}
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	me, err := s.status(ctx, "/me")
	if err != nil || me != http.StatusUnauthorized && me != http.StatusForbidden {
		return
	}
	for i, c := range cases {
		if failed(c) {
			cases[i].Status = report.Broken
			cases[i].Failure = fmt.Sprintf("the administrator's token, which was taken before the first case, is refused after the last one (%d): "+
				"whether that is why this case failed is not known.\n%s", me, c.Failure)
		}
	}
}

// status asks a path of the API with the administrator's token.
func (s *suite) status(ctx context.Context, path string) (int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, s.target.BaseURL+session.API+path, nil)
	if err != nil {
		return 0, err
	}
	request.Header.Set("Authorization", s.target.AdminToken)
	response, err := s.server.Wire.Do(request)
	if err != nil {
		return 0, err
	}
	return response.StatusCode, response.Body.Close()
}

// report concludes the run.
func (s *suite) report(began time.Time, cases []report.Case) *report.Report {
	s.excuse(cases)
	r := &report.Report{
		Suite:          report.Suite{Name: "http", Version: Version()},
		Implementation: s.Implementation,
		Environment:    report.Environment{OS: runtime.GOOS, Arch: runtime.GOARCH, CPUs: runtime.NumCPU(), Go: runtime.Version()},
		Seed:           strconv.FormatUint(s.Seed, 10),
		Started:        began.UTC(),
		Duration:       report.Duration(time.Since(began)),
		Cases:          cases,
	}
	if s.Only != nil {
		r.Suite.Only = s.Only.String()
	}
	r.Conclude()
	return r
}
