package httpsuite

import "slices"

// RecordTopics are about problems and their parts.
func RecordTopics() []Topic {
	return []Topic{
		{"problems", slices.Concat(problemCases(), patchCases(), flagCases(), textCases())},
		{"metadata", slices.Concat(partialCases(), transitionCases(), listCases(), componentCases())},
		{"log", logCases()},
		{"comments", commentCases()},
		{"keywords", keywordCases()},
		{"relationships", slices.Concat(relationshipCases(), cycleCases())},
		{"watchers", watcherCases()},
	}
}
