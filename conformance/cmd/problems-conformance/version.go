package main

import (
	"context"
	"fmt"

	"github.com/problemtracking/problems/conformance/httpsuite"
)

func versionCommand() command {
	return command{"version", "print the version of the suites", func(_ context.Context, p program) int {
		f := p.flags("version", "usage: problems-conformance version\n\nPrints the version of the module that has the suites.\n")
		if code, ok := p.parse(f); !ok {
			return code
		}
		fmt.Fprintln(p.stdout, "problems-conformance", httpsuite.Version())
		return exitConformant
	}}
}
