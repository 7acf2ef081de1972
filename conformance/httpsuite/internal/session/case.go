package session

import (
	"strings"

	"github.com/problemtracking/problems/conformance/report"
	"github.com/problemtracking/problems/domain/rules"
)

// API is the version segment that every path of the API begins with (D23).
const API = "/api/20151105"

// Case is a case in the table of its topic.
type Case struct {
	Level  report.Level
	ID     string // such as "HTTP-W1-001"
	Source string // the tags of its rules
	Rule   string // in words
	Run    func(*Session)
}

// Core returns a case of the level core.
func Core(id, source, rule string, run func(*Session)) Case {
	return Case{report.Core, id, source, rule, run}
}

// Extended returns a case of the level extended.
func Extended(id, source, rule string, run func(*Session)) Case {
	return Case{report.Extended, id, source, rule, run}
}

// Topic is a set of cases about one thing.
type Topic struct {
	Profile string // such as "keywords"
	Cases   []Case
}

// See returns the tag of a rule with the address of its page.
func See(tag string) string { return strings.Join(append([]string{tag}, rules.Links(tag)...), ", ") }
