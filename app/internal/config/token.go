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

// ReadToken returns the given token or the one in the file. It fails with both: one of them
// may be a leftover, and belong to somebody else.
func ReadToken(given Token, file string) (t Token, err error) {
	switch {
	case file == "":
		return given, nil
	case given.Given():
		return Token{}, fmt.Errorf("there is a token and a file of a token, %s: give one of them", file)
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
