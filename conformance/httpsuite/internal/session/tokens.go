package session

import (
	"regexp"
	"strings"
)

// Token issues a token for a user.
func (s *Session) Token(user, scope string) string {
	s.Helper()
	return Secret(s.Admin.Post("/tokens",
		Encode(map[string]any{"user": map[string]any{"identifier": user}, "scope": scope})).Is(201))
}

// Secret returns the token in the answer to POST /tokens.
func Secret(a *Answer) string {
	a.T.Helper()
	return a.Text("/token")
}

// TokenForm is the form of tokens (D17).
var TokenForm = regexp.MustCompile(`^pts_[0-9A-Za-z]{49}$`)

// SecretForm is the beginning of a token (D17), in any letter case.
var SecretForm = regexp.MustCompile(`(?i)pts_[0-9a-z]{6,}`)

// Hide masks the given secrets in a text, and all texts in the form of a token.
func Hide(text string, secrets ...string) string {
	for _, secret := range secrets {
		if len(secret) >= 6 { // shorter texts are no secrets, and may stand anywhere
			text = strings.ReplaceAll(text, secret, "$TOKEN")
		}
	}
	return SecretForm.ReplaceAllString(text, "$$TOKEN")
}
