package httpsuite

import (
	"strings"

	"github.com/problemtracking/problems/conformance/report"
	"github.com/problemtracking/problems/domain/rules"
)

// api is the version segment that every path of the API begins with (D23).
const api = "/api/20151105"

// demand is a case in the table of its topic.
type demand struct {
	level  report.Level
	id     string
	source string
	rule   string
	run    func(*session)
}

// topic is the cases about one thing.
type topic struct {
	profile string // such as "keywords"
	cases   []demand
}

// The levels, as the tables write them.
const (
	core     = report.Core
	extended = report.Extended
)

// see returns the tag of a rule with the address of its page.
func see(tag string) string { return strings.Join(append([]string{tag}, rules.Links(tag)...), ", ") }
