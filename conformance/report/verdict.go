package report

import "fmt"

// verdict judges the cases. The worst counts: a failure is a failure whatever was not
// run, and a case without a run is no pass whatever else was.
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
		// The maker of the report may have left out unchosen cases.
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

// ExitCode is the exit code of a command with this report: 0 for a conformant
// implementation, 1 for another one, and 2 without a verdict.
func (r *Report) ExitCode() int {
	switch r.Result {
	case Conformant:
		return 0
	case NotConformant:
		return 1
	}
	return 2
}
