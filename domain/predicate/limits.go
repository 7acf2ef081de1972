package predicate

// The limits of a predicate (section 6 of the query language). What exceeds one
// of them is refused with LimitExceeded before any object is looked at; more than
// MaxJoins, which is a limit of execution, with TooExpensive.
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
	// MaxJoins is how many different objects one variable may lead to by
	// to-one keys, which are what a database has to join.
	MaxJoins = 32
	// MaxSortKeys is how many keys results may be sorted by.
	MaxSortKeys = 32
)
