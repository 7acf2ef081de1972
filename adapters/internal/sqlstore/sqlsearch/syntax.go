// Package sqlsearch compiles a search into one SQL statement, and leaves the conditions that a
// database cannot decide as a residual.
package sqlsearch

import (
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/predicate"
)

// Syntax holds the differences between the searches of the two databases.
type Syntax struct {
	// Unfolded is true while the columns with folded forms have some of another version.
	// Then no statement compares them.
	Unfolded bool
	// ID returns an identifier as an argument; ident.None is NULL.
	ID func(ident.ID) any
	// InList follows a column to be found in a list. The list is one argument.
	InList string
	// IDs, Texts and Numbers return a list of values as such an argument.
	IDs     func([]ident.ID) any
	Texts   func([]string) any
	Numbers func([]int64) any
	// TextSearch are the conditions for {text} containing, beginning with or ending with
	// {part}.
	TextSearch map[predicate.Op]string
	// LikeOperator compares a text with a pattern, and LikePattern returns the pattern
	// as its argument.
	LikeOperator string
	LikePattern  func(predicate.Pattern) string
	// Sum is the sum of the integers {value}, none of them negative. It is 0 when there
	// are none, and NULL when the sum overflows 64 bits.
	Sum string
	// InTurn ends a subquery that the database has to run for each problem in turn. It could
	// otherwise look for all rows first, which takes long when the first problems have some.
	InTurn string
	// Blind is true for a database that knows no numbers of rows: see Search.Begin.
	Blind bool
	// Ranks returns a SELECT with its arguments. It has a row for each identifier, in the
	// columns id and rank.
	Ranks func(ids []ident.ID, ranks []int64) (statement string, args []any)
}
