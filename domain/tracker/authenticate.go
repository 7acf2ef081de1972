package tracker

import (
	"context"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
)

// Authenticate returns the caller with the secret of a token. The zero Secret belongs
// to no caller. The error is the same for every refused secret, of kind
// fault.Unauthenticated (D17).
func (s *Service) Authenticate(ctx context.Context, secret access.Secret) (Caller, error) {
	return s.authenticate(ctx, secret, s.tokens.WithDigest)
}

// Recognize is Authenticate without a read of the store for each unknown token. So
// unknown tokens cannot overload the store. A token made by another process becomes
// known within Options.CacheFor.
func (s *Service) Recognize(ctx context.Context, secret access.Secret) (Caller, error) {
	return s.authenticate(ctx, secret, s.tokens.Known)
}

// lookup returns the token with the given digest, if there is one.
type lookup func(context.Context, access.Digest) (access.Token, bool, error)

func (s *Service) authenticate(ctx context.Context, secret access.Secret, find lookup) (Caller, error) {
	if secret == (access.Secret{}) {
		return Caller{}, unauthenticated()
	}
	token, ok, err := find(ctx, secret.Digest())
	switch {
	case err != nil:
		return Caller{}, err
	case !ok || !token.Valid(s.now()):
		return Caller{}, unauthenticated()
	}
	return Caller{User: token.User, Token: token.ID, Scope: token.Scope, Expires: token.Expires}, nil
}

func unauthenticated() error {
	return fault.New(fault.Unauthenticated, "a valid API token is needed")
}
