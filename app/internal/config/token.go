package config

import (
	"fmt"

	"github.com/problemtracking/problems/domain/access"
)

// Token is an API token from outside; the zero Token is none. It is hidden from every
// verb of package fmt, and so from logs.
type Token struct{ access.Secret }

// UnmarshalText reads a token in the form of D17. Its error does not repeat the
// text.
func (t *Token) UnmarshalText(text []byte) (err error) {
	t.Secret, err = access.ParseSecret(string(text))
	return err
}

// Given reports whether there is a token.
func (t Token) Given() bool { return t != Token{} }

// ReadToken returns the given token, or else the one in the file.
func ReadToken(given Token, file string) (t Token, err error) {
	if file == "" {
		return given, nil
	}
	line, err := readLine(file)
	if err == nil {
		err = t.UnmarshalText([]byte(line))
	}
	if err != nil {
		return Token{}, fmt.Errorf("the file of the token, %s: %w", file, err)
	}
	return t, nil
}

// Format writes a mask in place of a token, and nothing when there is none.
func (t Token) Format(f fmt.State, verb rune) {
	if t.Given() {
		t.Secret.Format(f, verb)
	}
}
