package conformance

import (
	"context"
	"slices"
	"sync/atomic"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/store"
)

// partSaboteurs are stores that treat the parts of one Change differently while others
// commit. Without others, each of them is correct.
func partSaboteurs() []saboteur {
	return []saboteur{{
		name: "checks later expectations before it has the lock", caught: "COM-004/last-expectation",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				if _, known, _ := s.settled(change.Batch); !known && len(change.Expect) > 1 {
					for _, e := range change.Expect[1:] {
						if err := s.world().Expect(e); err != nil {
							return store.Receipt{}, err
						}
					}
					linger()
					change.Expect = change.Expect[:1]
				}
				return s.Model.Commit(ctx, change)
			}
		},
	}, {
		name: "loses the refusal of the last effect when it had to wait", caught: "COM-004/last-effect",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				before := s.world()
				linger()
				receipt, err := s.Model.Commit(ctx, change)
				if fault.Is(err, fault.Conflict) && s.world() != before && len(change.Expect) == 0 && len(change.Effects) > 1 {
					return store.Receipt{Batch: change.Batch, Position: s.world().Position}, nil
				}
				return receipt, err
			}
		},
	}, {
		name: "makes large Changes in two steps under load", caught: "COM-001/whole-at-once",
		sabotage: func(s *broken) {
			var under atomic.Int64
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				defer under.Add(-1)
				if under.Add(1) < 2 || len(change.Effects) < 10 || len(change.Expect) > 0 {
					linger()
					return s.Model.Commit(ctx, change)
				}
				first, middle := change, len(change.Effects)/2
				first.Effects, first.Log = slices.Clone(change.Effects[:middle]), nil
				first.Batch[0] ^= 0xff
				if receipt, err := s.Model.Commit(ctx, first); err != nil {
					return receipt, err
				}
				linger()
				change.Effects = change.Effects[middle:]
				return s.Model.Commit(ctx, change)
			}
		},
	}, {
		name: "shows the log of a Change after the rest", caught: "COM-001/whole-at-once",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				if len(change.Log) < 2 || len(change.Effects) < 10 {
					return s.Model.Commit(ctx, change)
				}
				rest := change
				rest.Log = nil
				rest.Batch[0] ^= 0xff
				if receipt, err := s.Model.Commit(ctx, rest); err != nil {
					return receipt, err
				}
				linger()
				change.Effects, change.Expect = nil, nil
				return s.Model.Commit(ctx, change)
			}
		},
	}}
}
