package memory

import (
	"context"
	"iter"
	"slices"

	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/search"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// Search implements store.Reader.
func (r reader) Search(ctx context.Context, q store.Query) ([]store.Hit, error) {
	problems := search.NewProblems(r, q.Catalogue, q.As)
	return search.Select(ctx, q, problems, r.snapshots(ctx, problems.Fields(ctx, q.Plan), q.As))
}

// patience is how many problems are looked at before the context is asked again
// whether somebody still waits for the answer.
const patience = 256

// snapshots yields all problems that the fields do not rule out, as a user sees them, in
// ascending order of their numbers. They share their parts with the immutable state and
// are to be read only. The log, the savepoints and the relationships have another form in
// memory, and are left out.
func (r reader) snapshots(ctx context.Context, fields *search.Fields, as ident.ID) iter.Seq2[snapshot.Snapshot, error] {
	return func(yield func(snapshot.Snapshot, error) bool) {
		looked := 0
		for _, found := range r.problems.all() {
			if found == nil {
				continue
			}
			out, err := fields.RuleOut(&found.problem)
			if err == nil && looked%patience == 0 {
				err = store.Ended(ctx)
			}
			if err != nil {
				yield(snapshot.Snapshot{}, err)
				return
			}
			if looked++; out {
				continue
			}
			s := r.snapshot(found, as)
			s.Keywords, s.Comments, s.Attachments, s.Watchers = found.keywords, found.comments, found.attachments, found.watchers
			if !yield(s, nil) {
				return
			}
		}
	}
}

// snapshot returns a problem without parts.
func (r reader) snapshot(found *record, as ident.ID) snapshot.Snapshot {
	return snapshot.Snapshot{
		Problem:        found.problem,
		Batch:          found.batch,
		Size:           found.size,
		Claim:          found.claim,
		Catalogue:      r.versions.Catalogue,
		Watching:       slices.Contains(found.watchers, as),
		Read:           slices.Contains(found.readers, as),
		ReadByAssignee: slices.Contains(found.readers, found.problem.Assignee),
	}
}
