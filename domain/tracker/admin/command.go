package admin

import (
	"time"

	"github.com/problemtracking/problems/domain/access"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/patch"
	"github.com/problemtracking/problems/domain/tracker/internal/core"
)

// CreateToken is the command of POST /tokens.
type CreateToken struct {
	core.Write
	User    patch.Field[metadata.Partial]
	Scope   patch.Field[string]
	Expires patch.Field[time.Time]
	// Invitation asks for a token that signs in once.
	Invitation patch.Field[bool]
	Name       patch.Field[string] // null or left out: none
}

// CreateOwnToken is the command of POST /me/tokens (D50).
type CreateOwnToken struct {
	core.Write
	Scope   patch.Field[string]
	Expires patch.Field[time.Time] // null or left out: the latest
	Name    patch.Field[string]    // null or left out: none
}

// IssuedToken is a new token with its secret. The secret cannot be read again.
type IssuedToken struct {
	access.Token
	Secret access.Secret
}
