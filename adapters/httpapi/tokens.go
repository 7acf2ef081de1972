package httpapi

import (
	"net/http"

	"github.com/problemtracking/problems/adapters/httpapi/internal/samples"
	"github.com/problemtracking/problems/adapters/httpapi/internal/wire"
	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/tracker"
)

func tokenEndpoints() []endpoint {
	return []endpoint{
		{
			id: "listTokens", method: http.MethodGet, path: "/tokens", tag: "Tokens",
			summary: "List all tokens",
			scope:   access.Admin,
			answers: []result{{status: 200, description: "The tokens, in the order in which they were issued, without their secrets.", of: []wire.Token{},
				example: func(e *wire.Encoder) { wire.List(e, []access.Token{samples.Token}, e.Token) }}},
			do: (*call).listTokens,
		},
		{
			id: "createToken", method: http.MethodPost, path: "/tokens", tag: "Tokens",
			summary:     "Issue a token",
			description: "The answer holds the token itself in its member token. It is shown this once: only a digest is stored. So the answer is not kept, and an Idempotency-Key is refused: " + tokenUnkeyed + ".",
			scope:       access.Admin,
			unkeyed:     tokenUnkeyed,
			bodies:      jsonBody(`{"user":{"email":"ann@example.org"},"scope":"write","expires":"2030-01-01T00:00:00.000Z"}`, wire.NewToken{}),
			answers: []result{{status: 201, description: "The token that was issued.", of: wire.IssuedToken{}, headers: []string{"Dry-Run"},
				example: func(e *wire.Encoder) {
					e.IssuedToken(tracker.IssuedToken{Token: samples.Token, Secret: samples.Secret()})
				}}},
			faults: partialKinds(fault.RequiredField),
			do:     (*call).createToken,
		},
		{
			id: "revokeToken", method: http.MethodDelete, path: "/tokens/{identifier}", tag: "Tokens",
			summary:     "Revoke a token",
			description: "For good. It holds at once in the server that answers, and within two seconds in every other. The last valid token of scope admin cannot be revoked here: create another one first.",
			scope:       access.Admin,
			answers:     []result{{status: 204, description: "The token is revoked.", headers: []string{"Dry-Run"}}},
			faults:      []fault.Kind{fault.NotFound, fault.InUse},
			do:          (*call).revokeToken,
		},
	}
}

// tokenUnkeyed says how to repeat the request for a token. Its answer cannot be stored: a
// reader of the database would have the token.
const tokenUnkeyed = "if no answer has come, list the tokens, revoke the one that was issued, and ask for another"

func (c *call) listTokens() (answer, error) {
	a, err := c.Service.Tokens(c.r.Context())
	return answered(a, err, func(a tracker.Answer[[]access.Token]) answer {
		e := wire.Encoder{Catalogue: a.Catalogue}
		wire.List(&e, a.Value, e.Token)
		return answer{status: http.StatusOK, body: e.Buf}
	})
}

func (c *call) createToken() (answer, error) {
	cmd := tracker.CreateToken{Write: tracker.Write{DryRun: c.dryRun}}
	err := c.decode(&cmd.Faults,
		wire.Member{Name: "user", Into: &cmd.User},
		wire.Member{Name: "scope", Into: &cmd.Scope},
		wire.Member{Name: "expires", Into: &cmd.Expires},
	)
	if err != nil {
		return answer{}, err
	}
	a, err := c.Service.CreateToken(c.r.Context(), c.caller, cmd)
	return answered(a, err, func(a tracker.Answer[tracker.IssuedToken]) answer {
		e := wire.Encoder{Catalogue: a.Catalogue}
		e.IssuedToken(a.Value)
		return answer{status: http.StatusCreated, header: http.Header{"Cache-Control": {"no-store"}}, body: e.Buf}
	})
}

func (c *call) revokeToken() (answer, error) {
	id, err := c.object()
	if err != nil {
		return answer{}, err
	}
	a, err := c.Service.RevokeToken(c.r.Context(), c.caller, id, tracker.Write{DryRun: c.dryRun})
	return answered(a, err, noContent)
}
