package mail

import (
	"crypto/hmac"
	"encoding/base64"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/webhook"
)

// macBytes is the length of the proof in a token.
const macBytes = 16

// NewToken returns the token for the links to unsubscribe in a user's mail (RFC 8058). It
// allows nothing else, and never expires. Anybody with a mail of the user has it.
func NewToken(k webhook.Key, who ident.ID) string {
	return base64.RawURLEncoding.EncodeToString(append(who[:], proof(k, who)...))
}

// ReadToken returns the user of a token. ok is false for any other text.
func ReadToken(k webhook.Key, token string) (who ident.ID, ok bool) {
	b, err := base64.RawURLEncoding.Strict().DecodeString(token)
	if err != nil || len(b) != len(who)+macBytes {
		return ident.None, false
	}
	copy(who[:], b)
	if !hmac.Equal(b[len(who):], proof(k, who)) {
		return ident.None, false
	}
	return who, true
}

func proof(k webhook.Key, who ident.ID) []byte {
	return k.Derive("problems mail unsubscribe", who[:])[:macBytes]
}
