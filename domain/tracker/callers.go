package tracker

import (
	"context"
	"slices"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/store"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
)

// TokenNames returns a function for the names of the tokens of authors (D8, D49). It loads the tokens
// once, for the first identifier that is not None, and is for one goroutine. The names may be behind
// by Options.CacheFor. While the store is away, no token has one.
func (s *Service) TokenNames(ctx context.Context) func(ident.ID) string {
	var all map[ident.ID]access.Token
	loaded := false
	return func(id ident.ID) string {
		if !loaded && !id.IsNone() {
			all, _ = s.core.Tokens.All(ctx) // without them, no token has a name
			loaded = true
		}
		return all[id].Name
	}
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
