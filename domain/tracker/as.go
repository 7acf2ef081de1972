package tracker

import (
	"context"

	"github.com/problemtracking/problems/domain/metadata"
	"github.com/problemtracking/problems/domain/predicate"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/search"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// Reader reads on behalf of a caller. So what somebody sees is decided here, also for the
// reads of a write.
type Reader struct {
	s      *Service
	caller Caller
}

// As returns the Reader of a caller. The zero Caller is the service itself.
func (s *Service) As(caller Caller) Reader { return Reader{s, caller} }

// problem reads a problem with the given parts, within the memory of the request: see
// views.Problem.
func (as Reader) problem(ctx context.Context, r store.Reader, id problem.ID, parts snapshot.Parts) (snapshot.Snapshot, error) {
	return as.s.core.Views.Problem(ctx, r, id, as.caller.User, parts)
}

// problems reads problems with the given parts, in this order. It leaves out numbers
// without a problem.
func (as Reader) problems(ctx context.Context, r store.Reader, ids []problem.ID, parts snapshot.Parts) ([]snapshot.Snapshot, error) {
	return r.Problems(ctx, ids, as.caller.User, parts)
}

// find runs a search in the store, within the time limit of a search.
func (as Reader) find(ctx context.Context, r store.Reader, q store.Query) (hits []store.Hit, err error) {
	q.As = as.caller.User
	err = as.s.withinTime(ctx, func(ctx context.Context) error {
		hits, err = r.Search(ctx, q)
		return err
	})
	return hits, err
}

// among finds those of the given problems that satisfy the query, likewise.
func (as Reader) among(ctx context.Context, r store.Reader, q store.Query, ids []problem.ID) (hits []store.Hit, err error) {
	q.As = as.caller.User
	err = as.s.withinTime(ctx, func(ctx context.Context) error {
		hits, err = search.Among(ctx, r, q, ids)
		return err
	})
	return hits, err
}

// amongAll finds those of the given problems that satisfy each of the plans: see search.AmongAll.
func (as Reader) amongAll(ctx context.Context, r store.Reader, c *metadata.Catalogue, plans []*predicate.Plan, ids []problem.ID) ([]search.Found, error) {
	return search.AmongAll(ctx, r, c, as.caller.User, plans, ids)
}
