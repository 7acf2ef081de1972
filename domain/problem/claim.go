package problem

import (
	"encoding/json"
	"time"

	"github.com/problemtracking/problems/domain/ident"
)

// Claim says who works on a problem now (D49). The zero Claim is none.
type Claim struct {
	// ID distinguishes the claim from all others of the problem, before and after it. A write
	// that names it is refused once somebody else has the claim.
	ID     ident.ID
	Holder ident.ID // the user
	// Via is the token that took it. None: it was taken in a session.
	Via ident.ID
	// Expires is the end of its lease. The holder keeps the claim until somebody takes it.
	Expires time.Time
}

// The limits of a lease, in seconds, and the time after its end during which nobody else can
// take the claim (D49). The clocks of servers differ.
const (
	MinLease   = 30
	MaxLease   = 86_400
	ClaimGrace = 5 * time.Second
)

// Taken reports whether nobody can take the claim at a time. There is no claim, or it has
// ended long enough ago, if it is false.
func (c Claim) Taken(now time.Time) bool { return !c.ID.IsNone() && now.Before(c.FreeFrom()) }

// FreeFrom returns the time from which somebody else can take the claim.
func (c Claim) FreeFrom() time.Time { return c.Expires.Add(ClaimGrace) }

// Log returns the value for the claim, or null for none. holder is [LogRef] of its holder.
func (c Claim) Log(holder LogValue) LogValue {
	if c.ID.IsNone() {
		return ""
	}
	return LogObject(LogMember{"identifier", LogText(c.ID.String())}, LogMember{"holder", holder}, LogMember{"expires", LogTime(c.Expires)})
}

// Claim returns the claim in a value of [Claim.Log], without Via. ok is false for any other
// value.
func (v LogValue) Claim() (c Claim, ok bool) {
	var shown struct {
		Identifier string          `json:"identifier"`
		Holder     json.RawMessage `json:"holder"`
		Expires    time.Time       `json:"expires"`
	}
	if json.Unmarshal([]byte(v.JSON()), &shown) != nil {
		return Claim{}, false
	}
	id, err := ident.Parse(shown.Identifier)
	holder, ok := LogValue(shown.Holder).Ref()
	return Claim{ID: id, Holder: holder, Expires: shown.Expires}, ok && err == nil && !shown.Expires.IsZero()
}
