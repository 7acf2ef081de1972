package bench

import "github.com/problemtracking/problems/domain/store"

// UnknownEffect and UnknownExpectation are unknown to every store.
type (
	UnknownEffect      struct{ store.Effect }
	UnknownExpectation struct{ store.Expectation }
)

// String describes the effect in braces, as for others.
func (UnknownEffect) String() string { return "{that no store knows}" }

// String does the same for an expectation.
func (UnknownExpectation) String() string { return "{that no store knows}" }
