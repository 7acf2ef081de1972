package predicate

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/problemtracking/problems/domain/text"
)

// ErrorKind is the class of an error in a predicate (section 5 of the query language).
type ErrorKind string

// The kinds of errors.
const (
	InvalidSyntax   ErrorKind = "syntax"
	Unsupported     ErrorKind = "unsupported" // Cocoa knows it, this service does not
	UnknownKey      ErrorKind = "unknownKey"
	UnknownFunction ErrorKind = "unknownFunction"
	UnboundVariable ErrorKind = "unboundVariable"
	TypeMismatch    ErrorKind = "typeMismatch" // also a wrong number of arguments
	InvalidPattern  ErrorKind = "invalidPattern"
	LimitExceeded   ErrorKind = "limitExceeded"
	// TooExpensive is no fault of the predicate but a limit of execution (section 6): the
	// predicate refers to more than MaxJoins objects.
	TooExpensive ErrorKind = "tooExpensive"
)

// Error describes a fault of a predicate or a sort, with its position.
type Error struct {
	Kind ErrorKind
	// Message explains the fault to the author of the predicate. It names keys, functions
	// and types, but repeats nothing from inside a string.
	Message string
	// Line and Column are the start of the first wrong token: from 1, in code points. The
	// end of the input is one past its last code point.
	Line, Column int
}

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("predicate: line %d, column %d: %s: %s", e.Line, e.Column, e.Kind, e.Message)
}

// errorAt returns an Error at an offset of the text, in bytes.
func errorAt(text string, offset int, kind ErrorKind, format string, args ...any) *Error {
	before := text[:offset]
	line := 1 + strings.Count(before, "\n")
	column := 1 + utf8.RuneCountInString(before[strings.LastIndexByte(before, '\n')+1:])
	return &Error{Kind: kind, Message: fmt.Sprintf(format, args...), Line: line, Column: column}
}

// errorTooLong returns the Error for a text of more than MaxBytes. Its position is the
// first code point beyond the limit.
func errorTooLong(text string) *Error {
	offset := 0
	for i := range text {
		if i > MaxBytes {
			break
		}
		offset = i
	}
	return errorAt(text, offset, LimitExceeded, "the text is longer than %d bytes", MaxBytes)
}

// counted returns a number of things in the wording of errors.
func counted(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// maxName is the length of the longest name, in bytes, for an error to repeat and to
// suggest alternatives for. No key or function is as long.
const maxName = 40

// quoted returns a name in quotes for an error.
func quoted(name string) string {
	if len(name) > maxName {
		return "so long a name"
	}
	return `"` + name + `"`
}

// suggestion returns the end of an error about a name: the nearest of the known names,
// or else all of them.
func suggestion(name string, known []string) string {
	best, distance := "", maxName
	if len(name) <= maxName {
		for _, k := range known {
			if d := text.EditDistance(strings.ToLower(name), strings.ToLower(k)); d < distance {
				best, distance = k, d
			}
		}
	}
	if distance <= max(1, len(name)/3) {
		return fmt.Sprintf("did you mean %s?", best)
	}
	return "known are " + strings.Join(known, ", ")
}
