package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"

	"github.com/problemtracking/problems/conformance/httpsuite"
	"github.com/problemtracking/problems/conformance/report"
	"github.com/problemtracking/problems/domain/rules"
)

func httpCommand() command {
	return command{"http", "hold a running server against the HTTP contract", runHTTP}
}

var httpHelp = `usage: problems-conformance http --url URL [--token TOKEN] [flags]

Holds a running server against the HTTP contract. The server may be anybody's and
in any language. It need not be empty, and others may use it meanwhile; but the
cases leave problems and inactive users behind, so it had better be one for tests.
It has to know the states, priorities and classifications of a new store:
` + rules.URL("records.md", "d2") + `

The token needs the scope admin. Give it in the environment variable PROBLEMS_TOKEN
rather than by the flag, which other users of the machine can see.

Exit codes:
  0  conformant
  1  not conformant: a case failed, or not one core case was there to pass
  2  unknown: wrong usage, the server cannot be tested, it was away while the cases
     ran, or the run was ended before it was complete; what was found until then is
     in the report

Flags:
`

// httpFlags are the flags of the command http.
type httpFlags struct {
	url, token, dir, only, name, version string
	core, verbose                        bool
	parallel                             int
	seed                                 uint64
}

func (o *httpFlags) register(f *flag.FlagSet) {
	f.StringVar(&o.url, "url", "", "the base `URL` of the server: what stands before /api/20151105, such as https://host or https://host/base")
	f.StringVar(&o.token, "token", "", "a `token` of the server with the scope admin (default: the environment variable PROBLEMS_TOKEN)")
	f.StringVar(&o.dir, "report", "", "write the report into this `directory`, which is made if need be")
	f.StringVar(&o.only, "only", "", "run only the cases whose ID matches this regular `expression`")
	f.BoolVar(&o.core, "core", false, "run only the core cases; the report says so")
	f.IntVar(&o.parallel, "parallel", 8, "run so many cases at once")
	f.Uint64Var(&o.seed, "seed", 0, "make the random choices of an earlier run again, whose report tells its `seed`")
	f.StringVar(&o.name, "name", "", "the `name` of the server in the report (default: the host of the URL)")
	f.StringVar(&o.version, "version", "", "the `version` of the server in the report")
	f.BoolVar(&o.verbose, "v", false, "tell of every case on standard error when it has ended; a terminal is told of the progress anyway")
}

// target returns the target and the options.
func (o *httpFlags) target(env func(string) string) (httpsuite.Target, httpsuite.Options, error) {
	target := httpsuite.Target{BaseURL: o.url, AdminToken: o.token}
	options := httpsuite.Options{CoreOnly: o.core, Parallel: o.parallel, Seed: o.seed,
		Implementation: report.Implementation{Name: o.name, Version: o.version}}
	if target.AdminToken == "" {
		target.AdminToken = env("PROBLEMS_TOKEN")
	}
	switch {
	case o.url == "":
		return target, options, errors.New("--url is missing")
	case target.AdminToken == "":
		return target, options, errors.New("there is no token: want --token, or the environment variable PROBLEMS_TOKEN")
	case o.parallel < 1:
		return target, options, fmt.Errorf("--parallel is %d; want 1 or more", o.parallel)
	}
	if o.only != "" {
		var err error
		if options.Only, err = regexp.Compile(o.only); err != nil {
			return target, options, fmt.Errorf("--only: %w", err)
		}
	}
	if chosen(options) == 0 {
		return target, options, fmt.Errorf("no case matches --only %q%s; problems-conformance cases --suite http lists them", o.only, map[bool]string{true: " among the core cases"}[o.core])
	}
	if options.Implementation.Name == "" {
		options.Implementation.Name = host(o.url)
	}
	return target, options, nil
}

// host returns the host of a URL. It leaves out anything like a password.
func host(text string) string {
	if u, err := url.Parse(text); err == nil && u.Host != "" {
		return u.Host
	}
	return text[strings.LastIndex(text, "@")+1:]
}

func runHTTP(ctx context.Context, p program) int {
	var o httpFlags
	f := p.flags("http", httpHelp)
	o.register(f)
	if code, ok := p.parse(f); !ok {
		return code
	}
	target, options, err := o.target(p.env)
	if err != nil {
		return p.misused(f, err)
	}
	if o.dir != "" {
		if err := checkWritable(o.dir); err != nil {
			return p.unwritten(err)
		}
	}
	progress := &progress{program: p, verbose: o.verbose, total: chosen(options)}
	options.Progress = progress.step
	r := httpsuite.Execute(ctx, target, options)
	progress.end()
	tell(p, r)
	if o.dir != "" {
		if err := report.Write(o.dir, r); err != nil {
			return p.unwritten(err)
		}
		fmt.Fprintf(p.stdout, "report: %s\n", o.dir)
	}
	return r.ExitCode()
}

// checkWritable checks, before a run begins, that its report can be written, and removes
// the report of an earlier run.
func checkWritable(dir string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("the directory of the report: %w", err)
	}
	f, err := os.CreateTemp(dir, ".report.*")
	if err != nil {
		return fmt.Errorf("the directory of the report: %w", err)
	}
	if err := errors.Join(f.Close(), os.Remove(f.Name())); err != nil {
		return fmt.Errorf("the directory of the report: %w", err)
	}
	path := filepath.Join(dir, report.JSONFile)
	if info, err := os.Lstat(path); err == nil && info.IsDir() {
		return fmt.Errorf("%s is a directory; want it removed, or another --report", path)
	}
	return report.Clear(dir)
}

// unwritten reports a missing report.
func (p program) unwritten(err error) int {
	fmt.Fprintf(p.stderr, "the report could not be written: %v\n", err)
	return exitUnknown
}

// chosen is how many cases the options choose.
func chosen(o httpsuite.Options) (n int) {
	for _, c := range httpsuite.Cases() {
		if (o.Only == nil || o.Only.MatchString(c.ID)) && (!o.CoreOnly || c.Level == report.Core) {
			n++
		}
	}
	return n
}

// tell prints the failures and the closing lines.
func tell(p program, r *report.Report) {
	for _, c := range r.Cases {
		if c.Failure != "" {
			fmt.Fprintf(p.stdout, "%s %s\n%s\n\n", strings.ToUpper(string(c.Status)), c.ID, c.Failure)
		}
	}
	fmt.Fprint(p.stdout, r.Text())
}

// progress tells on standard error how far the run is.
type progress struct {
	program
	verbose bool
	total   int

	mu           sync.Mutex
	done, failed int
}

func (p *progress) step(s httpsuite.Step) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.done++
	if s.Failed {
		p.failed++
	}
	switch {
	case p.verbose && s.Failed:
		fmt.Fprintf(p.stderr, "%d/%d %s failed: %s\n", p.done, p.total, s.ID, s.Rule)
	case p.verbose:
		fmt.Fprintf(p.stderr, "%d/%d %s\n", p.done, p.total, s.ID)
	case p.terminal:
		fmt.Fprintf(p.stderr, "\r\x1b[K%d of %d cases, %d failed", p.done, p.total, p.failed)
	}
}

// end removes the line of the progress from a terminal.
func (p *progress) end() {
	if p.terminal && !p.verbose {
		fmt.Fprint(p.stderr, "\r\x1b[K")
	}
}
