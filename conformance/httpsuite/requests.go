package httpsuite

import "slices"

// RequestTopics are about requests of any kind.
func RequestTopics() []Topic {
	return []Topic{
		{"json", jsonCases()},
		{"errors", slices.Concat(routeCases(), errorCases(), precedenceCases())},
		{"conditional", conditionalCases()},
		{"idempotency", idempotencyCases()},
		{"dry-run", dryRunCases()},
		{"limits", limitCases()},
		{"concurrency", concurrencyCases()},
		{"sequences", walkCases()},
	}
}
