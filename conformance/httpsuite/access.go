package httpsuite

import "slices"

// AccessTopics are about users, their tokens, and the audit log.
func AccessTopics() []Topic {
	return []Topic{
		{"administration", slices.Concat(userCases(), tokenCases(), auditCases())},
		{"access", authCases()},
	}
}
