package tracker

import (
	"context"
	"slices"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
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

func (s *Service) authenticate(ctx context.Context, secret access.Secret, find core.Lookup) (Caller, error) {
	token, err := s.core.ValidToken(ctx, secret, find)
	switch {
	case err != nil:
		return Caller{}, err
	case token.Invitation:
		return Caller{}, core.Unauthenticated()
	}
	s.core.Uses.Note(token.ID, s.core.Now())
	return CallerOf(token), nil
}

// CallerOf returns the caller with a token.
func CallerOf(t access.Token) Caller {
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
			return core.Unauthenticated()
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
		err = core.SignedOut()
	}
	return err
}
