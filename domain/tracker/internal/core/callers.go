package core

import (
	"context"
	"sync"
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/tracker/internal/changes"
	"github.com/problemtracking/problems/domain/user"
)

// Caller identifies the user of a request, with the token or the session behind it.
type Caller struct {
	User  ident.ID
	Token ident.ID // None for a session begun without a token
	Scope access.Scope
	// Preferences are those of the user of a session (D58).
	Preferences user.Preferences
	// Expires is the end of the token, or of the session. Zero means never.
	Expires time.Time
	// Session is the session of the request (D41). None for a request with a token.
	Session ident.ID
}

// Author returns the caller as the author of a change. A session has no token, also one that began
// with a token (D8).
func (c Caller) Author() changes.Author {
	if !c.Session.IsNone() {
		return changes.Author{User: c.User}
	}
	return changes.Author{User: c.User, Via: c.Token}
}

// CallerOf returns the caller with a token.
func CallerOf(t access.Token) Caller {
	return Caller{User: t.User, Token: t.ID, Scope: t.Scope, Expires: t.Expires}
}

// Lookup returns the token with the given digest, if there is one.
type Lookup func(context.Context, access.Digest) (access.Token, bool, error)

// ValidToken returns the token with this secret. It fails with fault.Unauthenticated unless
// the token is valid.
func (c *Core) ValidToken(ctx context.Context, secret access.Secret, find Lookup) (access.Token, error) {
	if secret == (access.Secret{}) {
		return access.Token{}, Unauthenticated()
	}
	token, ok, err := find(ctx, secret.Digest())
	switch {
	case err != nil:
		return access.Token{}, err
	case !ok || !token.Valid(c.Now()):
		return access.Token{}, Unauthenticated()
	}
	return token, nil
}

// Unauthenticated is the fault of a request without a valid token.
func Unauthenticated() error {
	return fault.New(fault.Unauthenticated, "a valid API token is needed")
}

// SignedOut is the fault of a request without a valid session.
func SignedOut() error { return fault.New(fault.Unauthenticated, "you are not signed in") }

// Uses are the last uses of tokens that the store does not have yet. So a request does not wait
// for a write about its token.
type Uses struct {
	mu sync.Mutex
	at map[ident.ID]time.Time
}

// Note keeps a use, unless there is a later one.
func (u *Uses) Note(token ident.ID, at time.Time) {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.at == nil {
		u.at = make(map[ident.ID]time.Time)
	}
	if at.After(u.at[token]) {
		u.at[token] = at
	}
}

// Take returns the uses, and keeps none.
func (u *Uses) Take() map[ident.ID]time.Time {
	u.mu.Lock()
	defer u.mu.Unlock()
	taken := u.at
	u.at = nil
	return taken
}
