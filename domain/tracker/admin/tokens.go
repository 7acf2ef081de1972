package admin

import (
	"context"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/text"
	"github.com/problemtracking/problems/domain/tracker/internal/body"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
	"github.com/problemtracking/problems/domain/tracker/internal/directory"
	"github.com/problemtracking/problems/domain/tracker/internal/writerlocks"
)

// Tokens returns all tokens, in the order of their creation.
func (s *Service) Tokens(ctx context.Context) (core.Answer[[]access.Token], error) {
	var d directory.Directory
	err := s.core.Store.View(ctx, func(r store.Reader) (err error) {
		d, err = directory.Load(ctx, s.core, r)
		return err
	})
	return core.Answer[[]access.Token]{Value: d.Tokens, Catalogue: d.Catalogue}, err
}

// NewSecret returns the secret of a future token.
func (s *Service) NewSecret() (access.Secret, error) {
	var random [32]byte
	if err := s.core.ReadRandom(random[:]); err != nil {
		return access.Secret{}, err
	}
	return access.NewSecret(random), nil
}

// onDirectory runs a command about tokens.
func onDirectory[T any](ctx context.Context, s *Service, dryRun bool,
	decide func(directory.Directory, changes.Moment) (store.Change, core.Answer[T], error),
) (core.Answer[T], error) {
	return core.Run(ctx, s.core, core.Command[directory.Directory, core.Answer[T]]{
		Locks:  []writerlocks.Key{writerlocks.Catalogue()},
		DryRun: dryRun,
		Load: func(ctx context.Context, r store.Reader) (directory.Directory, error) {
			return directory.Load(ctx, s.core, r)
		},
		Decide: decide,
	})
}

// CreateToken issues a token. In a dry run it has neither identifier nor secret.
func (s *Service) CreateToken(ctx context.Context, caller core.Caller, cmd CreateToken) (core.Answer[IssuedToken], error) {
	secret, err := s.NewSecret()
	if err != nil {
		return core.Answer[IssuedToken]{}, err
	}
	return onDirectory(ctx, s, cmd.DryRun, func(d directory.Directory, m changes.Moment) (store.Change, core.Answer[IssuedToken], error) {
		return decideToken(caller, cmd, secret, d, m)
	})
}

func decideToken(caller core.Caller, cmd CreateToken, secret access.Secret, d directory.Directory, m changes.Moment) (store.Change, core.Answer[IssuedToken], error) {
	cb := changes.NewBuilder(m, caller.Author())
	token, err := checkToken(cmd, d.Catalogue, cb.At)
	if err != nil {
		return store.Change{}, core.Answer[IssuedToken]{}, err
	}
	return issue(cb, token, secret, d, cmd.DryRun)
}

// issue stores a new token.
func issue(cb *changes.Builder, token access.Token, secret access.Secret, d directory.Directory, dryRun bool) (store.Change, core.Answer[IssuedToken], error) {
	token.ID, token.Digest = cb.NextID(), secret.Digest()
	cb.ResolvedBy(d.Catalogue.Version)
	directory.PutToken(cb, token, d.Catalogue.Name(metadata.Users, token.User), true)
	if dryRun {
		token.ID, secret = ident.None, access.Secret{}
	}
	return cb.Change, core.Answer[IssuedToken]{Value: IssuedToken{token, secret}, Catalogue: d.Catalogue, New: true}, nil
}

// checkToken returns the requested token, without identifier and digest.
func checkToken(cmd CreateToken, c *metadata.Catalogue, at time.Time) (access.Token, error) {
	faults := cmd.Faults
	token := access.Token{Created: at, Scope: access.Scope(cmd.Scope.Value), Invitation: cmd.Invitation.Value}
	body.Require(&faults, cmd.User.Sent, fault.At("user"), "a token acts for a user")
	switch {
	case cmd.User.Null:
		faults.Add(fault.InvalidValue, fault.At("user"), "cannot be null: a token acts for a user")
	case cmd.User.Sent:
		token.User = body.Resolve(c, metadata.Users, cmd.User.Value, ident.None, fault.At("user"), &faults)
	}
	checkScope(token.Scope, cmd.Scope.Sent, &faults)
	if body.Given(cmd.Name) {
		token.Name = body.Line(text.Name, cmd.Name, fault.At("name"), &faults)
	}
	if body.Given(cmd.Expires) {
		token.Expires = tokenEnd(cmd.Expires.Value, at)
		body.AddInvalid(&faults, fault.At("expires"), token.CheckExpiry())
	} else if token.Invitation {
		token.Expires = at.Add(access.InvitationLife)
	}
	return token, faults.Err()
}

func checkScope(s access.Scope, sent bool, faults *fault.List) {
	if err := s.Check(); err != nil {
		body.Require(faults, sent, fault.At("scope"), "%v", err)
		body.AddInvalid(faults, fault.At("scope"), err)
	}
}

// tokenEnd returns the stored form of a sent expiry.
func tokenEnd(sent, at time.Time) time.Time {
	end := core.Stored(sent)
	if end.IsZero() { // zero would mean never
		return at
	}
	return end
}

// RevokeToken makes a token invalid for good. The revocation takes effect at once in
// this process, and within two seconds in every other (D17). It fails with
// fault.NotFound. It fails with fault.InUse if it would leave no administrator, unless
// Write.LastAdmin is set.
func (s *Service) RevokeToken(ctx context.Context, caller core.Caller, id ident.ID, w core.Write) (core.Answer[struct{}], error) {
	return s.revokeToken(ctx, caller, id, w, func(access.Token) bool { return true })
}

// revokeToken revokes one of the tokens that the caller may revoke.
func (s *Service) revokeToken(ctx context.Context, caller core.Caller, id ident.ID, w core.Write, may func(access.Token) bool) (core.Answer[struct{}], error) {
	return onDirectory(ctx, s, w.DryRun, func(d directory.Directory, m changes.Moment) (store.Change, core.Answer[struct{}], error) {
		token, ok := d.FindToken(id)
		if !ok || !may(token) {
			return store.Change{}, core.Answer[struct{}]{}, fault.New(fault.NotFound, "there is no token with this identifier")
		}
		cb := changes.NewBuilder(m, caller.Author())
		if token.Revoked.IsZero() {
			if err := d.CheckLastAdmin(w.LastAdmin, cb.At, func(t access.Token) bool { return t.ID == id }); err != nil {
				return store.Change{}, core.Answer[struct{}]{}, err
			}
			token.Revoked = cb.At
			cb.AddExpect(store.AccessAt{Version: d.Access}) // or two servers would both log it
			directory.PutToken(cb, token, d.Catalogue.Name(metadata.Users, token.User), false)
		}
		return cb.Change, core.Answer[struct{}]{}, nil
	})
}
