// Package user holds the people behind problems: reporters, assignees and watchers.
package user

import (
	"errors"
	"slices"
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
	// Email has 1 to 255 characters, the form of [StoredEmail], and is unique. Comparisons
	// ignore the case of ASCII letters (see [FoldEmail]), but stores preserve it.
	Email string
	// Inactive users keep their past contributions, but cannot be newly assigned or watch,
	// and their tokens are revoked for good (D2, D17).
	Inactive bool
	// RobotOf is the person who answers for the user, a program; None for a person.
	RobotOf ident.ID
	// Mail says which e-mail the user gets. Only the user and the service read it.
	Mail Mail
	// Preferences are the user's choices for the pages. Only the user and the pages read them.
	Preferences Preferences
}

// StoredEmail returns the one stored form of an e-mail address: with its domain in Unicode and
// lower case, if the domain is not in ASCII alone (D2). It refuses a text without the form of
// an e-mail address: visible text before an @ and after the last one, and no white space. This is
// in addition to the rule of all names. The text of the error ends a sentence for its
// author.
func StoredEmail(email string) (string, error) {
	local, _, _ := strings.Cut(email, "@")
	at := strings.LastIndexByte(email, '@')
	if !text.Visible(local) || !text.Visible(email[at+1:]) || at < 0 || strings.ContainsFunc(email, unicode.IsSpace) {
		return "", errors.New("must be an e-mail address, such as ann@example.org")
	}
	domain, err := storedDomain(email[at+1:])
	if err != nil {
		return "", err
	}
	return email[:at+1] + domain, nil
}

// CheckProved refuses an address that a provider or proxy names for a person who signs in,
// when it is no e-mail address, or normalisation changes it (D2, D9): the new text could be the
// address of somebody else.
func CheckProved(email string) error {
	stored, err := text.Name.Apply(email)
	if err != nil {
		return err
	}
	if stored != email {
		return errors.New("must be in NFC, without white space around it")
	}
	_, err = StoredEmail(email)
	return err
}

// FoldEmail returns the form of an e-mail address for comparisons: the stored form with ASCII
// letters in lower case, everything else as it is (D2). A text that could not be stored
// only gets its ASCII letters in lower case.
func FoldEmail(email string) string {
	if stored, err := StoredEmail(email); err == nil {
		email = stored
	}
	return foldASCII(email)
}

func foldASCII(s string) string {
	b := []byte(s)
	for i, c := range b {
		if 'A' <= c && c <= 'Z' {
			b[i] = c + ('a' - 'A')
		}
	}
	return string(b)
}

// IsOf reports whether an e-mail address is of one of the domains, such as "example.org". Domains
// below a domain are others. An address with a second @ is of none.
func IsOf(email string, domains []string) bool {
	_, domain, _ := strings.Cut(FoldEmail(email), "@")
	return slices.ContainsFunc(domains, func(d string) bool { return FoldEmail("a@"+d) == "a@"+domain })
}
