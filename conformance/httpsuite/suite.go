package httpsuite

import (
	"strings"

	"github.com/problemtracking/problems/conformance/report"
	"github.com/problemtracking/problems/domain/rules"
)

// api is the version segment that every path of the API begins with (D23).
const api = "/api/20151105"

// Target is a server to be tested.
type Target struct {
	// BaseURL is the specification's {base_url}: scheme, host and, if the
	// server has one, its base path. A slash at the end is ignored.
	BaseURL string
	// AdminToken is a token with the scope admin.
	AdminToken string
}

// Case is one rule of the contract.
type Case struct {
	ID string // "HTTP-W1-001": the endpoint or the topic, and a number
	// Level is Core for what the specification itself demands, and for the
	// decisions without which clients that were written for it do not work:
	// the records, and what a request that is in order does. Extended cases
	// are about the rest: which error is answered, ETags, keys, dry runs,
	// the administration, and limits.
	Level   report.Level
	Profile string // the topic, such as "keywords"
	Source  string // "D10", "RFC 9110", "spec section 5"
	Rule    string // what has to be true, in words
	run     func(*session)
}

// demand is a case in the table of its topic.
type demand struct {
	level  report.Level
	id     string
	source string
	rule   string
	run    func(*session)
}

// see returns the tag of a rule with the address of its page.
func see(tag string) string { return strings.Join(append([]string{tag}, rules.Links(tag)...), ", ") }

// The levels, as the tables write them.
const (
	core     = report.Core
	extended = report.Extended
)

// Cases returns all cases, by topic.
func Cases() []Case {
	var cases []Case
	for _, topic := range []struct {
		profile string
		tables  [][]demand
	}{
		{"problems", [][]demand{problemCases(), patchCases(), flagCases(), textCases()}},
		{"metadata", [][]demand{partialCases(), transitionCases(), listCases(), componentCases()}},
		{"log", [][]demand{logCases()}},
		{"comments", [][]demand{commentCases()}},
		{"keywords", [][]demand{keywordCases()}},
		{"relationships", [][]demand{relationshipCases(), cycleCases()}},
		{"watchers", [][]demand{watcherCases()}},
		{"search", [][]demand{searchCases(), refusalCases(), pagingCases(), savedCases()}},
		{"history", [][]demand{asOfCases()}},
		{"bulk", [][]demand{bulkCases()}},
		{"administration", [][]demand{userCases(), tokenCases(), auditCases()}},
		{"access", [][]demand{authCases()}},
		{"json", [][]demand{jsonCases()}},
		{"errors", [][]demand{routeCases(), errorCases(), precedenceCases()}},
		{"conditional", [][]demand{conditionalCases()}},
		{"idempotency", [][]demand{idempotencyCases()}},
		{"dry-run", [][]demand{dryRunCases()}},
		{"limits", [][]demand{limitCases()}},
		{"concurrency", [][]demand{concurrencyCases()}},
		{"sequences", [][]demand{walkCases()}},
	} {
		for _, table := range topic.tables {
			for _, d := range table {
				cases = append(cases, Case{d.id, d.level, topic.profile, d.source, d.rule, d.run})
			}
		}
	}
	return cases
}
