package admin

import (
	"context"
	"slices"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/text"
	"github.com/problemtracking/problems/domain/tracker/internal/body"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
	"github.com/problemtracking/problems/domain/tracker/internal/directory"
)

// OwnTokens returns the tokens of the caller, in the order of their creation (D50).
func (s *Service) OwnTokens(ctx context.Context, caller core.Caller) (core.Answer[[]access.Token], error) {
	a, err := s.Tokens(ctx)
	a.Value = slices.DeleteFunc(a.Value, func(t access.Token) bool { return t.User != caller.User })
	return a, err
}

// CreateOwnToken issues a token for the caller, with its scope at most, and for 90 days at most
// (D50). In a dry run it has neither identifier nor secret.
func (s *Service) CreateOwnToken(ctx context.Context, caller core.Caller, cmd CreateOwnToken) (core.Answer[IssuedToken], error) {
	secret, err := s.NewSecret()
	if err != nil {
		return core.Answer[IssuedToken]{}, err
	}
	return onDirectory(ctx, s, cmd.DryRun, func(d directory.Directory, m changes.Moment) (store.Change, core.Answer[IssuedToken], error) {
		return decideOwnToken(caller, cmd, secret, d, m)
	})
}

func decideOwnToken(caller core.Caller, cmd CreateOwnToken, secret access.Secret, d directory.Directory, m changes.Moment) (store.Change, core.Answer[IssuedToken], error) {
	cb := changes.NewBuilder(m, caller.Author())
	own := access.Own{Scope: caller.Scope}
	if with, ok := d.FindToken(caller.Token); ok { // also behind a session
		own.Expires = with.Expires
	}
	token, err := checkOwnToken(caller.User, own, cmd, cb.At)
	switch u, ok := d.Catalogue.User(caller.User); {
	case err != nil:
		return store.Change{}, core.Answer[IssuedToken]{}, err
	case !ok || u.Inactive:
		return store.Change{}, core.Answer[IssuedToken]{}, core.Unauthenticated()
	case access.Crowded(d.Tokens, caller.User, cb.At):
		var faults fault.List
		faults.Add(fault.InvalidValue, fault.Location{}, "you have made %d tokens within 90 days, the largest number: an administrator can make more", access.MostOwn)
		return store.Change{}, core.Answer[IssuedToken]{}, faults.Err()
	}
	return issue(cb, token, secret, d, cmd.DryRun)
}

// checkOwnToken returns the requested token, without identifier and digest.
func checkOwnToken(who ident.ID, own access.Own, cmd CreateOwnToken, at time.Time) (access.Token, error) {
	faults := slices.Clone(cmd.Faults)
	latest := own.Latest(at)
	token := access.Token{Created: at, User: who, Scope: access.Scope(cmd.Scope.Value), Expires: latest}
	checkScope(token.Scope, cmd.Scope.Sent, &faults)
	if body.Given(cmd.Name) {
		token.Name = body.Line(text.Name, cmd.Name, fault.At("name"), &faults)
	}
	if cmd.Scope.Sent {
		body.AddInvalid(&faults, fault.At("scope"), own.Check(token.Scope))
	}
	if body.Given(cmd.Expires) {
		token.Expires = tokenEnd(cmd.Expires.Value, at)
		body.AddInvalid(&faults, fault.At("expires"), token.CheckExpiry())
		if token.Expires.After(latest) && !faults.Covers(fault.At("expires")) {
			faults.Add(fault.InvalidValue, fault.At("expires"), "cannot be after %s: a token that you make yourself lasts 90 days at most, and not longer than the token that makes it", latest.Format(time.RFC3339))
		}
	}
	return token, faults.Err()
}

// RevokeOwnToken makes a token of the caller invalid, as RevokeToken does (D50). It fails with
// fault.NotFound for the tokens of others.
func (s *Service) RevokeOwnToken(ctx context.Context, caller core.Caller, id ident.ID, w core.Write) (core.Answer[struct{}], error) {
	return s.revokeToken(ctx, caller, id, w, func(t access.Token) bool { return t.User == caller.User })
}
