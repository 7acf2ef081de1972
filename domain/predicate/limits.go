package predicate

// The limits of a predicate (section 6 of the query language). A predicate beyond one
// of them fails with LimitExceeded, before the service looks at any object. MaxJoins
// is a limit of execution and fails with TooExpensive.
const (
	MaxBytes           = 16_384 // of the text, and of a sort
	MaxNesting         = 64     // of open "(", "{", NOT, unary minus and calls
	MaxNodes           = 2_000  // operands and operators; a path is one, literals in lists are none
	MaxListMembers     = 1_000  // of one list
	MaxPathSegments    = 10     // keys of one path
	MaxSubqueryNesting = 3
	MaxMatches         = 8   // uses of MATCHES
	MaxPatternLength   = 256 // of a MATCHES pattern, in code points
	MaxLikeRuns        = 16  // runs of "*" in a LIKE pattern
	// MaxJoins is the number of different objects behind the to-one keys of one variable.
	// A database has to join each of them.
	MaxJoins = 32
	// MaxSortKeys is the number of keys to sort results by.
	MaxSortKeys = 32
)
