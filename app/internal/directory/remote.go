package directory

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/problemtracking/problems/app/internal/remote"
	"github.com/problemtracking/problems/domain/access"
)

// onServer reaches the users and tokens of a running server.
type onServer struct{ *remote.Server }

// Remote returns the directory of the server at an address such as
// "http://127.0.0.1:8080", base path included, by a token of scope admin.
func Remote(address string, token access.Secret) (Directory, error) {
	server, err := remote.New(address, token)
	if err != nil {
		return nil, err
	}
	return onServer{server}, nil
}

func (r onServer) Users(ctx context.Context) (users []User, err error) {
	err = r.Call(ctx, http.MethodGet, nil, &users, "users")
	return users, err
}

func (r onServer) AddUser(ctx context.Context, name, email string) (u User, err error) {
	err = r.Call(ctx, http.MethodPost, map[string]any{"name": name, "email": email}, &u, "users")
	return u, err
}

// errLastAdmin refuses lastAdmin on a server.
var errLastAdmin = errors.New("--last-admin works on a store only: leave out --url, and name the store with --store")

func (r onServer) Deactivate(ctx context.Context, userID string, lastAdmin bool) (u User, err error) {
	if lastAdmin {
		return User{}, errLastAdmin
	}
	err = r.Call(ctx, http.MethodPatch, map[string]any{"inactive": true}, &u, "users", userID)
	return u, err
}

func (r onServer) Tokens(ctx context.Context) (tokens []Token, err error) {
	err = r.Call(ctx, http.MethodGet, nil, &tokens, "tokens")
	return tokens, err
}

func (r onServer) CreateToken(ctx context.Context, userID, scope string, expires time.Time) (t Token, err error) {
	body := map[string]any{"user": map[string]any{"identifier": userID}, "scope": scope}
	if !expires.IsZero() {
		body["expires"] = expires
	}
	err = r.Call(ctx, http.MethodPost, body, &t, "tokens")
	return t, err
}

func (r onServer) RevokeToken(ctx context.Context, tokenID string, lastAdmin bool) error {
	if lastAdmin {
		return errLastAdmin
	}
	return r.Call(ctx, http.MethodDelete, nil, nil, "tokens", tokenID)
}
