package access

import (
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/problemtracking/problems/domain/ident"
)

// SessionKey is the secret of a session: 256 random bits (D41). Its text is in base64url
// without padding, for a cookie. A mask replaces it wherever it is printed, logged or
// encoded. The zero SessionKey is that of no session.
type SessionKey struct {
	// text is behind a pointer for the same reason as in Secret.
	text *string
}

const sessionKeyLength = 43 // characters of 32 bytes

// NewSessionKey returns the key with the given random bytes.
func NewSessionKey(random [32]byte) SessionKey {
	text := base64.RawURLEncoding.EncodeToString(random[:])
	return SessionKey{&text}
}

// ErrSessionKey reports a text in another form than a key, without repeating any of it.
var ErrSessionKey = errors.New("not a session key: 43 characters of base64url")

// ParseSessionKey reads a key. Each key has one text. The error is always [ErrSessionKey].
func ParseSessionKey(text string) (SessionKey, error) {
	if len(text) != sessionKeyLength || strings.ContainsAny(text, "\r\n") {
		return SessionKey{}, ErrSessionKey
	}
	if _, err := base64.RawURLEncoding.Strict().DecodeString(text); err != nil {
		return SessionKey{}, ErrSessionKey
	}
	valid := text
	return SessionKey{&valid}, nil
}

// Reveal returns the text of the key; it is empty for the zero SessionKey. Only the cookie
// of its browser may hold it.
func (k SessionKey) Reveal() string {
	if k.text == nil {
		return ""
	}
	return *k.text
}

// Digest returns the stored form of the key.
func (k SessionKey) Digest() Digest { return sha256.Sum256([]byte(k.Reveal())) }

const sessionMask = "session…"

// Format writes a mask for every verb.
func (k SessionKey) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, sessionMask) }

// MarshalText returns a mask, for encoders and logs.
func (k SessionKey) MarshalText() ([]byte, error) { return []byte(sessionMask), nil }

// MostAgent is the greatest length of Session.Agent, in characters.
const MostAgent = 255

// Session is a signed-in browser (D41). It holds no secret.
type Session struct {
	ID   ident.ID
	User ident.ID // the user of its requests
	// Token is the token of the sign-in: the session ends with it. None for a sign-in
	// without a token.
	Token   ident.ID
	Scope   Scope
	Digest  Digest
	Agent   string // how the browser calls itself, at most MostAgent characters; can be empty
	Created time.Time
	Expires time.Time // never zero
}

// Valid reports whether the session works at the given time, as far as it knows: its
// token and its user have to be valid too.
func (s Session) Valid(at time.Time) bool { return at.Before(s.Expires) }
