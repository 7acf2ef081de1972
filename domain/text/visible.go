package text

import (
	"slices"
	"strings"
)

// span holds the code points from first to last.
type span struct{ first, last rune }

// Visible reports whether people can see anything of s: a character other than white space,
// control and format characters, other default-ignorable ones such as U+3164, and those with an
// empty glyph such as U+2800.
func Visible(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return !Invisible(r) })
}

// Invisible reports whether nobody sees the character in a text.
func Invisible(r rune) bool {
	if ' ' < r && r < 0x7F {
		return false
	}
	_, found := slices.BinarySearchFunc(invisible, r, func(s span, r rune) int {
		switch {
		case r < s.first:
			return 1
		case r > s.last:
			return -1
		}
		return 0
	})
	return found
}
