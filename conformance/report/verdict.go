package report

import "fmt"

// verdict judges the cases. What is worst counts: a failure is a failure however
// much was not run, and what was not run is no pass however much else was.
func (r *Report) verdict() (Result, string) {
	core, extended := r.Count(Core), r.Count(Extended)
	passed, failed := core.Passed+extended.Passed, core.Failed+extended.Failed
	broken := core.Broken + extended.Broken
	missing := core.NotRun - core.Waived + extended.NotRun - extended.Waived
	switch {
	case failed > 0:
		return NotConformant, fmt.Sprintf("%d of %s failed", failed, cases(passed+failed))
	case broken > 0:
		return Incomplete, fmt.Sprintf("the harness let %s down", cases(broken))
	case passed == 0 || core.Passed == 0 && r.Suite.Only == "":
		return NotConformant, "not one core case was run"
	case r.Suite.Only != "":
		// Whoever made the report may have left out what was not chosen.
		return Incomplete, fmt.Sprintf("only the cases that match %q were chosen, of which %d passed", r.Suite.Only, passed)
	case missing == 1:
		return Incomplete, "1 case that applies was not run"
	case missing > 0:
		return Incomplete, fmt.Sprintf("%d cases that apply were not run", missing)
	case passed == 1:
		return Conformant, "the only case that applies passed"
	}
	return Conformant, fmt.Sprintf("all %d cases that apply passed", passed)
}

// cases says how many cases.
func cases(n int) string {
	if n == 1 {
		return "1 case"
	}
	return fmt.Sprintf("%d cases", n)
}

// ExitCode is what a command that made the report ends with: 0 when the
// implementation is conformant, 1 when it is not, and 2 when that is not known.
func (r *Report) ExitCode() int {
	switch r.Result {
	case Conformant:
		return 0
	case NotConformant:
		return 1
	}
	return 2
}
