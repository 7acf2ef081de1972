package conformance

import (
	"maps"
	"math"

	"github.com/problemtracking/problems/conformance/internal/model"
	"github.com/problemtracking/problems/domain/snapshot"
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
		name: "loads parts of large problems in any case", caught: "SIZE-003",
		sabotage: misreading(func(r *shown) { r.parts = snapshot.Comments }),
	}, {
		name: "returns portions of any size", caught: "READ-020",
		sabotage: misreading(func(r *shown) { r.portion = func(_, _ *int, budget *int64) { *budget = math.MaxInt64 } }),
	}, {
		name: "returns one too many", caught: "READ-021",
		sabotage: misreading(func(r *shown) { r.portion = func(_, limit *int, _ *int64) { *limit += min(*limit%2, 1) } }),
	}}
}
