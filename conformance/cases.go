package conformance

import (
	"slices"
	"strings"

	"github.com/problemtracking/problems/conformance/harness"
	"github.com/problemtracking/problems/conformance/internal/bench"
	"github.com/problemtracking/problems/conformance/internal/cases/atonce"
	"github.com/problemtracking/problems/conformance/internal/cases/changes"
	"github.com/problemtracking/problems/conformance/internal/cases/feed"
	"github.com/problemtracking/problems/conformance/internal/cases/handles"
	"github.com/problemtracking/problems/conformance/internal/cases/moving"
	"github.com/problemtracking/problems/conformance/internal/cases/reads"
	"github.com/problemtracking/problems/conformance/internal/cases/replica"
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
		in(profilePort, changes.Commit(), changes.Expectation(), changes.Order(), changes.Outcome(), handles.Confirm(), reads.View(), reads.Last(),
			reads.Catalogue(), changes.Version(), changes.Identity(), reads.Size(), moving.Restore(), handles.Life(),
			reads.Lists(), changes.Large(), changes.Clock()),
		in(profilePort, reads.Audit(), feed.Cases()),
		in(profileConcurrency, atonce.Cases(), atonce.Parts(), linearity.Cases()),
		in(profileModel, sequence.Cases()),
	)
	return slices.Concat(
		between,
		in(profilePort, changes.Effect(), changes.Members(), handles.Cancel(), reads.Read(), changes.Marks(), reads.Bounds(), reads.Problems(), reads.Query(), reads.Session(), reads.Webhook(), finding.Cases(), reads.Dossier(), reads.Text(), reads.Alias(), handles.Refusal()),
		in(profileModel, finding.Random()),
		in(profileMigration, moving.Restored(), moving.Moved()),
		in(profileConcurrency, feed.Held()),
		in(profileSharing, throughTwoHandles(between), handles.Peer()),
		in(profileDurability, crash.Cases(), replica.Cases()),
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

// throughTwo ends the ID of a case through two handles.
const throughTwo = "/peers"

// throughTwoHandles returns the same cases for shared stores. What callers share with a store
// is its memory, which is that of one handle.
func throughTwoHandles(cases []bench.Case) (shared []bench.Case) {
	for _, c := range cases {
		if strings.HasPrefix(c.ID, "ALIAS-") {
			continue
		}
		c.ID += throughTwo
		c.Rule = "Through two handles on the same data: " + c.Rule
		c.Shared = true
		shared = append(shared, c)
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
