// Package requests has the cases about requests of any kind: their syntax, their errors,
// conditions, keys, dry runs and limits, and requests at the same time.
package requests

import (
	"slices"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// Topics returns the cases by topic.
func Topics() []session.Topic {
	return []session.Topic{
		{Profile: "json", Cases: jsonCases()},
		{Profile: "errors", Cases: slices.Concat(routeCases(), errorCases(), precedenceCases())},
		{Profile: "conditional", Cases: conditionalCases()},
		{Profile: "idempotency", Cases: idempotencyCases()},
		{Profile: "dry-run", Cases: dryRunCases()},
		{Profile: "limits", Cases: limitCases()},
		{Profile: "concurrency", Cases: concurrencyCases()},
		{Profile: "sequences", Cases: walkCases()},
	}
}
