package conformance

import "slices"

// The profiles of cases.
const (
	profilePort        = "port"        // one case for each "must"
	profileModel       = "model"       // random sequences, compared with the plainest of stores
	profileConcurrency = "concurrency" // many at once
	profileSharing     = "sharing"     // two handles on the same data
	profileDurability  = "durability"  // what survives what
	profileMigration   = "migration"   // moving everything between stores
)

// Cases returns all cases of the suite.
func Cases() []Case {
	// Where one handle could show or do something else than another.
	between := slices.Concat(
		in(profilePort, commitCases(), expectationCases(), orderCases(), outcomeCases(), confirmCases(), viewCases(), lastCases(),
			catalogueCases(), versionCases(), identityCases(), sizeCases(), restoreCases(), lifeCases()),
		in(profilePort, auditCases()),
		in(profileConcurrency, concurrentCases(), linearCases()),
		in(profileModel, randomCases()),
	)
	return slices.Concat(
		between,
		in(profilePort, effectCases(), cancelCases(), readCases(), problemsCases(), queryCases(), findCases(), dossierCases(), textCases(), aliasCases(), refusalCases()),
		in(profileModel, findRandomCases()),
		in(profileMigration, restoredCases(), movedCases()),
		in(profileSharing, throughTwoHandles(between), peerCases()),
		in(profileDurability, durabilityCases(), replicaCases()),
	)
}

// in returns the cases of all lists, in a profile. What durable cases show counts
// for durability.
func in(profile string, lists ...[]Case) []Case {
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
func throughTwoHandles(cases []Case) []Case {
	shared := make([]Case, len(cases))
	for i, c := range cases {
		c.ID += "/peers"
		c.Rule = "Through two handles on the same data: " + c.Rule
		c.Shared = true
		shared[i] = c
	}
	return shared
}

// waives returns why a case does not concern the stores; it is empty if it does.
func waives(h Harness, c Case) string {
	switch {
	case c.Durable && h.Caps.Durable == No:
		return "declared not to be durable"
	case c.Fleeting && h.Caps.Durable == Yes:
		return "declared to be durable"
	case c.Shared && h.Caps.Shared == No:
		return "declared not to be shared"
	case c.Alone && h.Caps.Shared == Yes:
		return "declared to be shared"
	case c.Replicated && h.Caps.Replicated != Yes:
		return "not declared to be replicated"
	}
	return ""
}
