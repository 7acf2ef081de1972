package httpsuite

import (
	"strings"

	"github.com/problemtracking/problems/conformance/report"
	"github.com/problemtracking/problems/domain/rules"
)

// API is the version segment that every path of the API begins with (D23).
const API = "/api/20151105"

// Demand is a case in the table of its topic.
type Demand struct {
	Level  report.Level
	ID     string
	Source string
	Rule   string
	Run    func(*Session)
}

// Topic is the cases about one thing.
type Topic struct {
	Profile string // such as "keywords"
	Cases   []Demand
}

// The levels, as the tables write them.
const (
	Core     = report.Core
	Extended = report.Extended
)

// See returns the tag of a rule with the address of its page.
func See(tag string) string { return strings.Join(append([]string{tag}, rules.Links(tag)...), ", ") }
