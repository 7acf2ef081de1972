package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// report has all measurements.
type report struct {
	Rows []row `json:"rows"`
}

// row is the result of one attack on one store. Memory is in bytes.
type row struct {
	Store   string         `json:"store"`
	Attack  string         `json:"attack"`
	Title   string         `json:"title"`
	Before  int64          `json:"before"` // resident before the attack
	Peak    int64          `json:"peak"`
	Honest  waited         `json:"honest"`
	Fate    string         `json:"fate"`
	Answers map[string]int `json:"answers"`
	Wrong   []string       `json:"wrong,omitempty"`
	Notes   []string       `json:"notes,omitempty"`
}

// head prints how the table begins.
func (r *report) head(out io.Writer, o options) {
	fmt.Fprintf(out, "Each attack takes %v, beside %d honest requests in a second, whose times are in milliseconds. Memory is in MiB.\n\n", o.duration, o.rate)
	fmt.Fprintln(out, "| store | attack | before | peak | p50 | p99 | max | honest failures | server | answers to the attack | remarks |")
	fmt.Fprintln(out, "|---|---|---:|---:|---:|---:|---:|---|---|---|---|")
}

// print prints a row of the table.
func (r row) print(out io.Writer) {
	failures := "0"
	if r.Honest.Failures > 0 {
		bad := map[string]int{}
		for what, n := range r.Honest.Outcomes {
			if !rightForHonest[what] {
				bad[what] = n
			}
		}
		failures = fmt.Sprintf("%d of %d (%s)", r.Honest.Failures, r.Honest.Requests, list(bad))
	}
	remarks := append([]string(nil), r.Notes...)
	for _, wrong := range r.Wrong {
		remarks = append(remarks, "WRONG: "+wrong)
	}
	text := strings.NewReplacer("|", `\|`, "\n", " ").Replace(strings.Join(remarks, "; "))
	fmt.Fprintf(out, "| %s | %s: %s | %d | %d | %.0f | %.0f | %.0f | %s | %s | %s | %s |\n", r.Store, r.Attack, r.Title, r.Before/mebibyte, r.Peak/mebibyte,
		r.Honest.P50, r.Honest.P99, r.Honest.Max, failures, r.Fate, list(r.Answers), text)
}

// write writes the report as JSON.
func (r *report) write(path string) error {
	text, err := json.MarshalIndent(r, "", "\t")
	if err != nil {
		return err
	}
	return os.WriteFile(path, append(text, '\n'), 0o666)
}

// verdict returns the faults: dead servers, memory above the limit, and wrong answers. A
// limit of 0 is none.
func (r *report) verdict(limit int64) error {
	var errs []error
	for _, row := range r.Rows {
		fail := func(format string, args ...any) {
			errs = append(errs, fmt.Errorf("%s, %s: "+format, append([]any{row.Store, row.Attack}, args...)...))
		}
		if row.Fate != alive {
			fail("the server %s", row.Fate)
		}
		allowed := limit
		if row.Store == inMemory {
			allowed += row.Before
		}
		if limit > 0 && row.Peak > allowed {
			fail("the server took %d MiB, and may take %d", row.Peak/mebibyte, allowed/mebibyte)
		}
		for _, wrong := range row.Wrong {
			fail("%s", wrong)
		}
	}
	return errors.Join(errs...)
}
