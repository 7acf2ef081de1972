package httpapi

import (
	"context"
	"net/http"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/tracker"
	"github.com/problemtracking/problems/domain/tracker/admin"
)

func (s *server) registerTokens() {
	tags := []string{"Tokens"}
	register(s, huma.Operation{
		OperationID: "listTokens", Method: http.MethodGet, Path: "/tokens", Tags: tags,
		Summary:   "List all tokens",
		Security:  needs(access.Admin),
		Responses: responses{"200": {Description: "The tokens, in the order in which they were issued, without their secrets."}},
		Metadata:  about(func(e *wire.Encoder) { wire.List(e, []access.Token{samples.Token}, e.Token) }),
	}, s.listTokens)
	register(s, huma.Operation{
		OperationID: "createToken", Method: http.MethodPost, Path: "/tokens", Tags: tags,
		Summary:     "Issue a token",
		Description: "The answer holds the token itself in its member token. It is shown this once: only a digest is stored. So the answer is not kept, and an Idempotency-Key is refused: " + tokenUnkeyed + ".",
		Security:    needs(access.Admin),
		Responses:   responses{"201": {Description: "The token that was issued."}},
		Metadata: about(func(e *wire.Encoder) {
			e.IssuedToken(admin.IssuedToken{Token: samples.Token, Secret: samples.Secret()})
		}, partialKinds(fault.RequiredField)...).
			json(`{"user":{"email":"ann@example.org"},"scope":"write","name":"CI","expires":"2030-12-31T23:59:59.999Z"}`, wire.NewToken{}).
			unkeyed(tokenUnkeyed),
	}, s.createToken)
	register(s, huma.Operation{
		OperationID: "revokeToken", Method: http.MethodDelete, Path: "/tokens/{identifier}", Tags: tags,
		Summary:     "Revoke a token",
		Description: "For good. It holds at once in the server that answers, and within two seconds in every other. The last valid token of scope admin cannot be revoked here: create another one first.",
		Security:    needs(access.Admin),
		Responses:   responses{"204": {Description: "The token is revoked."}},
		Metadata:    about(nil, fault.NotFound, fault.InUse),
	}, s.revokeToken)
}

// registerOwnTokens registers the operations of D50.
func (s *server) registerOwnTokens() {
	const path = "/me/tokens"
	tags := []string{"Tokens"}
	register(s, huma.Operation{
		OperationID: "listOwnTokens", Method: http.MethodGet, Path: path, Tags: tags,
		Summary:   "List the own tokens",
		Security:  needs(access.Read),
		Responses: responses{"200": {Description: "The tokens of the user of the token, in the order in which they were issued, without their secrets."}},
		Metadata:  about(func(e *wire.Encoder) { wire.List(e, []access.Token{samples.Token}, e.Token) }),
	}, s.listOwnTokens)
	register(s, huma.Operation{
		OperationID: "createOwnToken", Method: http.MethodPost, Path: path, Tags: tags,
		Summary: "Issue a token for oneself",
		Description: "With the scope of the request at most, for 90 days at most, and not for longer than the token of the request. A user makes at most 100 tokens in 90 days. " +
			"The token is shown this once: only a digest is stored. So the answer is not kept, and an Idempotency-Key is refused: " + tokenUnkeyed + ".",
		Security:  needs(access.Read),
		Responses: responses{"201": {Description: "The token that was issued."}},
		Metadata: about(func(e *wire.Encoder) {
			token := samples.Token
			token.Scope, token.Expires = access.Read, samples.Time.Add(30*24*time.Hour)
			e.IssuedToken(admin.IssuedToken{Token: token, Secret: samples.Secret()})
		}, fault.RequiredField, fault.UnknownField, fault.ValidationFailed).
			json(`{"scope":"read","name":"CI","expires":"`+samples.Time.Add(30*24*time.Hour).Format("2006-01-02T15:04:05.000Z")+`"}`, wire.NewOwnToken{}).
			unkeyed(tokenUnkeyed),
	}, s.createOwnToken)
	register(s, huma.Operation{
		OperationID: "revokeOwnToken", Method: http.MethodDelete, Path: path + "/{identifier}", Tags: tags,
		Summary:     "Revoke an own token",
		Description: "For good, as an administrator does. The token of the request can be revoked, too.",
		Security:    needs(access.Read),
		Responses:   responses{"204": {Description: "The token is revoked."}},
		Metadata:    about(nil, fault.NotFound, fault.InUse),
	}, s.revokeOwnToken)
}

func (s *server) listOwnTokens(ctx context.Context, in *Request) (*output[[]wire.Token], error) {
	a, err := s.Service.OwnTokens(ctx, in.caller)
	return one[[]wire.Token](a, err, func(e *wire.Encoder, all []access.Token) { wire.List(e, all, e.Token) })
}

func (s *server) createOwnToken(ctx context.Context, in *writeInput) (*secretOutput[wire.IssuedToken], error) {
	cmd := admin.CreateOwnToken{Write: in.write()}
	if err := in.decode(&cmd.Faults, wire.Member{Name: "scope", Into: &cmd.Scope}, wire.Member{Name: "expires", Into: &cmd.Expires}, wire.Member{Name: "name", Into: &cmd.Name}); err != nil {
		return nil, err
	}
	a, err := s.Service.CreateOwnToken(ctx, in.caller, cmd)
	return secret[wire.IssuedToken](a, err, (*wire.Encoder).IssuedToken)
}

func (s *server) revokeOwnToken(ctx context.Context, in *changeInput) (*noContent, error) {
	return remove(ctx, in, s.Service.RevokeOwnToken)
}

// tokenUnkeyed says how to repeat the request for a token. Its answer cannot be stored: a
// reader of the database would have the token.
const tokenUnkeyed = "if no answer has come, list the tokens, revoke the one that was issued, and ask for another"

func (s *server) listTokens(ctx context.Context, _ *Request) (*output[[]wire.Token], error) {
	a, err := s.Service.Tokens(ctx)
	return one[[]wire.Token](a, err, func(e *wire.Encoder, all []access.Token) { wire.List(e, all, e.Token) })
}

type secretOutput[W any] struct {
	Uncached
	Body wire.JSON[W]
}

// secret returns the answer with a secret, which is shown this once.
func secret[W, T any](a tracker.Answer[T], err error, encode func(*wire.Encoder, T)) (*secretOutput[W], error) {
	if err != nil {
		return nil, err
	}
	return &secretOutput[W]{uncached, wire.One[W](a.Catalogue, encode, a.Value)}, nil
}

func (s *server) createToken(ctx context.Context, in *writeInput) (*secretOutput[wire.IssuedToken], error) {
	cmd := admin.CreateToken{Write: in.write()}
	err := in.decode(&cmd.Faults,
		wire.Member{Name: "user", Into: &cmd.User},
		wire.Member{Name: "scope", Into: &cmd.Scope},
		wire.Member{Name: "expires", Into: &cmd.Expires},
		wire.Member{Name: "name", Into: &cmd.Name},
		wire.Member{Name: "invitation", Into: &cmd.Invitation},
	)
	if err != nil {
		return nil, err
	}
	a, err := s.Service.CreateToken(ctx, in.caller, cmd)
	return secret[wire.IssuedToken](a, err, (*wire.Encoder).IssuedToken)
}

func (s *server) revokeToken(ctx context.Context, in *changeInput) (*noContent, error) {
	return remove(ctx, in, s.Service.RevokeToken)
}
