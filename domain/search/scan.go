package search

import (
	"context"
	"iter"
	"slices"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// Scan is a store.Reader.Search built from Reader.Dossiers, Problem and Problems. It
// looks at every problem, at the moment of the reader.
func Scan(ctx context.Context, r store.Reader, q store.Query) ([]store.Hit, error) {
	return Select(ctx, q, NewProblems(r, q.Catalogue, q.As), snapshots(ctx, r, q.As))
}

// Among is Scan for the given problems only. They must be in ascending order.
func Among(ctx context.Context, r store.Reader, q store.Query, ids []problem.ID) ([]store.Hit, error) {
	among := func(yield func(store.Snapshot, error) bool) {
		for page := range slices.Chunk(ids, batchSize) {
			found, err := r.Problems(ctx, page, q.As, 0)
			if err != nil {
				yield(store.Snapshot{}, err)
				return
			}
			for _, s := range found {
				if !yield(s, nil) {
					return
				}
			}
		}
	}
	return Select(ctx, q, NewProblems(r, q.Catalogue, q.As), among)
}

func snapshots(ctx context.Context, r store.Reader, as ident.ID) iter.Seq2[store.Snapshot, error] {
	return func(yield func(store.Snapshot, error) bool) {
		var after problem.ID
		for {
			page, err := r.Dossiers(ctx, after, batchSize)
			if err != nil {
				yield(store.Snapshot{}, err)
				return
			}
			for _, d := range page {
				if !yield(Snapshot(d, as), nil) {
					return
				}
				after = d.ID
			}
			if len(page) < batchSize {
				return
			}
		}
	}
}

// Snapshot returns the problem of a dossier in the user's view, for predicates. Its
// parts are not nil. It has no data of related problems, and no version of the
// catalogue.
func Snapshot(d store.Dossier, as ident.ID) store.Snapshot {
	s := store.Snapshot{
		Problem:        d.Problem,
		Watching:       slices.Contains(d.Watchers, as),
		Read:           slices.Contains(d.Readers, as),
		ReadByAssignee: !d.Assignee.IsNone() && slices.Contains(d.Readers, d.Assignee),
		Keywords:       present(d.Keywords),
		Log:            present(d.Log),
		Comments:       present(d.Comments),
		Relationships:  make([]store.Related, len(d.Relationships)),
		Watchers:       present(d.Watchers),
		Savepoints:     present(d.Savepoints),
	}
	for i, r := range d.Relationships {
		s.Relationships[i].Relationship = r
	}
	return s
}

// present returns a slice that is not nil.
func present[T any](all []T) []T {
	if all == nil {
		return []T{}
	}
	return all
}
