package access

import (
	"time"

	"github.com/problemtracking/problems/domain/ident"
)

// Administered reports whether anybody can administer the service at the given time:
// whether a token of scope Admin is valid and acts for a user who is active. A token
// that expires later counts until then.
func Administered(tokens []Token, active func(ident.ID) bool, at time.Time) bool {
	for _, t := range tokens {
		if t.Scope.Covers(Admin) && t.Valid(at) && active(t.User) {
			return true
		}
	}
	return false
}
