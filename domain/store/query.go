package store

import (
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
)

// Query asks for the problems that satisfy a predicate, in an order (D31).
type Query struct {
	// Plan is what they have to satisfy. Its root is predicate.Problem.
	Plan *predicate.Plan
	// Sort is the order. Problems that it does not tell apart are in the
	// order of their numbers.
	Sort []predicate.Order
	// After, when not nil, leaves out all problems up to and including the
	// place of a Hit in that order, which may have moved or changed since.
	After *Hit
	// Limit is how many are wanted at most, which is at least 1.
	Limit int
	// As is the user whose watching and read marks count.
	As ident.ID
	// Catalogue is the one of the Reader's moment.
	Catalogue *metadata.Catalogue
}

// Hit is a problem that a Query found.
type Hit struct {
	ID       problem.ID
	Revision int64
	// Keys are the values that it is sorted by, one for each of Query.Sort.
	Keys []predicate.Value
}

// MostCandidates is how many problems a Query may leave to be looked at one by
// one, where a store cannot compare by itself: those that satisfy the conditions
// before the residual of predicate.Plan.Split. One more fails with
// fault.QueryTooExpensive (FIND-004).
const MostCandidates = 10_000
