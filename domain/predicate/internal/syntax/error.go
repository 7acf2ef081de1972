package syntax

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/problemtracking/problems/domain/predicate"
)

// ErrorAt returns an Error at an offset of the text, in bytes.
func ErrorAt(text string, offset int, kind predicate.ErrorKind, format string, args ...any) *predicate.Error {
	before := text[:offset]
	line := 1 + strings.Count(before, "\n")
	column := 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
	return &predicate.Error{Kind: kind, Message: fmt.Sprintf(format, args...), Line: line, Column: column}
}

// errorTooLong returns the Error for a text of more than MaxBytes. Its position is the
// first code point beyond the limit.
func errorTooLong(text string) *predicate.Error {
	offset := 0
	for i := range text {
		if i > predicate.MaxBytes {
			break
		}
		offset = i
	}
	return ErrorAt(text, offset, predicate.LimitExceeded, "the text is longer than %d bytes", predicate.MaxBytes)
}

// MaxQuoted is the length of the longest name, in bytes, for an error to repeat and to
// suggest alternatives for. No key or function is as long.
const MaxQuoted = 40

// Quoted returns a name in quotes for an error.
func Quoted(name string) string {
	if len(name) > MaxQuoted {
		return "so long a name"
	}
	return `"` + name + `"`
}
