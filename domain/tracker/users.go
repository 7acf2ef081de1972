package tracker

import (
	"context"
	"slices"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
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
	return Objects[user.User, UserPatch]{service: s, rules: &kinds.Users, also: shutOut}
}

// shutOut ends the sessions of a deactivated user, and revokes the tokens.
//
// It ends the sessions of a reactivated user, too. A sign-in can commit between the load
// and the Commit of a deactivation, and leave a session behind. No session begins while
// the user is inactive, so the reactivation finds all of them.
func shutOut(cb *changes.Builder, w Write, old, u user.User, d directory) error {
	if u.Inactive == old.Inactive {
		return nil
	}
	for _, session := range d.sessions {
		cb.AddEffect(store.DropSession{ID: session.ID})
	}
	if !u.Inactive {
		return nil
	}
	if err := d.checkLastAdmin(w, cb.At, func(t access.Token) bool { return t.User == u.ID }); err != nil {
		return err
	}
	cb.AddExpect(store.AccessAt{Version: d.access}) // or a new token could escape the revocation
	for _, token := range d.tokens {
		if token.User == u.ID && token.Revoked.IsZero() {
			token.Revoked = cb.At
			putToken(cb, token, u.Name, false)
		}
	}
	return nil
}

// checkLastAdmin refuses to revoke the last tokens with administrator rights. The
// Change has to expect the version of the tokens, or two administrators could revoke
// each other.
func (d directory) checkLastAdmin(w Write, at time.Time, revoked func(access.Token) bool) error {
	if w.LastAdmin {
		return nil
	}
	active := func(id ident.ID) bool {
		u, ok := d.catalogue.User(id)
		return ok && !u.Inactive
	}
	left := slices.DeleteFunc(slices.Clone(d.tokens), revoked)
	if !access.Administered(d.tokens, active, at) || access.Administered(left, active, at) {
		return nil
	}
	return fault.New(fault.InUse, "nobody could administer the service after this: it has no other valid token of scope admin. "+
		"Create one first, or use the command line on the store itself, with the flag --last-admin")
}

// directory is the basis of decisions about users and tokens.
type directory struct {
	catalogue *metadata.Catalogue
	tokens    []access.Token
	access    ident.Version // of the tokens
	// sessions are those of the user to be changed. They are loaded only for a change of
	// a user.
	sessions []access.Session
}

func (s *Service) loadDirectory(ctx context.Context, r store.Reader) (d directory, err error) {
	versions, err := r.Versions(ctx)
	if err != nil {
		return d, err
	}
	if d.catalogue, err = s.core.Catalogues.At(ctx, r, versions.Catalogue); err != nil {
		return d, err
	}
	d.access = versions.Access
	d.tokens, err = r.Tokens(ctx)
	return d, err
}

// onDirectory runs a command about tokens.
func onDirectory[T any](ctx context.Context, s *Service, dryRun bool,
	decide func(directory, changes.Moment) (store.Change, Answer[T], error),
) (Answer[T], error) {
	return core.Run(ctx, s.core, core.Command[directory, Answer[T]]{
		Locks:  []writerlocks.Key{writerlocks.Catalogue()},
		DryRun: dryRun,
		Load:   s.loadDirectory,
		Decide: decide,
	})
}

// findToken returns the token with the given identifier.
func (d directory) findToken(id ident.ID) (access.Token, bool) {
	i := slices.IndexFunc(d.tokens, func(t access.Token) bool { return t.ID == id })
	if i < 0 {
		return access.Token{}, false
	}
	return d.tokens[i], true
}
