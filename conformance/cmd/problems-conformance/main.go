// Command problems-conformance holds servers against the HTTP contract of the Problem
// Tracking Service, and lists the demands of the suites.
//
// See "problems-conformance --help".
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"syscall"
)

// The exit codes.
const (
	exitConformant    = 0 // or done, for commands without a verdict
	exitNotConformant = 1
	exitUnknown       = 2 // wrong usage, nothing reached, or not brought to an end
)

// program is the environment of a command.
type program struct {
	args           []string // the arguments of the command
	stdout, stderr io.Writer
	// terminal is whether standard error is one.
	terminal bool
	env      func(name string) string
}

// command is a subcommand. Its run returns the exit code.
type command struct {
	name, summary string
	run           func(ctx context.Context, p program) int
}

// commands returns all commands, each from a file of its own.
func commands() []command {
	return []command{
		httpCommand(),
		casesCommand(),
		scaffoldCommand(),
		todoCommand(),
		summaryCommand(),
		versionCommand(),
	}
}

func main() {
	// The first signal ends the run, and the report is still written. The second ends the
	// program.
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	info, err := os.Stderr.Stat()
	os.Exit(start(ctx, program{
		args:     os.Args[1:],
		stdout:   os.Stdout,
		stderr:   os.Stderr,
		terminal: err == nil && info.Mode()&os.ModeCharDevice != 0,
		env:      os.Getenv,
	}))
}

// start runs the command named by the arguments.
func start(ctx context.Context, p program) int {
	if len(p.args) == 0 {
		usage(p.stderr)
		return exitUnknown
	}
	name := p.args[0]
	if name == "help" || name == "-h" || name == "-help" || name == "--help" {
		usage(p.stdout)
		return exitConformant
	}
	all := commands()
	i := slices.IndexFunc(all, func(c command) bool { return c.name == name })
	if i < 0 {
		fmt.Fprintf(p.stderr, "problems-conformance has no command %q; see problems-conformance --help\n", name)
		return exitUnknown
	}
	p.args = p.args[1:]
	return all[i].run(ctx, p)
}

// usage tells of all commands.
func usage(w io.Writer) {
	fmt.Fprint(w, "problems-conformance holds implementations against the contract of the Problem Tracking Service.\n\nCommands:\n")
	for _, c := range commands() {
		fmt.Fprintf(w, "  %-10s %s\n", c.name, c.summary)
	}
	fmt.Fprint(w, `
Each has --help.

Exit codes:
  0  conformant, or done
  1  not conformant: a case failed, or not one core case was there to pass
  2  unknown: wrong usage, the server cannot be tested, or the run was not brought to its end
`)
}

// flags returns an empty set of flags with the given begin of its help.
func (p program) flags(name, help string) *flag.FlagSet {
	f := flag.NewFlagSet("problems-conformance "+name, flag.ContinueOnError)
	f.SetOutput(io.Discard) // parse prints the message
	f.Usage = func() {
		fmt.Fprint(f.Output(), help)
		f.PrintDefaults()
	}
	return f
}

// parse reads the arguments. All of them are flags. It reports false, and the exit code,
// when the command is over.
func (p program) parse(f *flag.FlagSet) (code int, ok bool) {
	err := f.Parse(p.args)
	switch {
	case errors.Is(err, flag.ErrHelp):
		f.SetOutput(p.stdout)
		f.Usage()
		return exitConformant, false
	case err == nil && f.NArg() > 0:
		err = fmt.Errorf("%q is no flag", f.Arg(0))
	}
	if err != nil {
		return p.misused(f, err), false
	}
	return 0, true
}

// misused describes the fault of the arguments.
func (p program) misused(f *flag.FlagSet, err error) int {
	fmt.Fprintf(p.stderr, "%s: %v; see %s --help\n", f.Name(), err, f.Name())
	return exitUnknown
}
