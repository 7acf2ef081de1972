// Package access has the cases about users, their tokens, and the audit log.
package access

import (
	"slices"

	"github.com/problemtracking/problems/conformance/httpsuite/internal/session"
)

// Topics returns the cases by topic.
func Topics() []session.Topic {
	return []session.Topic{
		{Profile: "administration", Cases: slices.Concat(userCases(), erasureCases(), tokenCases(), webhookCases(), auditCases())},
		{Profile: "access", Cases: authCases()},
	}
}
