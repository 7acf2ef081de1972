package config

import (
	"regexp"
	"strings"
)

// plain are the words without a need for quotes in a shell.
var plain = regexp.MustCompile(`^[A-Za-z0-9_@%+=:,./-]*$`)

// Quote returns a word as it is to be written for a POSIX shell.
func Quote(word string) string {
	if plain.MatchString(word) {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}
