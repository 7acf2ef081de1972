package openid

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"

	"github.com/coreos/go-oidc/v3/oidc"
	"golang.org/x/oauth2"
)

// Attempt has the secrets of one sign-in. Each one is 43 or more characters of base64url
// from 256 random bits.
type Attempt struct {
	// State comes back with the browser. It ties the answer to the browser of the question.
	State string
	// Nonce comes back in the signed ID token. It ties the token to this attempt.
	Nonce string
	// Verifier is the secret of PKCE: a stolen code is of no use without it.
	Verifier string
}

// Identity is a person by the word of the provider.
type Identity struct {
	// Email is an address that the provider has verified. It may be in any form.
	Email string
	// Name may be empty, and may have any form.
	Name string
}

// Reason tells why a provider did not identify a person.
type Reason string

// The reasons.
const (
	// Away: the provider does not answer, or not in time.
	Away Reason = "away"
	// Invalid: the answer breaks the protocol, the code is not valid, or the signature is
	// wrong. The settings here or at the provider may be wrong.
	Invalid Reason = "invalid"
	// Unverified: the provider has not verified an e-mail address of this person.
	Unverified Reason = "unverified"
)

// Error is a failed sign-in. Its text is for the log: it may quote the provider.
type Error struct {
	Reason Reason
	Cause  error
}

func (e *Error) Error() string { return string(e.Reason) + ": " + e.Cause.Error() }

func (e *Error) Unwrap() error { return e.Cause }

// URL returns the address at the provider to send the browser to. It fails with an
// *Error.
func (p *Provider) URL(ctx context.Context, a Attempt) (string, error) {
	e, err := p.discover(ctx)
	if err != nil {
		return "", err
	}
	return p.config(e, "").AuthCodeURL(a.State, oidc.Nonce(a.Nonce), oauth2.S256ChallengeOption(a.Verifier)), nil
}

// Identify exchanges a code of the provider for the person. It fails with an *Error.
func (p *Provider) Identify(ctx context.Context, code string, a Attempt) (Identity, error) {
	ctx, cancel := context.WithTimeout(ctx, p.Timeout)
	defer cancel()
	e, err := p.discover(ctx)
	if err != nil {
		return Identity{}, err
	}
	secret, err := p.Secret()
	if err != nil {
		return Identity{}, &Error{Invalid, err}
	}
	ctx = oidc.ClientContext(ctx, p.client)
	tokens, err := p.config(e, secret).Exchange(ctx, code, oauth2.VerifierOption(a.Verifier))
	if err != nil {
		if refused, ok := errors.AsType[*oauth2.RetrieveError](err); ok && refused.Response.StatusCode < http.StatusInternalServerError && refused.Response.StatusCode != http.StatusTooManyRequests {
			return Identity{}, &Error{Invalid, err}
		}
		return Identity{}, &Error{Away, err}
	}
	raw, _ := tokens.Extra("id_token").(string)
	token, err := e.verifier.Verify(ctx, raw)
	if err != nil {
		return Identity{}, &Error{Invalid, err}
	}
	c, err := p.claims(ctx, e, tokens, token, a)
	if err != nil {
		return Identity{}, err
	}
	if c.Email == "" || c.Verified == nil || !*c.Verified {
		return Identity{}, &Error{Unverified, errors.New("the provider names no verified e-mail address")}
	}
	return Identity{Email: c.Email, Name: c.Name}, nil
}

// claims are the statements of a provider about a person.
type claims struct {
	Party    string `json:"azp"`
	Email    string `json:"email"`
	Verified *flag  `json:"email_verified"` // nil: the provider does not say
	Name     string `json:"name"`
}

// claims returns the statements of the ID token, after the checks that the library leaves
// to its callers. Some providers tell the address, or whether they
// have verified it, only at their UserInfo endpoint.
func (p *Provider) claims(ctx context.Context, e *endpoints, tokens *oauth2.Token, token *oidc.IDToken, a Attempt) (claims, error) {
	var c claims
	if err := token.Claims(&c); err != nil {
		return c, &Error{Invalid, err}
	}
	switch {
	case a.Nonce == "" || token.Nonce != a.Nonce:
		return c, &Error{Invalid, errors.New("the ID token has the nonce of another sign-in")}
	case c.Party != "" && c.Party != p.ClientID, c.Party == "" && len(token.Audience) > 1:
		return c, &Error{Invalid, fmt.Errorf("the ID token is for another client: azp is %q, aud %q", c.Party, token.Audience)}
	case c.Email != "" && c.Verified != nil || e.provider.UserInfoEndpoint() == "":
		return c, nil
	}
	if err := p.checkEndpoint(e.provider.UserInfoEndpoint()); err != nil {
		return c, &Error{Invalid, err}
	}
	info, err := e.provider.UserInfo(ctx, oauth2.StaticTokenSource(tokens))
	if err != nil {
		return c, &Error{Away, err}
	}
	if info.Subject == "" || info.Subject != token.Subject { // or another person's answer could be put in its place
		return c, &Error{Invalid, errors.New("the UserInfo endpoint answers about another person than the ID token")}
	}
	var told claims // whether the address is verified counts only beside the address
	if err := info.Claims(&told); err != nil {
		return c, &Error{Invalid, err}
	}
	told.Name = cmp.Or(told.Name, c.Name)
	return told, nil
}

// flag is a truth value. Some providers write it as text.
type flag bool

// UnmarshalJSON takes true and "true" for true, and everything else for false.
func (f *flag) UnmarshalJSON(text []byte) error {
	var value any
	err := json.Unmarshal(text, &value)
	*f = value == true || value == "true"
	return err
}
