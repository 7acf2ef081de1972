package conformance

import "github.com/problemtracking/problems/domain/store"

// unknownEffect and unknownExpectation are what no store knows.
type (
	unknownEffect      struct{ store.Effect }
	unknownExpectation struct{ store.Expectation }
)

// String says of an effect in braces, as others are written, what it is there for.
func (unknownEffect) String() string { return "{that no store knows}" }

// String does the same for an expectation.
func (unknownExpectation) String() string { return "{that no store knows}" }
