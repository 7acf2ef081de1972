package conformance

import (
	"slices"

	"github.com/problemtracking/problems/conformance/harness"
	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/cases"
	"github.com/problemtracking/problems/conformance/internal/crash"
	"github.com/problemtracking/problems/conformance/internal/finding"
	"github.com/problemtracking/problems/conformance/internal/linearity"
	"github.com/problemtracking/problems/conformance/internal/sequence"
)

// The profiles of cases.
const (
	profilePort        = "port"        // one case for each "must"
	profileModel       = "model"       // random sequences, compared with the plainest of stores
	profileConcurrency = "concurrency" // many at once
	profileSharing     = "sharing"     // two handles on the same data
	profileDurability  = "durability"  // durability
	profileMigration   = "migration"   // moving everything between stores
)

// Cases returns all cases of the suite.
func Cases() []Case {
	// Where one handle could show or do something else than another.
	between := slices.Concat(
		in(profilePort, cases.Commit(), cases.Expectation(), cases.Order(), cases.Outcome(), cases.Confirm(), cases.View(), cases.Last(),
			cases.Catalogue(), cases.Version(), cases.Identity(), cases.Size(), cases.Restore(), cases.Life(),
			cases.Lists(), cases.Large(), cases.Clock()),
		in(profilePort, cases.Audit(), cases.Feed()),
		in(profileConcurrency, cases.Concurrent(), cases.ConcurrentParts(), linearity.Cases()),
		in(profileModel, sequence.Cases()),
	)
	return slices.Concat(
		between,
		in(profilePort, cases.Effect(), cases.Members(), cases.Cancel(), cases.Read(), cases.Marks(), cases.Bounds(), cases.Problems(), cases.Query(), cases.Session(), cases.Webhook(), finding.Cases(), cases.Dossier(), cases.Text(), cases.Alias(), cases.Refusal()),
		in(profileModel, finding.Random()),
		in(profileMigration, cases.Restored(), cases.Moved()),
		in(profileConcurrency, cases.Held()),
		in(profileSharing, throughTwoHandles(between), cases.Peer()),
		in(profileDurability, crash.Cases(), cases.Replica()),
	)
}

// in returns the cases of all lists, in a profile. Durable cases count for durability.
func in(profile string, lists ...[]bench.Case) []bench.Case {
	cases := slices.Concat(lists...)
	for i := range cases {
		cases[i].Profile = profile
		if cases[i].Durable && !cases[i].Shared {
			cases[i].Profile = profileDurability
		}
	}
	return cases
}

// throughTwoHandles returns the same cases for shared stores.
func throughTwoHandles(cases []bench.Case) []bench.Case {
	shared := make([]bench.Case, len(cases))
	for i, c := range cases {
		c.ID += "/peers"
		c.Rule = "Through two handles on the same data: " + c.Rule
		c.Shared = true
		shared[i] = c
	}
	return shared
}

// waives returns why a case does not concern the stores; it is empty if it does.
func waives(h harness.Harness, c bench.Case) string {
	switch {
	case c.Durable && h.Caps.Durable == harness.No:
		return "declared not to be durable"
	case c.Fleeting && h.Caps.Durable == harness.Yes:
		return "declared to be durable"
	case c.Shared && h.Caps.Shared == harness.No:
		return "declared not to be shared"
	case c.Alone && h.Caps.Shared == harness.Yes:
		return "declared to be shared"
	case c.Replicated && h.Caps.Replicated != harness.Yes:
		return "not declared to be replicated"
	case c.Held && h.Hold == nil:
		return "no Commit can be held back: the harness has no Hold"
	}
	return ""
}
