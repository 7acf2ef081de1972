package tracker

import (
	"context"
	"slices"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
)

// Authenticate returns the caller with the secret of a token. The zero Secret and the
// secret of an invitation belong to no caller. The error is the same for every refused
// secret, of kind fault.Unauthenticated (D17).
func (s *Service) Authenticate(ctx context.Context, secret access.Secret) (Caller, error) {
	return s.authenticate(ctx, secret, s.core.Tokens.WithDigest)
}

// Recognize is Authenticate without a read of the store for each unknown token. So
// unknown tokens cannot overload the store. A token made by another process becomes
// known within Options.CacheFor.
func (s *Service) Recognize(ctx context.Context, secret access.Secret) (Caller, error) {
	return s.authenticate(ctx, secret, s.core.Tokens.Known)
}

// lookup returns the token with the given digest, if there is one.
type lookup func(context.Context, access.Digest) (access.Token, bool, error)

func (s *Service) authenticate(ctx context.Context, secret access.Secret, find lookup) (Caller, error) {
	token, err := s.validToken(ctx, secret, find)
	switch {
	case err != nil:
		return Caller{}, err
	case token.Invitation:
		return Caller{}, unauthenticated()
	}
	s.uses.note(token.ID, s.core.Now())
	return callerOf(token), nil
}

// validToken returns the token with this secret. It fails with fault.Unauthenticated unless
// the token is valid.
func (s *Service) validToken(ctx context.Context, secret access.Secret, find lookup) (access.Token, error) {
	if secret == (access.Secret{}) {
		return access.Token{}, unauthenticated()
	}
	token, ok, err := find(ctx, secret.Digest())
	switch {
	case err != nil:
		return access.Token{}, err
	case !ok || !token.Valid(s.core.Now()):
		return access.Token{}, unauthenticated()
	}
	return token, nil
}

func callerOf(t access.Token) Caller {
	return Caller{User: t.User, Token: t.ID, Scope: t.Scope, Expires: t.Expires}
}

// recheck fails with fault.Unauthenticated if the token or the session of a caller has ended
// since the request began. It is for requests that take long.
func (s *Service) recheck(ctx context.Context, caller Caller) error {
	if !caller.Token.IsNone() {
		token, ok, err := s.core.Tokens.WithID(ctx, caller.Token)
		if err != nil {
			return err
		}
		if !ok || !token.Valid(s.core.Now()) {
			return unauthenticated()
		}
	}
	if caller.Session.IsNone() {
		return nil
	}
	valid := false
	err := s.core.Store.View(ctx, func(r store.Reader) error {
		of, err := r.Sessions(ctx, caller.User)
		if err != nil {
			return err
		}
		c, err := s.core.Catalogues.Now(ctx, r)
		if err == nil {
			u, known := c.User(caller.User)
			valid = known && !u.Inactive && slices.ContainsFunc(of, func(session access.Session) bool {
				return session.ID == caller.Session && session.Valid(s.core.Now())
			})
		}
		return err
	})
	if err == nil && !valid {
		err = signedOut()
	}
	return err
}

func unauthenticated() error {
	return fault.New(fault.Unauthenticated, "a valid API token is needed")
}
