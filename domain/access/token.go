package access

import (
	"crypto/sha256"
	"time"

	"github.com/problemtracking/problems/domain/ident"
)

// Digest is the SHA-256 of a secret: all that is ever stored of it.
type Digest [sha256.Size]byte

// Token is the record of a token that was issued. It holds no secret.
type Token struct {
	ID      ident.ID
	User    ident.ID // whom its requests act for
	Scope   Scope
	Digest  Digest
	Created time.Time
	Expires time.Time // zero: never
	Revoked time.Time // zero: not revoked
}

// Valid reports whether the token works at the given time.
func (t Token) Valid(at time.Time) bool {
	return t.Revoked.IsZero() && (t.Expires.IsZero() || at.Before(t.Expires))
}
