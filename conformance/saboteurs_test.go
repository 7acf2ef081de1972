package conformance

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/problemtracking/problems/domain/fault"
	"github.com/problemtracking/problems/domain/ident"
	"github.com/problemtracking/problems/domain/problem"
	"github.com/problemtracking/problems/domain/relationship"
	"github.com/problemtracking/problems/domain/snapshot"
	"github.com/problemtracking/problems/domain/store"
)

// saboteurs are stores with one defect each, which the named case has to catch.
func saboteurs() []saboteur {
	return slices.Concat(commitSaboteurs(), readSaboteurs(), lifeSaboteurs(), identitySaboteurs(), sizeSaboteurs())
}

// commitSaboteurs are stores with a defect in Commit or Outcome.
func commitSaboteurs() []saboteur {
	return slices.Concat(expectationSaboteurs(), rewriteSaboteurs(), batchSaboteurs(), appendSaboteurs(), positionSaboteurs())
}

// expectationSaboteurs store a part of a Change, or check expectations in the wrong way.
func expectationSaboteurs() []saboteur {
	return []saboteur{{
		name: "commits each effect by itself", caught: "COM-001/refused-effect",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (receipt store.Receipt, err error) {
				whole := change
				for i, effect := range whole.Effects {
					change.Batch[15], change.Batch[14] = byte(i), change.Batch[15]
					change.Effects, change.Log = []store.Effect{effect}, nil
					if receipt, err = s.Model.Commit(ctx, change); err != nil {
						return receipt, err
					}
				}
				whole.Effects, whole.Expect = nil, nil
				return s.Model.Commit(ctx, whole)
			}
		},
	}, {
		name: "ignores expectations", caught: "COM-002/problem-at",
		sabotage: alter(func(change *store.Change) { change.Expect = nil }),
	}, {
		name: "adds a comment that is to be replaced and is missing", caught: "COM-002/comment-missing",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				receipt, err := s.Model.Commit(ctx, change)
				if fault.Is(err, fault.Conflict) && len(change.Effects) == 1 {
					if put, ok := change.Effects[0].(store.PutComment); ok {
						change.Effects = []store.Effect{store.AddComment(put)}
						return s.Model.Commit(ctx, change)
					}
				}
				return receipt, err
			}
		},
	}, {
		name: "checks the first expectation alone", caught: "COM-002/all-expectations",
		sabotage: alter(func(change *store.Change) { change.Expect = change.Expect[:min(1, len(change.Expect))] }),
	}, {
		name: "takes a key at Since for expired", caught: "COM-002/key-unused",
		sabotage: alter(func(change *store.Change) {
			for i, e := range change.Expect {
				if unused, ok := e.(store.KeyUnused); ok {
					unused.Since = unused.Since.Add(time.Millisecond)
					change.Expect[i] = unused
				}
			}
		}),
	}, {
		name: "takes a store without problems for empty", caught: "COM-002/store-not-empty/token",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				if slices.Contains(change.Expect, store.Expectation(store.StoreEmpty{})) && len(s.world().AllProblems) == 0 {
					change.Expect = nil
				}
				return s.Model.Commit(ctx, change)
			}
		},
	}, {
		name: "takes a store with a past for one that is not empty", caught: "COM-002/store-empty",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				if slices.Contains(change.Expect, store.Expectation(store.StoreEmpty{})) && s.world().Position > 0 {
					return store.Receipt{}, fault.New(fault.Conflict, "the store is not empty")
				}
				return s.Model.Commit(ctx, change)
			}
		},
	}, {
		name: "overwrites problems", caught: "COM-002/number-taken",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				for i, e := range change.Effects {
					if created, ok := e.(store.CreateProblem); ok && s.world().AllProblems[created.Problem.ID].ID != 0 {
						change.Effects[i] = store.UpdateProblem(created)
					}
				}
				return s.Model.Commit(ctx, change)
			}
		},
	}, {
		name: "checks expectations before it has the lock", caught: "COM-004/one-problem",
		sabotage: (*broken).hasty,
	}, {
		name: "shows half pairs", caught: "COM-004/pairs",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				receipt, err := s.Model.Commit(ctx, change)
				for _, e := range change.Effects {
					if put, ok := e.(store.PutRelationship); ok && err == nil && put.Relationship.Type == relationship.CausedBy {
						r := put.Relationship
						drop := store.DropRelationship{Owner: r.Owner, Type: r.Type, Other: r.Other}
						_, _ = s.Model.Commit(ctx, store.Change{Batch: ident.ID{1, byte(receipt.Position)}, Effects: []store.Effect{drop}})
					}
				}
				return receipt, err
			}
		},
	}}
}

