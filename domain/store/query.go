package store

import (
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
)

// Query selects problems by a predicate and orders them (D31).
type Query struct {
	// Plan is the prepared predicate. Its root is predicate.Problem.
	Plan *predicate.Plan
	// Sort is the order. Problems with equal keys are in the order of their numbers.
	Sort []predicate.Order
	// After, when not nil, leaves out all problems up to and including the position of
	// a Hit in this order. The problem of the Hit may have moved or changed since.
	After *Hit
	// Limit is the largest number of results, at least 1.
	Limit int
	// As is the user for conditions on watching and reading.
	As ident.ID
	// Catalogue is the catalogue at the Reader's moment.
	Catalogue *metadata.Catalogue
}

// Hit is a problem found by a Query.
type Hit struct {
	ID       problem.ID
	Revision int64
	// Keys are the sort keys of the problem, one for each of Query.Sort.
	Keys []predicate.Value
}

// MostCandidates is the largest number of candidates of a Query: problems examined one
// by one, where a store cannot compare by itself. They satisfy the conditions before
// the residual of pushdown.Split. One more fails with fault.QueryTooExpensive
// (FIND-004).
const MostCandidates = 10_000
