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
	// Name tells the user's tokens apart; empty: it has none.
	Name string
	// LastUse is when a request last had the token; zero: none had. It can be behind by a minute.
	LastUse time.Time
}

// The life of an invitation: without another wish, and at most.
const (
	InvitationLife     = 7 * 24 * time.Hour
	MostInvitationLife = 30 * 24 * time.Hour
)

// CheckExpiry refuses a token without a time to work: it expires at or before its
// creation. It also refuses an expiry at a time not allowed by CheckTime, and an invitation
// that works for longer than MostInvitationLife. The text of the error ends a sentence for
// its author.
func (t Token) CheckExpiry() error {
	if !t.Expires.IsZero() && (!t.Expires.After(t.Created) || text.CheckTime(t.Expires) != nil) {
		return errors.New("must be in the future when the token is created, and before the year 10000")
	}
	if t.Invitation && t.Expires.Sub(t.Created) > MostInvitationLife {
		return errors.New("must be at most 30 days after the creation of an invitation")
	}
	return nil
}

// The bounds of tokens that people make for themselves.
const (
	// MostOwnLife is the longest life of such a token.
	MostOwnLife = 90 * 24 * time.Hour
	// MostOwn is the largest number of tokens that a user makes within MostOwnLife.
	MostOwn = 100
)

// Own is how a caller makes a token for itself.
type Own struct {
	Scope Scope // of the caller
	// Expires is the end of the caller's token, also of one that began a session; zero: none.
	Expires time.Time
}

// Latest returns the latest expiry of a token made at this time. It is not after the end of the
// caller's token: a token cannot make itself last longer.
func (o Own) Latest(at time.Time) time.Time {
	latest := at.Add(MostOwnLife)
	if !o.Expires.IsZero() && o.Expires.Before(latest) {
		return o.Expires
	}
	return latest
}

// Check refuses a greater scope than that of the caller. The text of the error ends a sentence.
func (o Own) Check(wanted Scope) error {
	if !o.Scope.Covers(wanted) {
		return errors.New("cannot be greater than your own: " + string(o.Scope))
	}
	return nil
}

// Crowded reports whether the user has made as many tokens lately as people may.
func Crowded(tokens []Token, user ident.ID, at time.Time) bool {
	made := 0
	for _, t := range tokens {
		if t.User == user && t.Created.After(at.Add(-MostOwnLife)) {
			made++
		}
	}
	return made >= MostOwn
}

// Valid reports whether the token works at the given time.
func (t Token) Valid(at time.Time) bool {
	return t.Revoked.IsZero() && (t.Expires.IsZero() || at.Before(t.Expires))
}
