package access

import (
	"crypto/sha256"
	"errors"
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/text"
)

// Digest is the SHA-256 of a secret. Stores hold nothing else of it.
type Digest [sha256.Size]byte

// Token is the record of an issued token. It holds no secret.
type Token struct {
	ID      ident.ID
	User    ident.ID // the user of its requests
	Scope   Scope
	Digest  Digest
	Created time.Time
	Expires time.Time // zero: never
	Revoked time.Time // zero: not revoked
}

// CheckExpiry refuses a token without a time to work: it expires at or before its
// creation. It also refuses an expiry at a time not allowed by CheckTime. The text of
// the error ends a sentence for its author.
func (t Token) CheckExpiry() error {
	if !t.Expires.IsZero() && (!t.Expires.After(t.Created) || text.CheckTime(t.Expires) != nil) {
		return errors.New("must be in the future when the token is created, and before the year 10000")
	}
	return nil
}

// Valid reports whether the token works at the given time.
func (t Token) Valid(at time.Time) bool {
	return t.Revoked.IsZero() && (t.Expires.IsZero() || at.Before(t.Expires))
}
