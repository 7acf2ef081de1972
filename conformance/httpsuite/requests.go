package httpsuite

import "slices"

// requestTopics are about requests of any kind.
func requestTopics() []topic {
	return []topic{
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
