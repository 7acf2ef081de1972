package predicate

import (
	"fmt"
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
	// Meant is the name that the author probably meant by the wrong one at this position. It is
	// empty when no known name resembles that one.
	Meant string
}

// Error implements error.
func (e *Error) Error() string {
	return fmt.Sprintf("predicate: line %d, column %d: %s: %s", e.Line, e.Column, e.Kind, e.Message)
}
