package memory

import (
	"context"
	"iter"
	"slices"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/search"
	"github.com/problemtracking/problems/domain/store"
)

// Search implements store.Reader.
func (r reader) Search(ctx context.Context, q store.Query) ([]store.Hit, error) {
	return search.Select(ctx, q, search.NewProblems(r, q.Catalogue, q.As), r.snapshots(ctx, q.As))
}

// snapshots yields all problems as a user sees them, in ascending order of their
// numbers. They share their parts with the state, which never changes, and are to be
// read only; relationships, for which others have to be looked up, are left out.
func (r reader) snapshots(ctx context.Context, as ident.ID) iter.Seq2[store.Snapshot, error] {
	return func(yield func(store.Snapshot, error) bool) {
		for _, found := range r.problems.all() {
			if found == nil {
				continue
			}
			if err := store.Ended(ctx); err != nil {
				yield(store.Snapshot{}, err)
				return
			}
			s := r.snapshot(found, as)
			s.Keywords, s.Log, s.Comments = found.keywords, found.log, found.comments
			s.Watchers, s.Savepoints = found.watchers, found.savepoints
			if !yield(s, nil) {
				return
			}
		}
	}
}

// snapshot returns a problem without parts.
func (r reader) snapshot(found *record, as ident.ID) store.Snapshot {
	return store.Snapshot{
		Problem:        found.problem,
		Catalogue:      r.versions.Catalogue,
		Watching:       slices.Contains(found.watchers, as),
		Read:           slices.Contains(found.readers, as),
		ReadByAssignee: slices.Contains(found.readers, found.problem.Assignee),
	}
}
