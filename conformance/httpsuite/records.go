package httpsuite

import "slices"

// recordTopics are about problems and their parts.
func recordTopics() []topic {
	return []topic{
		{"problems", slices.Concat(problemCases(), patchCases(), flagCases(), textCases())},
		{"metadata", slices.Concat(partialCases(), transitionCases(), listCases(), componentCases())},
		{"log", logCases()},
		{"comments", commentCases()},
		{"keywords", keywordCases()},
		{"relationships", slices.Concat(relationshipCases(), cycleCases())},
		{"watchers", watcherCases()},
	}
}
