package admin

import (
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/tracker/internal/directory"
	"github.com/problemtracking/problems/domain/tracker/internal/kinds"
	"github.com/problemtracking/problems/domain/user"
)

// UserPatch holds the members of a user sent by a client (D2). Only the use cases of e-mail
// send its Mail, and SetPreferences its Preferences.
type UserPatch = metadata.UserPatch

// Users returns the users. A new user needs an e-mail address too. An address in use
// fails with fault.AlreadyExists.
//
// Deactivating a user revokes the user's tokens (D17) and ends the user's sessions (D41),
// both for good. It fails with fault.InUse if it would leave no administrator, unless
// Write.LastAdmin is set.
func (s *Service) Users() Objects[user.User, UserPatch] {
	return Objects[user.User, UserPatch]{core: s.core, rules: &kinds.Users, also: directory.ShutOut}
}
