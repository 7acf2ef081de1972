package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/problemtracking/problems/conformance/report"
)

func summaryCommand() command {
	return command{"summary", "print one table of several reports", summarise}
}

const summaryHelp = `usage: problems-conformance summary DIR...

Reads the report.json in each directory, and prints one table of all, in Markdown,
with links to the directories by their last names. The exit code is that of the
worst of them.

`

func summarise(_ context.Context, p program) int {
	f := p.flags("summary", summaryHelp)
	var dirs []string
	for len(p.args) > 0 && !strings.HasPrefix(p.args[0], "-") {
		dirs, p.args = append(dirs, p.args[0]), p.args[1:]
	}
	if code, ok := p.parse(f); !ok {
		return code
	}
	if len(dirs) == 0 {
		return p.misused(f, errors.New("no directory of a report is given"))
	}
	var reports []*report.Report
	var folders []string
	code := exitConformant
	for _, dir := range dirs {
		r, err := readReport(dir)
		if err != nil {
			fmt.Fprintln(p.stderr, "problems-conformance summary:", err)
			return exitUnknown
		}
		reports, folders = append(reports, r), append(folders, filepath.Base(dir))
		code = worse(code, r.ExitCode())
	}
	fmt.Fprint(p.stdout, report.Summary(reports, folders...))
	return code
}

// worse returns the weightier exit code: a failure is certain, however much else is
// unknown.
func worse(a, b int) int {
	if a == exitNotConformant || b == exitNotConformant {
		return exitNotConformant
	}
	return max(a, b)
}

func readReport(dir string) (*report.Report, error) {
	file, err := os.Open(filepath.Join(dir, report.JSONFile))
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }()
	r, err := report.Read(file)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", file.Name(), err)
	}
	return r, nil
}
