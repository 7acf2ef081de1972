package directory

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/problemtracking/problems/adapters/httpapi"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
)

// remote reaches the users and tokens of a running server.
type remote struct {
	base   *url.URL
	token  access.Secret
	client *http.Client
}

// Remote returns the directory of the server at an address such as
// "http://127.0.0.1:8080", base path included, by a token of scope admin.
func Remote(address string, token access.Secret) (Directory, error) {
	base, err := url.Parse(address)
	if err != nil || base.Scheme != "http" && base.Scheme != "https" || base.Host == "" || base.User != nil || base.RawQuery != "" || base.Fragment != "" {
		return nil, errors.New("the address of a server looks like http://127.0.0.1:8080")
	}
	return &remote{base: base, token: token, client: &http.Client{
		Timeout: time.Minute,
		// The token is for this server alone, and a redirected write is
		// easily lost.
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}, nil
}

func (r *remote) Close() error {
	r.client.CloseIdleConnections()
	return nil
}

func (r *remote) Users(ctx context.Context) (users []User, err error) {
	err = r.do(ctx, http.MethodGet, nil, &users, "users")
	return users, err
}

func (r *remote) AddUser(ctx context.Context, name, email string) (u User, err error) {
	err = r.do(ctx, http.MethodPost, map[string]any{"name": name, "email": email}, &u, "users")
	return u, err
}

// errLastAdmin refuses lastAdmin on a server.
var errLastAdmin = errors.New("--last-admin works on a store only: leave out --url, and name the store with --store")

func (r *remote) Deactivate(ctx context.Context, userID string, lastAdmin bool) (u User, err error) {
	if lastAdmin {
		return User{}, errLastAdmin
	}
	err = r.do(ctx, http.MethodPatch, map[string]any{"inactive": true}, &u, "users", userID)
	return u, err
}

func (r *remote) Tokens(ctx context.Context) (tokens []Token, err error) {
	err = r.do(ctx, http.MethodGet, nil, &tokens, "tokens")
	return tokens, err
}

func (r *remote) CreateToken(ctx context.Context, userID, scope string, expires time.Time) (t Token, err error) {
	body := map[string]any{"user": map[string]any{"identifier": userID}, "scope": scope}
	if !expires.IsZero() {
		body["expires"] = expires
	}
	err = r.do(ctx, http.MethodPost, body, &t, "tokens")
	return t, err
}

func (r *remote) RevokeToken(ctx context.Context, tokenID string, lastAdmin bool) error {
	if lastAdmin {
		return errLastAdmin
	}
	return r.do(ctx, http.MethodDelete, nil, nil, "tokens", tokenID)
}

// do sends a request with body, unless it is nil, as JSON, and decodes the answer into
// answer, unless that is nil. The path is below the version of the API.
func (r *remote) do(ctx context.Context, method string, body, answer any, path ...string) error {
	var content io.Reader
	if body != nil {
		encoded, err := json.Marshal(body)
		if err != nil {
			return err
		}
		content = bytes.NewReader(encoded)
	}
	for i, segment := range path {
		path[i] = url.PathEscape(segment)
	}
	request, err := http.NewRequestWithContext(ctx, method, r.base.JoinPath("api", httpapi.Version).JoinPath(path...).String(), content)
	if err != nil {
		return err
	}
	request.Header.Set("Authorization", r.token.Reveal())
	request.Header.Set("Content-Type", "application/json")
	response, err := r.client.Do(request)
	if err != nil {
		if e, ok := errors.AsType[*url.Error](err); ok {
			err = e.Err
		}
		return fmt.Errorf("the server at %s does not answer: %w", r.base, err)
	}
	defer response.Body.Close()
	if response.StatusCode < 200 || response.StatusCode > 299 {
		return refusal(response)
	}
	if answer == nil {
		return nil
	}
	if err := json.NewDecoder(response.Body).Decode(answer); err != nil {
		return fmt.Errorf("the server at %s does not answer as this service does: %w", r.base, err)
	}
	return nil
}

// refusal returns an error of the API (D18).
func refusal(response *http.Response) error {
	var problem struct {
		Detail string
		Errors []struct{ Pointer, Detail string }
	}
	err := json.NewDecoder(io.LimitReader(response.Body, 1<<20)).Decode(&problem)
	if err != nil || problem.Detail == "" {
		return fmt.Errorf("the server answered %s", response.Status)
	}
	all := &fault.Error{Detail: problem.Detail}
	for _, e := range problem.Errors {
		all.Items = append(all.Items, fault.Item{At: location(e.Pointer), Detail: e.Detail})
	}
	return sentence(all)
}

// location returns the place of a JSON Pointer (RFC 6901). A number is an element: no
// member of this API has one for a name.
func location(pointer string) (at fault.Location) {
	for segment := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		index, err := strconv.Atoi(segment)
		switch {
		case segment == "":
		case err == nil:
			at = at.Element(index)
		default:
			at = at.Member(strings.NewReplacer("~1", "/", "~0", "~").Replace(segment))
		}
	}
	return at
}
