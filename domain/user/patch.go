package user

import "github.com/problemtracking/problems/domain/patch"

// Patch holds the members of a user sent by a client (D2).
type Patch struct {
	Name     patch.Field[string]
	Email    patch.Field[string]
	Inactive patch.Field[bool]
	// Mail is the name of a Mail. Only the service sends it, for the user.
	Mail patch.Field[string]
}
