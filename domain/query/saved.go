// Package query holds the queries that users save to run them again.
package query

import (
	"time"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/predicate"
)

// Saved is a query that a user has saved (the search page's savedQuery).
type Saved struct {
	ID    ident.ID
	Owner ident.ID
	Name  string // 1 to 255 characters; an owner may use one twice
	// Predicate is the text of the predicate as it was given, in NFC (D9).
	Predicate string
	// Sort is the order of the results as D31 writes it; empty for the usual one.
	Sort    string
	Created time.Time
}

// CheckPredicate refuses a predicate that does not compile, for its owner and at the time
// it was saved. The error is a *predicate.Error.
func (s Saved) CheckPredicate() error {
	_, err := predicate.Compile(s.Predicate, predicate.Problem, predicate.Env{Now: s.Created, User: s.Owner})
	return err
}

// CheckSort refuses an order that does not compile. The error is a *predicate.Error.
func (s Saved) CheckSort() error {
	_, err := predicate.CompileOrder(s.Sort, predicate.Problem)
	return err
}
