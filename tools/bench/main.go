// Bench measures the speed of the service beside the limits of the machine. It starts the
// program on memory, SQLite and PostgreSQL, loads the same data set into each, sends the
// same requests over HTTP to all of them in turn, and compares the rates with those of
// a bare handler, and of the disk.
//
// "make bench" in the root runs it. In tools, outside of the workspace:
//
//	GOWORK=off go run ./bench -problems-binary ../bin/problems -json bench.json
//
// It prints Markdown. The exit code is 1 when a request was not answered as it has to
// be, or something could not be measured. It depends on times with -versus alone.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"github.com/problemtracking/problems/tools/bench/internal/limits"
	"github.com/problemtracking/problems/tools/launch"
)

func main() {
	if limits.ServeLimit(os.Args, os.Stdin, os.Stdout) {
		return
	}
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	flags := flag.NewFlagSet("bench", flag.ContinueOnError)
	o, err := parse(flags, os.Args[1:])
	switch {
	case errors.Is(err, flag.ErrHelp):
		os.Exit(2)
	case err == nil:
		err = execute(ctx, o, flags, os.Stdout)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		stop()
		os.Exit(1)
	}
}

// execute makes a benchmark and prints it.
func execute(ctx context.Context, o options, flags *flag.FlagSet, out io.Writer) (err error) {
	b := &bench{options: o, report: new(report)}
	if b.report.Machine, err = describe(ctx, o.binary, flags); err != nil {
		return err
	}
	return b.finish(b.run(ctx), out)
}

// finish prints the measurements, also those of a failed run. It returns the reason of a
// failure, and all failed requests. Times are no errors.
func (b *bench) finish(failed error, out io.Writer) error {
	if failed != nil && len(b.report.Cells) == 0 && b.report.Feed.empty() && len(b.report.Webhooks) == 0 {
		return failed
	}
	b.report.Machine.Ended = time.Now().UTC()
	b.report.setTargets(b.options)
	if share, known := b.report.others(); known {
		b.report.Notes = append(b.report.Notes, fmt.Sprintf("Other processes used %.0f %% of the machine while it was measured: the more, the less the rates are to be relied on.", 100*share))
	}
	b.report.print(out)
	if b.json != "" {
		if err := b.report.write(b.json); err != nil {
			return err
		}
	}
	answered, wrong := b.report.count()
	b.say("on %s: %d requests were answered as they have to be, %d were not", strings.Join(b.stores, ", "), answered, wrong)
	errs := []error{failed}
	for _, f := range b.report.errors() {
		errs = append(errs, fmt.Errorf("%d requests failed. %s, the first one: %s", f.Count, f.Kind, f.First))
	}
	return errors.Join(append(errs, b.report.slower()...)...)
}

// run makes everything, measures it, and takes it away again.
func (b *bench) run(ctx context.Context) (err error) {
	defer func() { err = errors.Join(err, b.tearDown(context.WithoutCancel(ctx))) }()
	if err := b.setUp(ctx); err != nil {
		return err
	}
	if b.limits {
		if err := b.addLimits(ctx); err != nil {
			return err
		}
	}
	b.note()
	if err := b.measure(ctx); err != nil {
		return err
	}
	if b.versus != "" {
		if err := b.measureVersus(ctx); err != nil {
			return err
		}
	}
	if err := b.spans.arrived(); err != nil {
		return err
	}
	if b.webhooks > 0 {
		if err := b.measureWebhooks(ctx); err != nil {
			return err
		}
	}
	if !b.feed {
		return nil
	}
	return b.measureFeed(ctx)
}

// note explains the figures.
func (b *bench) note() {
	say := func(format string, args ...any) {
		b.report.Notes = append(b.report.Notes, fmt.Sprintf(format, args...))
	}
	say("Client, server and database share the %d cores of the machine: rates are those of all of them together, and the client's CPU seconds are given beside the others.", runtime.NumCPU())
	say("Everything is as it is by default: each request is logged (to %s), counted and authenticated. Files are read from the page cache of the system, since they were just written.", b.serverLog)
	if b.db != nil {
		say("PostgreSQL was told to VACUUM and ANALYZE what was imported, which it would have done by itself a little later. One of this machine's binaries has its own defaults, but for the number of connections: it syncs each commit.")
	}
	if _, err := launch.CPUOf([]int{os.Getpid()}); err != nil {
		say("%v.", err)
	} else if !launch.ResetPeak([]int{os.Getpid()}) {
		say("This kernel does not reset the peak of a process's memory: the most memory is that since the server began, not that of the mix.")
	}
	if b.db != nil && b.db.PIDs() == nil {
		say("What the given PostgreSQL server costs cannot be seen, so that its CPU seconds are not given.")
	}
}
