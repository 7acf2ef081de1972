package httpsuite

import (
	"slices"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/access"
	"github.com/problemtracking/problems/conformance/httpsuite/internal/queries"
	"github.com/problemtracking/problems/conformance/httpsuite/internal/records"
	"github.com/problemtracking/problems/conformance/httpsuite/internal/requests"
	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
	"github.com/problemtracking/problems/conformance/report"
)

// Target is the server under test.
type Target struct {
	// BaseURL is the {base_url} of the specification: scheme, host and the
	// base path, if any. A slash at the end is removed.
	BaseURL string
	// AdminToken is a token with the scope admin.
	AdminToken string
}

// Case tests one rule of the contract.
type Case struct {
	ID string // such as "HTTP-W1-001": the endpoint or topic, and a number
	// Level is Core or Extended. Core cases test the specification, and the
	// decisions needed by every client: the records, and the effect of valid
	// requests. Extended cases test the choice of errors, ETags, idempotency
	// keys, dry runs, administration and limits.
	Level   report.Level
	Profile string // the topic, such as "keywords"
	Source  string // "D10", "RFC 9110", "spec section 5"
	Rule    string // the requirement, in words
	run     func(*session.Session)
}

// Cases returns all cases, by topic.
func Cases() []Case {
	var cases []Case
	for _, topic := range slices.Concat(records.Topics(), queries.Topics(), access.Topics(), requests.Topics()) {
		for _, d := range topic.Cases {
			cases = append(cases, Case{d.ID, d.Level, topic.Profile, d.Source, d.Rule, d.Run})
		}
	}
	return cases
}
