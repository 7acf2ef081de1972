package conformance

import (
	"maps"
	"math"

	"github.com/problemtracking/problems/conformance/internal/model"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/store"
)

// misreading is the sabotage that alters what is read.
func misreading(fn func(*shown)) func(*broken) {
	return func(s *broken) { s.reader = fn }
}

// sizeSaboteurs are stores with a defect in the sizes of problems, or in portions.
func sizeSaboteurs() []saboteur {
	return []saboteur{{
		name: "keeps the size that a problem was created with", caught: "SIZE-001",
		sabotage: restamping(func(before, now *model.World, _ store.Change, _ error) { maps.Copy(now.Sizes, before.Sizes) }),
	}, {
		name: "forgets the size for a comment", caught: "SIZE-001",
		sabotage: restamping(func(_, now *model.World, change store.Change, _ error) {
			for _, effect := range change.Effects {
				if e, ok := effect.(store.AddComment); ok {
					now.Sizes[e.Problem] = 0
				}
			}
		}),
	}, {
		name: "loads no sizes of several problems", caught: "SIZE-001",
		sabotage: misreading(func(r *shown) {
			r.several = func(_ []problem.ID, _ ident.ID, all []store.Snapshot) ([]store.Snapshot, error) {
				for i := range all {
					all[i].Size = 0
				}
				return all, nil
			}
		}),
	}, {
		name: "has 32 bits for a size", caught: "SIZE-001",
		sabotage: restamping(func(_, now *model.World, _ store.Change, _ error) {
			for id, size := range now.Sizes {
				now.Sizes[id] = int64(int32(size))
			}
		}),
	}, {
		name: "loads parts of large problems in any case", caught: "SIZE-003",
		sabotage: misreading(func(r *shown) { r.parts = store.Comments }),
	}, {
		name: "takes a problem for large that is not", caught: "SIZE-003",
		sabotage: misreading(func(r *shown) {
			r.snapshot = func(s *store.Snapshot) {
				if s.Size == store.Small {
					*s = store.Snapshot{Problem: s.Problem, Batch: s.Batch, Size: s.Size, Catalogue: s.Catalogue}
				}
			}
		}),
	}, {
		name: "returns portions of any size", caught: "READ-020",
		sabotage: misreading(func(r *shown) { r.portion = func(_, _ *int, budget *int64) { *budget = math.MaxInt64 } }),
	}, {
		name: "stops before the entry that reaches the budget", caught: "READ-020",
		sabotage: misreading(func(r *shown) {
			r.portion = func(_, _ *int, budget *int64) { *budget = max(1, *budget-problem.Overhead) }
		}),
	}, {
		name: "returns one too many", caught: "READ-021",
		sabotage: misreading(func(r *shown) { r.portion = func(_, limit *int, _ *int64) { *limit += min(*limit%2, 1) } }),
	}, {
		name: "leaves out one too many", caught: "READ-021",
		sabotage: misreading(func(r *shown) { r.portion = func(skip, _ *int, _ *int64) { *skip += min(*skip, 1) } }),
	}}
}
