package tracker

import (
	"context"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
)

// Authenticate returns the caller whose token is in the value of an
// Authorization header. Whatever is wrong with the token, the error is the same,
// of kind fault.Unauthenticated (D17).
func (s *Service) Authenticate(ctx context.Context, header string) (Caller, error) {
	secret, err := access.ParseCredential(header)
	if err != nil {
		return Caller{}, unauthenticated()
	}
	token, ok, err := s.cache.token(ctx, secret.Digest())
	switch {
	case err != nil:
		return Caller{}, err
	case !ok || !token.Valid(s.now()):
		return Caller{}, unauthenticated()
	}
	return Caller{User: token.User, Token: token.ID, Scope: token.Scope, Expires: token.Expires}, nil
}

func unauthenticated() error {
	return fault.New(fault.Unauthenticated, "a valid API token is needed in the Authorization header")
}
