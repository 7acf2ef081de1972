// Package records has the cases about problems and their parts: fields, metadata, the log,
// comments, keywords, relationships and watchers.
package records

import (
	"slices"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// Topics returns the cases by topic.
func Topics() []session.Topic {
	return []session.Topic{
		{Profile: "problems", Cases: slices.Concat(problemCases(), loadCases(), patchCases(), flagCases(), textCases(), reportCases())},
		{Profile: "metadata", Cases: slices.Concat(partialCases(), transitionCases(), listCases(), componentCases())},
		{Profile: "log", Cases: logCases()},
		{Profile: "comments", Cases: slices.Concat(commentCases(), redactionCases())},
		{Profile: "attachments", Cases: attachmentCases()},
		{Profile: "claims", Cases: claimCases()},
		{Profile: "keywords", Cases: keywordCases()},
		{Profile: "relationships", Cases: slices.Concat(relationshipCases(), cycleCases())},
		{Profile: "watchers", Cases: watcherCases()},
	}
}
