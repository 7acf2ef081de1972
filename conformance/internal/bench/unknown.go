package bench

import "github.com/problemtracking/problems/domain/store"

// UnknownEffect and unknownExpectation are what no store knows.
type (
	UnknownEffect      struct{ store.Effect }
	UnknownExpectation struct{ store.Expectation }
)

// String says of an effect in braces, as others are written, what it is there for.
func (UnknownEffect) String() string { return "{that no store knows}" }

// String does the same for an expectation.
func (UnknownExpectation) String() string { return "{that no store knows}" }
