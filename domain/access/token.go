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
	// Invitation is true for a token that begins one session, which revokes it, and does
	// nothing else (D41).
	Invitation bool
}

// The life of an invitation: without another wish, and at most.
const (
	InvitationLife     = 7 * 24 * time.Hour
	MostInvitationLife = 30 * 24 * time.Hour
)

// CheckExpiry refuses a token without a time to work: it expires at or before its
// creation. It also refuses an expiry at a time not allowed by CheckTime, and an invitation
// that works for longer than MostInvitationLife. The text of the error ends a sentence for its author.
func (t Token) CheckExpiry() error {
	if !t.Expires.IsZero() && (!t.Expires.After(t.Created) || text.CheckTime(t.Expires) != nil) {
		return errors.New("must be in the future when the token is created, and before the year 10000")
	}
	if t.Invitation && t.Expires.Sub(t.Created) > MostInvitationLife {
		return errors.New("must be at most 30 days after the creation of an invitation")
	}
	return nil
}

// Valid reports whether the token works at the given time.
func (t Token) Valid(at time.Time) bool {
	return t.Revoked.IsZero() && (t.Expires.IsZero() || at.Before(t.Expires))
}
