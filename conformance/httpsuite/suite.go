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
