package tracker

import (
	"context"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
)

// Authenticate returns the caller whose token has the secret. The zero Secret belongs to
// nobody. For each reason to refuse a secret, the error is the same, of kind
// fault.Unauthenticated (D17).
func (s *Service) Authenticate(ctx context.Context, secret access.Secret) (Caller, error) {
	return s.authenticate(ctx, secret, s.cache.token)
}

// Recognize is Authenticate without a question to the store for each token that it
// does not know: nobody can keep the store busy by it. A token that another process
// made can take Options.CacheFor to be known.
func (s *Service) Recognize(ctx context.Context, secret access.Secret) (Caller, error) {
	return s.authenticate(ctx, secret, s.cache.knownToken)
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
