package directory

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"time"

	"github.com/problemtracking/problems/adapters/client"
	"github.com/problemtracking/problems/domain/access"
)

// onServer reaches the users and tokens of a running server.
type onServer struct{ *client.Client }

// Remote returns the directory of the server at an address such as
// "http://127.0.0.1:8080", base path included, by a token of scope admin.
func Remote(address string, token access.Secret) (Directory, error) {
	c, err := client.New(address, client.Options{Token: token.Reveal()})
	if err != nil {
		return nil, err
	}
	return onServer{c}, nil
}

func (r onServer) Users(ctx context.Context) ([]User, error) {
	return client.List[User](ctx, r.Client, "users")
}

func (r onServer) AddUser(ctx context.Context, name, email string) (u User, err error) {
	_, err = r.Do(ctx, client.Request{
		Method: http.MethodPost, Path: []string{"users"}, Body: map[string]any{"name": name, "email": email}, Key: client.NewKey(),
	}, &u)
	return u, err
}

// errLastAdmin refuses lastAdmin on a server.
var errLastAdmin = errors.New("--last-admin works on a store only: leave out --url, and name the store with --store")

func (r onServer) Deactivate(ctx context.Context, userID string, lastAdmin bool) (u User, err error) {
	if lastAdmin {
		return User{}, errLastAdmin
	}
	_, err = r.Do(ctx, client.Request{Method: http.MethodPatch, Path: []string{"users", userID}, Body: map[string]any{"inactive": true}}, &u)
	return u, err
}

// Erase implements Directory.
func (r onServer) Erase(ctx context.Context, userID string, dryRun, lastAdmin bool) (e Erasure, err error) {
	if lastAdmin {
		return Erasure{}, errLastAdmin
	}
	request := client.Request{Method: http.MethodPost, Path: []string{"users", userID, "erasure"}}
	if dryRun {
		request.Query = url.Values{"dryRun": {"true"}}
	}
	_, err = r.Do(ctx, request, &e)
	return e, err
}

func (r onServer) Tokens(ctx context.Context) ([]Token, error) {
	return client.List[Token](ctx, r.Client, "tokens")
}

func (r onServer) CreateToken(ctx context.Context, userID, scope, name string, expires time.Time) (t Token, err error) {
	body := map[string]any{"user": map[string]any{"identifier": userID}, "scope": scope}
	if name != "" {
		body["name"] = name
	}
	if !expires.IsZero() {
		body["expires"] = expires
	}
	_, err = r.Do(ctx, client.Request{Method: http.MethodPost, Path: []string{"tokens"}, Body: body}, &t)
	return t, err
}

func (r onServer) RevokeToken(ctx context.Context, tokenID string, lastAdmin bool) error {
	if lastAdmin {
		return errLastAdmin
	}
	_, err := r.Do(ctx, client.Request{Method: http.MethodDelete, Path: []string{"tokens", tokenID}}, nil)
	return err
}
