// Package user holds the people behind problems: reporters, assignees and watchers.
package user

import (
	"errors"
	"strings"
	"unicode"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/text"
)

// User is a person, or a program in the role of one (D2).
type User struct {
	ID ident.ID
	// Name has 1 to 255 characters. Several users may share a name.
	Name string
	// Email has 1 to 255 characters (see [CheckEmail]) and is unique. Comparisons ignore the
	// case of ASCII letters (see [FoldEmail]), but stores preserve it.
	Email string
	// Inactive users keep their past contributions, but cannot be newly assigned or watch,
	// and their tokens are revoked for good (D2, D17).
	Inactive bool
	// Mail says which e-mail the user gets. Only the user and the service read it.
	Mail Mail
}

// CheckEmail refuses a text without the form of an e-mail address: visible text before
// an @ and after it, and no white space. This is in addition to the rule of all names. The
// text of the error ends a sentence for its author.
func CheckEmail(email string) error {
	local, domain, _ := strings.Cut(email, "@")
	if !text.Visible(local) || !text.Visible(domain) || strings.ContainsFunc(email, unicode.IsSpace) {
		return errors.New("must be an e-mail address, such as ann@example.org")
	}
	return nil
}

// FoldEmail returns the form of an e-mail address for comparisons: ASCII letters in
// lower case, everything else as it is (D2).
func FoldEmail(email string) string {
	b := []byte(email)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + ('a' - 'A')
		}
	}
	return string(b)
}
