// Package directory reaches the users and tokens of a service, in a store or on a running
// server.
package directory

import (
	"context"
	"fmt"
	"time"

	"github.com/problemtracking/problems/adapters/client"
	"github.com/problemtracking/problems/domain/text"
	"github.com/problemtracking/problems/domain/user"
)

// Directory has the command line's operations on users and tokens. The errors are
// sentences for the person at the terminal.
type Directory interface {
	// Users returns all users, by name.
	Users(ctx context.Context) ([]User, error)
	// AddUser creates a user.
	AddUser(ctx context.Context, name, email string) (User, error)
	// Deactivate makes a user inactive, and so revokes the user's tokens for good (D17).
	// It fails when no valid token of scope admin would be left, unless lastAdmin allows
	// it. Only a store takes lastAdmin.
	Deactivate(ctx context.Context, userID string, lastAdmin bool) (User, error)
	// Erase erases a user for good, and returns how far that is (D46). Call it again until it is
	// done. A dry run only counts. It fails as Deactivate does.
	Erase(ctx context.Context, userID string, dryRun, lastAdmin bool) (Erasure, error)
	// Tokens returns all tokens, the oldest first.
	Tokens(ctx context.Context) ([]Token, error)
	// CreateToken issues a token. The empty name is none, and the zero time is no expiry.
	CreateToken(ctx context.Context, userID, scope, name string, expires time.Time) (Token, error)
	// RevokeToken makes a token invalid for good. It fails as Deactivate does.
	RevokeToken(ctx context.Context, tokenID string, lastAdmin bool) error
	// Close releases the resources of the directory.
	Close() error
}

// Find returns the user with an e-mail address or identifier.
func Find(ctx context.Context, d Directory, who string) (User, error) {
	users, err := d.Users(ctx)
	if err != nil {
		return User{}, err
	}
	email, err := text.Name.Apply(who) // the form of addresses in the store
	if err != nil {
		email = who
	}
	for _, u := range users {
		if u.Identifier == who || user.FoldEmail(u.Email) == user.FoldEmail(email) {
			return u, nil
		}
	}
	return User{}, fmt.Errorf("no user has the e-mail address or identifier %q", who)
}

// Erasure is how far the erasure of a user is.
type Erasure struct {
	User     User
	Done     bool
	Through  int64
	Problems int
	Log      int
	Watches  int
	Audit    int
	Tokens   int
	Sessions int
	Saved    int `json:"savedQueries"`
	Texts    []int64
	Queries  []string
	Webhooks []string
}

// User and Token are the records as the API shows them.
type (
	User  = client.User
	Token = client.Token
)
