package access

import (
	"time"

	"github.com/problemtracking/problems/domain/ident"
)

// Administered reports whether anybody can administer the service at the given time.
// Some token of scope Admin must be valid then and act for an active user. A token with
// a later expiry counts until then. An invitation does not count: it may be lost.
func Administered(tokens []Token, active func(ident.ID) bool, at time.Time) bool {
	for _, t := range tokens {
		if t.Scope.Covers(Admin) && !t.Invitation && t.Valid(at) && active(t.User) {
			return true
		}
	}
	return false
}
