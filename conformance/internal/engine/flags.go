package engine

import (
	"errors"
	"flag"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/problemtracking/problems/conformance/report"
)

// Wish is the wish of the flags of go test.
type Wish struct {
	Seed   uint64
	Only   *regexp.Regexp // nil: all cases
	Long   time.Duration
	Rounds int
	// Patience is how long a case may take; 0 is for the suite to choose.
	Patience time.Duration
	// Version of the implementation, unless the harness has one.
	Version string
	only    string
	report  string
}

// flags are the flags of tests with a suite.
var flags = registered()

// registered registers the flags in tests. Other programs have flags of their own.
func registered() *Wish {
	w := new(Wish)
	if !testing.Testing() {
		return w
	}
	flag.Uint64Var(&w.Seed, "conformance.seed", 0, "seed of the random choices; 0 draws one")
	flag.StringVar(&w.only, "conformance.run", "", "regular expression that chooses cases by their identifiers")
	flag.DurationVar(&w.Long, "conformance.long", 0, "how long cases with random choices go on, with a new seed each round")
	flag.IntVar(&w.Rounds, "conformance.rounds", 1, "how many rounds cases with random choices have at least, each with a new seed")
	flag.DurationVar(&w.Patience, "conformance.patience", 0, "how long a case may take; 0 stands for some minutes")
	flag.StringVar(&w.Version, "conformance.version", "", "version of the implementation, for the report")
	flag.StringVar(&w.report, "conformance.report", "", "directory where the report is written, in a folder of the implementation's name")
	return w
}

// Wished returns the values of the flags.
func Wished() (Wish, error) {
	w := *flags
	if w.Long < 0 || w.Rounds < 0 || w.Patience < 0 {
		return w, errors.New("-conformance.long, -conformance.rounds and -conformance.patience must not be negative")
	}
	if w.only == "" {
		return w, nil
	}
	only, err := regexp.Compile(w.only)
	if err != nil {
		return w, fmt.Errorf("-conformance.run is no regular expression: %w", err)
	}
	w.Only = only
	return w, nil
}

// folder matches characters unfit for the name of a folder.
var folder = regexp.MustCompile(`^\.+|[^\pL\pN._-]+`)

// folderOf returns where the report of an implementation is written.
func (w Wish) folderOf(name string) string {
	return filepath.Join(w.report, folder.ReplaceAllString(name, "-"))
}

// Begin removes the report of an earlier run, in case of an early end.
func (w Wish) Begin(name string) error {
	if w.report == "" {
		return nil
	}
	return report.Clear(w.folderOf(name))
}

// Keep writes the report where the flags say, if they do.
func (w Wish) Keep(r *report.Report) error {
	if w.report == "" {
		return nil
	}
	if err := report.Write(w.folderOf(r.Implementation.Name), r); err != nil {
		return fmt.Errorf("the report could not be written: %w", err)
	}
	return nil
}

// Pattern returns the value of go test's -run for one test, as a shell takes it.
func Pattern(test string) string {
	elements := strings.Split(test, "/")
	for i, e := range elements {
		elements[i] = "^" + regexp.QuoteMeta(e) + "$"
	}
	return "'" + strings.ReplaceAll(strings.Join(elements, "/"), "'", `'\''`) + "'"
}
