package tracker

import (
	"context"

	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
	"github.com/problemtracking/problems/domain/tracker/internal/directory"
	"github.com/problemtracking/problems/domain/tracker/internal/kinds"
	"github.com/problemtracking/problems/domain/tracker/internal/writerlocks"
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
	return Objects[user.User, UserPatch]{service: s, rules: &kinds.Users, also: directory.ShutOut}
}

// onDirectory runs a command about tokens.
func onDirectory[T any](ctx context.Context, s *Service, dryRun bool,
	decide func(directory.Directory, changes.Moment) (store.Change, Answer[T], error),
) (Answer[T], error) {
	return core.Run(ctx, s.core, core.Command[directory.Directory, Answer[T]]{
		Locks:  []writerlocks.Key{writerlocks.Catalogue()},
		DryRun: dryRun,
		Load: func(ctx context.Context, r store.Reader) (directory.Directory, error) {
			return directory.Load(ctx, s.core, r)
		},
		Decide: decide,
	})
}
