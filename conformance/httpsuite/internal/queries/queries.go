// Package queries has the cases about searches, the past, and changes of many problems.
package queries

import (
	"slices"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// Topics returns the cases by topic.
func Topics() []session.Topic {
	return []session.Topic{
		{Profile: "search", Cases: slices.Concat(searchCases(), refusalCases(), pagingCases(), savedCases())},
		{Profile: "history", Cases: asOfCases()},
		{Profile: "bulk", Cases: slices.Concat(bulkCases(), undoCases())},
		{Profile: "events", Cases: slices.Concat(streamCases(), eventCases())},
	}
}
