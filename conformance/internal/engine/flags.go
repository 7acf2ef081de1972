package engine

import (
	"flag"
	"fmt"
	"path/filepath"
	"regexp"
	"time"

	"github.com/problemtracking/problems/conformance/report"
)

// The flags of tests that run a suite.
var (
	seedFlag     = flag.Uint64("conformance.seed", 0, "seed of the random choices; 0 draws one")
	runFlag      = flag.String("conformance.run", "", "regular expression that chooses cases by their identifiers")
	longFlag     = flag.Duration("conformance.long", 0, "how long cases with random choices go on, with a new seed each round")
	roundsFlag   = flag.Int("conformance.rounds", 1, "how many rounds cases with random choices have at least, each with a new seed")
	patienceFlag = flag.Duration("conformance.patience", 0, "how long a case may take; 0 stands for some minutes")
	reportFlag   = flag.String("conformance.report", "", "directory where the report is written, in a folder of the implementation's name")
)

// Wish is what the flags of go test ask for.
type Wish struct {
	Seed   uint64
	Only   *regexp.Regexp // nil: all cases
	Long   time.Duration
	Rounds int
	// Patience is how long a case may take; 0 is for the suite to choose.
	Patience time.Duration
	report   string
}

// Wished returns what the flags ask for.
func Wished() (Wish, error) {
	w := Wish{Seed: *seedFlag, Long: *longFlag, Rounds: *roundsFlag, Patience: *patienceFlag, report: *reportFlag}
	if *runFlag == "" {
		return w, nil
	}
	only, err := regexp.Compile(*runFlag)
	if err != nil {
		return w, fmt.Errorf("-conformance.run is no regular expression: %w", err)
	}
	w.Only = only
	return w, nil
}

// Keep writes the report where the flags say, if they do.
func (w Wish) Keep(r *report.Report) error {
	if w.report == "" {
		return nil
	}
	if err := report.Write(filepath.Join(w.report, filepath.Base(r.Implementation.Name)), r); err != nil {
		return fmt.Errorf("the report could not be written: %w", err)
	}
	return nil
}
