// Package query holds the saved queries of users.
package query

import (
	"time"

	"github.com/problemtracking/problems/domain/column"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/predicate/check"
)

// Saved is a saved query of a user (savedQuery of the search page).
type Saved struct {
	ID    ident.ID
	Owner ident.ID
	Name  string // 1 to 255 characters; an owner may use one twice
	// Predicate is the text of the predicate as it was sent (D9).
	Predicate string
	// Sort is the order of the results in the form of D31, as it was sent; empty for the
	// default order.
	Sort string
	// Columns are those of the list in the pages.
	Columns column.List
	// Shared has everybody see the query in their lists (D57).
	Shared  bool
	Created time.Time
}

// MostShared is the greatest number of shared queries in a store (D57).
const MostShared = 100

// CheckPredicate refuses an invalid predicate. It compiles it for its owner and at the
// time of saving. The error is a *predicate.Error.
func (s Saved) CheckPredicate() error {
	_, err := check.Compile(s.Predicate, predicate.Problem, predicate.Env{Now: s.Created, User: s.Owner})
	return err
}

// CheckSort refuses an invalid order. The error is a *predicate.Error.
func (s Saved) CheckSort() error {
	_, err := check.CompileOrder(s.Sort, predicate.Problem)
	return err
}
