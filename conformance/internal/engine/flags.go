package engine

import (
	"flag"
	"fmt"
	"path/filepath"
	"regexp"
	"testing"
	"time"

	"github.com/problemtracking/problems/conformance/report"
)

// Wish is what the flags of go test ask for.
type Wish struct {
	Seed   uint64
	Only   *regexp.Regexp // nil: all cases
	Long   time.Duration
	Rounds int
	// Patience is how long a case may take; 0 is for the suite to choose.
	Patience time.Duration
	only     string
	report   string
}

// flags are those of tests that run a suite.
var flags = registered()

// registered registers the flags, unless the program is not a test: programs
// that use a suite have flags of their own.
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
	flag.StringVar(&w.report, "conformance.report", "", "directory where the report is written, in a folder of the implementation's name")
	return w
}

// Wished returns what the flags ask for.
func Wished() (Wish, error) {
	w := *flags
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

// folder matches what is not for the name of a folder.
var folder = regexp.MustCompile(`^\.+|[^\pL\pN._-]+`)

// Keep writes the report where the flags say, if they do.
func (w Wish) Keep(r *report.Report) error {
	if w.report == "" {
		return nil
	}
	if err := report.Write(filepath.Join(w.report, folder.ReplaceAllString(r.Implementation.Name, "-")), r); err != nil {
		return fmt.Errorf("the report could not be written: %w", err)
	}
	return nil
}
