package config

import (
	"fmt"
	"io"
)

// Password is a password from outside; the zero Password is none. It is hidden from every
// verb of package fmt, and so from logs.
type Password struct{ text string }

// UnmarshalText reads a password.
func (p *Password) UnmarshalText(text []byte) error {
	p.text = string(text)
	return nil
}

// Given reports whether there is a password.
func (p Password) Given() bool { return p != Password{} }

// Reveal returns the password.
func (p Password) Reveal() string { return p.text }

// Format writes a mask in place of a password, and nothing when there is none.
func (p Password) Format(f fmt.State, _ rune) {
	if p.Given() {
		_, _ = io.WriteString(f, "…")
	}
}

// readPassword returns the given password, or else the line in the file. The name begins
// the sentence of an error.
func readPassword(name string, given Password, file string) (string, error) {
	if file == "" {
		return given.Reveal(), nil
	}
	password, err := readLine(file)
	if err != nil {
		return "", fmt.Errorf("%s cannot be read: %w", name, err)
	}
	return password, nil
}
