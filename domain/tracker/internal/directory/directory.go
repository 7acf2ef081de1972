// Package directory has what decisions about users, their tokens and their sessions share.
package directory

import (
	"context"
	"slices"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/audit"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
	"github.com/problemtracking/problems/domain/user"
)

// Directory is the basis of decisions about users and tokens.
type Directory struct {
	Catalogue *metadata.Catalogue
	Tokens    []access.Token
	Access    ident.Version // of the tokens
	// Sessions are those of the user to be changed. They are loaded only for a change of
	// a user.
	Sessions []access.Session
}

// Load loads the users and tokens, without sessions.
func Load(ctx context.Context, c *core.Core, r store.Reader) (d Directory, err error) {
	versions, err := r.Versions(ctx)
	if err != nil {
		return d, err
	}
	if d.Catalogue, err = c.Catalogues.At(ctx, r, versions.Catalogue); err != nil {
		return d, err
	}
	d.Access = versions.Access
	d.Tokens, err = r.Tokens(ctx)
	return d, err
}

// FindToken returns the token with the given identifier.
func (d Directory) FindToken(id ident.ID) (access.Token, bool) {
	i := slices.IndexFunc(d.Tokens, func(t access.Token) bool { return t.ID == id })
	if i < 0 {
		return access.Token{}, false
	}
	return d.Tokens[i], true
}

// ShutOut ends the sessions of a deactivated user, and revokes the tokens.
//
// It ends the sessions of a reactivated user, too. A sign-in can commit between the load
// and the Commit of a deactivation, and leave a session behind. No session begins while
// the user is inactive, so the reactivation finds all of them.
func ShutOut(cb *changes.Builder, lastAdmin bool, old, u user.User, d Directory) error {
	if u.Inactive == old.Inactive {
		return nil
	}
	for _, session := range d.Sessions {
		cb.AddEffect(store.DropSession{ID: session.ID})
	}
	if !u.Inactive {
		return nil
	}
	if err := d.CheckLastAdmin(lastAdmin, cb.At, func(t access.Token) bool { return t.User == u.ID }); err != nil {
		return err
	}
	cb.AddExpect(store.AccessAt{Version: d.Access}) // or a new token could escape the revocation
	for _, token := range d.Tokens {
		if token.User == u.ID && token.Revoked.IsZero() {
			token.Revoked = cb.At
			PutToken(cb, token, u.Name, false)
		}
	}
	return nil
}

// CheckLastAdmin refuses to revoke the last tokens with administrator rights, unless lastAdmin
// allows it. The Change has to expect the version of the tokens, or two administrators could
// revoke each other.
func (d Directory) CheckLastAdmin(lastAdmin bool, at time.Time, revoked func(access.Token) bool) error {
	if lastAdmin {
		return nil
	}
	active := func(id ident.ID) bool {
		u, ok := d.Catalogue.User(id)
		return ok && !u.Inactive
	}
	left := slices.DeleteFunc(slices.Clone(d.Tokens), revoked)
	if !access.Administered(d.Tokens, active, at) || access.Administered(left, active, at) {
		return nil
	}
	return fault.New(fault.InUse, "nobody could administer the service after this: it has no other valid token of scope admin. "+
		"Create one first, or use the command line on the store itself, with the flag --last-admin")
}

// PutToken stores a token of a user with the given name, and logs it. An existing token
// can differ from before only in revoked.
func PutToken(cb *changes.Builder, t access.Token, owner string, isNew bool) {
	of := changes.Audited{Kind: audit.Token, ID: t.ID, Name: owner}
	if isNew {
		members := []problem.LogMember{
			{Name: "user", Value: problem.LogRef(t.User, owner)},
			{Name: "scope", Value: problem.LogText(string(t.Scope))},
			{Name: "expires", Value: problem.LogTime(t.Expires)},
		}
		if t.Invitation {
			members = append(members, problem.LogMember{Name: "invitation", Value: problem.LogFlag(true)})
		}
		cb.AuditCreated(of, members)
	} else {
		cb.Audit(of, audit.Changed, "revoked", "", problem.LogTime(t.Revoked))
	}
	cb.AddEffect(store.PutToken{Token: t})
}
