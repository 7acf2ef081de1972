package httpsuite

import (
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"
)

// api is the version segment that every path of the API begins with (D23).
const api = "/api/20151105"

// Target is a server to be tested.
type Target struct {
	// BaseURL is the specification's {base_url}: scheme, host and, if the
	// server has one, its base path, without a slash at the end.
	BaseURL string
	// AdminToken is a token with the scope admin.
	AdminToken string
}

// Case is one rule of the contract.
type Case struct {
	ID     string // "HTTP-W1-001": the endpoint or the topic, and a number
	Source string // "D10", "RFC 9110", "spec section 5"
	Rule   string // what has to be true, in words
	run    func(*session)
}

// Cases returns all cases, by topic.
func Cases() []Case {
	return slices.Concat(
		problemCases(),
		patchCases(),
		partialCases(),
		transitionCases(),
		textCases(),
		flagCases(),
		logCases(),
		commentCases(),
		keywordCases(),
		relationshipCases(),
		cycleCases(),
		watcherCases(),
		userCases(),
		tokenCases(),
		authCases(),
		routeCases(),
		errorCases(),
		precedenceCases(),
		jsonCases(),
		conditionalCases(),
		idempotencyCases(),
		dryRunCases(),
		limitCases(),
		concurrencyCases(),
	)
}

// Run runs every case as a subtest named by its ID, in parallel. A failure names
// the rule that was broken and where it comes from.
func Run(t *testing.T, target Target) {
	transport := &http.Transport{MaxIdleConnsPerHost: 64, DisableCompression: true}
	t.Cleanup(transport.CloseIdleConnections)
	wire := &http.Client{
		Transport: transport,
		Timeout:   time.Minute,
		CheckRedirect: func(*http.Request, []*http.Request) error {
			return http.ErrUseLastResponse
		},
	}
	target.BaseURL = strings.TrimSuffix(target.BaseURL, "/")
	// The group returns only after its parallel members, so that the
	// caller's server outlives them.
	t.Run("HTTP", func(t *testing.T) {
		for _, c := range Cases() {
			t.Run(c.ID, func(t *testing.T) {
				t.Parallel()
				t.Cleanup(func() {
					if t.Failed() {
						t.Logf("%s (%s): %s", c.ID, c.Source, c.Rule)
					}
				})
				c.run(newSession(t, wire, target))
			})
		}
	})
}
