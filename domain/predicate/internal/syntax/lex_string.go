package syntax

import (
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/problemtracking/problems/domain/predicate"
)

// string reads a string and decodes its escapes.
func (l *lexer) string() (token, error) {
	start := l.offset
	delimiter := l.text[start]
	l.offset++
	var b strings.Builder
	for l.offset < len(l.text) {
		switch c := l.text[l.offset]; {
		case c == delimiter:
			l.offset++
			return token{kind: quote, offset: start, text: b.String()}, nil
		case c == '\\':
			r, problem := l.escape()
			if problem != "" {
				return token{}, l.fail(start, predicate.InvalidSyntax, "the string has %s", problem)
			}
			b.WriteRune(r)
		case c == 0:
			return token{}, l.fail(start, predicate.InvalidSyntax, "the string has the character U+0000")
		default:
			r, size := utf8.DecodeRuneInString(l.rest())
			if r == utf8.RuneError && size == 1 {
				return token{}, l.fail(start, predicate.InvalidSyntax, "the string is not valid UTF-8")
			}
			b.WriteRune(r)
			l.offset += size
		}
	}
	return token{}, l.fail(start, predicate.InvalidSyntax, "the string is not closed: it lacks its second %c", delimiter)
}

// escapes maps the letter after a backslash to its character.
var escapes = map[byte]rune{
	'\\': '\\', '\'': '\'', '"': '"', '/': '/',
	'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t',
}

// escape reads an escape, surrogate pairs as one. problem describes a fault of the
// escape; it is empty for a valid one.
func (l *lexer) escape() (r rune, problem string) {
	rest := l.rest()
	if len(rest) > 1 {
		if r, ok := escapes[rest[1]]; ok {
			l.offset += 2
			return r, ""
		}
	}
	unit, ok := escapedUnit(rest)
	if !ok {
		return 0, `a backslash that starts no escape; there are \\ \' \" \/ \b \f \n \r \t and \uXXXX`
	}
	l.offset += unitLength
	if !utf16.IsSurrogate(unit) {
		if unit == 0 {
			return 0, "the character U+0000"
		}
		return unit, ""
	}
	low, _ := escapedUnit(l.rest())
	pair := utf16.DecodeRune(unit, low)
	if pair == utf8.RuneError {
		return 0, "half of a surrogate pair"
	}
	l.offset += unitLength
	return pair, ""
}

// unitLength is the length of \uXXXX.
const unitLength = 6

// escapedUnit decodes \uXXXX at the start of s to a UTF-16 unit.
func escapedUnit(s string) (rune, bool) {
	if len(s) < unitLength || s[:2] != `\u` {
		return 0, false
	}
	for i := 2; i < unitLength; i++ {
		if c := s[i] | 0x20; !isDigit(s[i]) && (c < 'a' || c > 'f') {
			return 0, false
		}
	}
	n, err := strconv.ParseUint(s[2:unitLength], 16, 16)
	return rune(n), err == nil
}
