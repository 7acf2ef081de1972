package httpsuite

import "slices"

// QueryTopics are about searches, the past, and changes of many problems.
func QueryTopics() []Topic {
	return []Topic{
		{"search", slices.Concat(searchCases(), refusalCases(), pagingCases(), savedCases())},
		{"history", asOfCases()},
		{"bulk", bulkCases()},
	}
}
