package admin

import (
	"context"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
)

// Authenticate returns the caller with the secret of a token. The zero Secret and the
// secret of an invitation belong to no caller. The error is the same for every refused
// secret, of kind fault.Unauthenticated (D17).
func (s *Service) Authenticate(ctx context.Context, secret access.Secret) (core.Caller, error) {
	return s.authenticate(ctx, secret, s.core.Tokens.WithDigest)
}

// Recognize is Authenticate without a read of the store for each unknown token. So
// unknown tokens cannot overload the store. A token made by another process becomes
// known within tracker.Options.CacheFor.
func (s *Service) Recognize(ctx context.Context, secret access.Secret) (core.Caller, error) {
	return s.authenticate(ctx, secret, s.core.Tokens.Known)
}

func (s *Service) authenticate(ctx context.Context, secret access.Secret, find core.Lookup) (core.Caller, error) {
	token, err := s.core.ValidToken(ctx, secret, find)
	switch {
	case err != nil:
		return core.Caller{}, err
	case token.Invitation:
		return core.Caller{}, core.Unauthenticated()
	}
	s.core.Uses.Note(token.ID, s.core.Now())
	return core.CallerOf(token), nil
}