// batchSaboteurs are wrong about repeated batches, their outcome, and unknown effects.
func batchSaboteurs() []saboteur {
	return []saboteur{{
		name: "applies a repeated batch again", caught: "COM-005",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				s.Mu.Lock()
				delete(s.Batches, change.Batch)
				s.Mu.Unlock()
				return s.Model.Commit(ctx, change)
			}
		},
	}, {
		name: "refuses a repeated batch", caught: "COM-005/stale",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				for _, e := range change.Expect {
					if err := s.world().Expect(e); err != nil {
						return store.Receipt{}, err
					}
				}
				return s.Model.Commit(ctx, change)
			}
		},
	}, {
		name: "only looks for the outcome", caught: "COM-006",
		sabotage: func(s *broken) {
			s.outcome = func(_ context.Context, batch ident.ID, _ time.Time) (store.Receipt, bool, error) {
				s.Mu.Lock()
				defer s.Mu.Unlock()
				return s.Batches[batch].Receipt, s.Batches[batch].Stored, nil
			}
		},
	}, {
		name: "knows no outcome", caught: "OUT-001",
		sabotage: func(s *broken) {
			s.outcome = func(context.Context, ident.ID, time.Time) (store.Receipt, bool, error) {
				return store.Receipt{}, false, nil
			}
		},
	}, {
		name: "skips unknown effects", caught: "COM-007/effect",
		sabotage: alter(func(change *store.Change) {
			change.Effects = slices.DeleteFunc(change.Effects, func(e store.Effect) bool {
				return e == nil || !strings.HasPrefix(fmt.Sprintf("%T", e), "store.")
			})
		}),
	}}
}

// appendSaboteurs sort what was appended.
func appendSaboteurs() []saboteur {
	return []saboteur{{
		name: "sorts comments by identifier", caught: "COM-008/between",
		sabotage: distort(func(s *snapshot.Snapshot) {
			slices.SortFunc(s.Comments, func(a, b problem.Comment) int { return a.ID.Compare(b.ID) })
		}),
	}, {
		name: "sorts the log by time", caught: "COM-008/within",
		sabotage: distort(func(s *snapshot.Snapshot) {
			slices.SortStableFunc(s.Log, func(a, b problem.LogEntry) int { return a.Created.Compare(b.Created) })
		}),
	}}
}

// positionSaboteurs are wrong about the context of a Commit, or about its position.
func positionSaboteurs() []saboteur {
	return []saboteur{{
		name: "commits though the context is over", caught: "COM-009",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				return s.Model.Commit(context.WithoutCancel(ctx), change)
			}
		},
	}, {
		name: "reports the end of the context after the fact", caught: "COM-010",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				receipt, err := s.Model.Commit(context.WithoutCancel(ctx), change)
				runtime.Gosched()
				if ctx.Err() != nil {
					err = fault.New(fault.Unavailable, "the context is over")
				}
				return receipt, err
			}
		},
	}, {
		name: "denies at the deadline what it has stored", caught: "COM-010/deadline",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				receipt, err := s.Model.Commit(ctx, change)
				if _, bounded := ctx.Deadline(); bounded {
					time.Sleep(time.Millisecond)
				}
				if errors.Is(ctx.Err(), context.DeadlineExceeded) {
					err = fault.New(fault.Unavailable, "the deadline has passed")
				}
				return receipt, err
			}
		},
	}, {
		name: "counts positions modulo 8", caught: "COM-011",
		sabotage: func(s *broken) {
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				receipt, err := s.Model.Commit(ctx, change)
				receipt.Position = receipt.Position%8 + 1
				return receipt, err
			}
		},
	}, {
		name: "takes its position before it is its turn", caught: "COM-011/at-once",
		sabotage: func(s *broken) {
			var taken atomic.Int64
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				position := taken.Add(1)
				for range 100 {
					runtime.Gosched()
				}
				receipt, err := s.Model.Commit(ctx, change)
				receipt.Position = position
				return receipt, err
			}
		},
	}, {
		name: "counts the positions of each problem apart", caught: "COM-011/at-once",
		sabotage: func(s *broken) {
			var mu sync.Mutex
			count := make(map[problem.ID]int64)
			s.commit = func(ctx context.Context, change store.Change) (store.Receipt, error) {
				mu.Lock()
				defer mu.Unlock()
				receipt, err := s.Model.Commit(ctx, change)
				for _, e := range change.Effects {
					if add, ok := e.(store.AddComment); ok {
						count[add.Problem]++
						receipt.Position = count[add.Problem]*1000 + int64(add.Problem)
					}
				}
				return receipt, err
			}
		},
	}}
}
