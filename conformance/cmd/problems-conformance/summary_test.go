package main

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/problemtracking/problems/conformance/report"
)

// written writes the report of one core case into a directory.
func written(t *testing.T, name string, status report.Status) string {
	t.Helper()
	r := &report.Report{
		Suite:          report.Suite{Name: "store", Version: "1"},
		Implementation: report.Implementation{Name: name},
		Cases:          []report.Case{{ID: "COM-001", Profile: "port", Level: report.Core, Status: status, Failure: "x", Reason: "y"}},
	}
	r.Conclude()
	dir := filepath.Join(t.TempDir(), name)
	if err := report.Write(dir, r); err != nil {
		t.Fatal(err)
	}
	return dir
}

func TestSummary(t *testing.T) {
	t.Parallel()
	good, bad, open := written(t, "good", report.Passed), written(t, "bad", report.Failed), written(t, "open", report.Broken)
	for _, test := range []struct {
		name string
		args []string
		code int
		says []string // in either output
	}{
		{"one", []string{good}, exitConformant, []string{"[good](<good/report.md>)"}},
		{"a failure", []string{good, bad, open}, exitNotConformant, []string{"[good](<good/report.md>)", "[bad](<bad/report.md>)", "[open](<open/report.md>)"}},
		{"unknown", []string{good, open}, exitUnknown, []string{"[open](<open/report.md>)"}},
		{"no report", []string{t.TempDir()}, exitUnknown, []string{"report.json"}},
		{"nothing", nil, exitUnknown, []string{"no directory of a report"}},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			var out strings.Builder
			code := summarise(t.Context(), program{args: test.args, stdout: &out, stderr: &out})
			if code != test.code {
				t.Errorf("the exit code is %d; want %d", code, test.code)
			}
			for _, want := range test.says {
				if !strings.Contains(out.String(), want) {
					t.Errorf("%q is not in\n%s", want, out.String())
				}
			}
		})
	}
}
