// Package user holds the people who report, work on and watch problems.
package user

import (
	"errors"
	"strings"
	"unicode"

	"github.com/problemtracking/problems/domain/ident"
)

// User is a person, or a program that acts like one (D2).
type User struct {
	ID ident.ID
	// Name has 1 to 255 characters. Several users may share a name.
	Name string
	// Email has 1 to 255 characters (see [CheckEmail]) and is unique; ASCII letters
	// are compared without case (see [FoldEmail]), but kept as they were given.
	Email string
	// Inactive users keep what they did, but cannot be newly assigned or
	// watch, and their tokens are revoked for good (D2, D17).
	Inactive bool
}

// CheckEmail refuses, beyond what all names have to be like, what is no e-mail address:
// it has something before an @ and after it, and no white space. The text of the error
// ends a sentence for its author.
func CheckEmail(email string) error {
	local, domain, _ := strings.Cut(email, "@")
	if local == "" || domain == "" || strings.ContainsFunc(email, unicode.IsSpace) {
		return errors.New("must be an e-mail address, such as ann@example.org")
	}
	return nil
}

// FoldEmail returns the form in which e-mail addresses are compared: ASCII
// letters in lower case, everything else as it is (D2).
func FoldEmail(email string) string {
	b := []byte(email)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + ('a' - 'A')
		}
	}
	return string(b)
}
