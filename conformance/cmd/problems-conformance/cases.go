package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/problemtracking/problems/conformance"
	"github.com/problemtracking/problems/conformance/httpsuite"
)

func casesCommand() command {
	return command{"cases", "list all cases of the suites for stores and for servers", listCases}
}

// listed is a case of either suite.
type listed struct {
	id, level, profile, rule, source string
}

const casesHelp = `usage: problems-conformance cases [--suite store|http]

Lists the cases with their level, profile, rule, and the source of the rule.

`

func listCases(_ context.Context, p program) int {
	f := p.flags("cases", casesHelp)
	suite := f.String("suite", "", "list the cases of this `suite` alone: store or http")
	if code, ok := p.parse(f); !ok {
		return code
	}
	suites := []struct {
		name  string
		cases []listed
	}{{"store", storeCases()}, {"http", httpCases()}}
	known := false
	for _, s := range suites {
		if *suite != "" && *suite != s.name {
			continue
		}
		known = true
		writeText(p.stdout, s.cases)
	}
	if !known {
		return p.misused(f, fmt.Errorf("there is no suite %q; want store or http", *suite))
	}
	return exitConformant
}

func storeCases() []listed {
	var list []listed
	for _, c := range conformance.Cases() {
		list = append(list, listed{c.ID, string(c.Level()), c.Profile, c.Rule, c.Source()})
	}
	return list
}

func httpCases() []listed {
	var list []listed
	for _, c := range httpsuite.Cases() {
		list = append(list, listed{c.ID, string(c.Level), c.Profile, c.Rule, c.Source})
	}
	return list
}

func writeText(w io.Writer, cases []listed) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, c := range cases {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s (%s)\n", c.id, c.level, c.profile, c.rule, c.source)
	}
	_ = t.Flush() // a closed pipe is no news
}
