package httpsuite

import "slices"

// accessTopics are about users, their tokens, and the audit log.
func accessTopics() []topic {
	return []topic{
		{"administration", slices.Concat(userCases(), tokenCases(), auditCases())},
		{"access", authCases()},
	}
}
