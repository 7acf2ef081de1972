package httpsuite

import "slices"

// queryTopics are about searches, the past, and changes of many problems.
func queryTopics() []topic {
	return []topic{
		{"search", slices.Concat(searchCases(), refusalCases(), pagingCases(), savedCases())},
		{"history", asOfCases()},
		{"bulk", bulkCases()},
	}
}
