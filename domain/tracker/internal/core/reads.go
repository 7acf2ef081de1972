package core

import (
	"context"
	"errors"

	"github.com/problemtracking/problems/domain/budget"
	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/search"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// Reads reads from the store for a user. So what somebody sees is decided here, also for the
// reads of a write.
type Reads struct {
	core *Core
	user ident.ID
}

// As returns the Reads of a user. With ident.None they are those of the service itself.
func (c *Core) As(user ident.ID) Reads { return Reads{c, user} }

// Problem reads a problem with the given parts, within the memory of the request: see
// views.Problem.
func (as Reads) Problem(ctx context.Context, r store.Reader, id problem.ID, parts snapshot.Parts) (snapshot.Snapshot, error) {
	return as.core.Views.Problem(ctx, r, id, as.user, parts)
}

// Problems reads problems with the given parts, in this order. It leaves out numbers
// without a problem.
func (as Reads) Problems(ctx context.Context, r store.Reader, ids []problem.ID, parts snapshot.Parts) ([]snapshot.Snapshot, error) {
	return r.Problems(ctx, ids, as.user, parts)
}

// Find runs a search in the store, within the time limit of a search.
func (as Reads) Find(ctx context.Context, r store.Reader, q store.Query) (hits []store.Hit, err error) {
	q.As = as.user
	err = as.core.WithinTime(ctx, func(ctx context.Context) error {
		hits, err = r.Search(ctx, q)
		return err
	})
	return hits, err
}

// Among finds those of the given problems that satisfy the query, likewise.
func (as Reads) Among(ctx context.Context, r store.Reader, q store.Query, ids []problem.ID) (hits []store.Hit, err error) {
	q.As = as.user
	err = as.core.WithinTime(ctx, func(ctx context.Context) error {
		hits, err = search.Among(ctx, r, q, ids)
		return err
	})
	return hits, err
}

// AmongAll finds those of the given problems that satisfy each of the plans: see search.AmongAll.
func (as Reads) AmongAll(ctx context.Context, r store.Reader, c *metadata.Catalogue, plans []*predicate.Plan, ids []problem.ID) ([]search.Found, error) {
	return search.AmongAll(ctx, r, c, as.user, plans, ids)
}

var errTime = errors.New("the time of a search ran out")

// WithinTime limits the time of a search. The end of the request itself is another
// error: fault.Unavailable.
func (c *Core) WithinTime(ctx context.Context, search func(context.Context) error) error {
	bounded, cancel := context.WithTimeoutCause(ctx, c.SearchFor, errTime)
	defer cancel()
	err := search(bounded)
	if err != nil && context.Cause(bounded) == errTime && fault.Is(err, fault.Unavailable) {
		return fault.Wrap(fault.QueryTooExpensive, err, "the search took longer than %v: add a condition that leaves less to look at, such as one on the state or on a date", c.SearchFor)
	}
	return err
}

// ReserveRewrite waits for memory for the new texts of a problem of a large size, and for the feed
// before and after.
func (c *Core) ReserveRewrite(ctx context.Context, size int64) error {
	if size <= snapshot.Small || budget.From(ctx).Full() {
		return nil
	}
	return c.Views.Reserve(ctx, 3*size)
}
